package comment

import "time"

// Action is what a careful moderator would do with a comment.
type Action string

// Actions, mildest first. Withhold hides the words from people who did not ask for them; Escalate brings the comment to an operator with care.
const (
	Allow    Action = "allow"
	Withhold Action = "withhold"
	Escalate Action = "escalate"
)

// Risk orders how bad it would be to be wrong about a comment.
type Risk string

// Risks, lowest first.
const (
	RiskNone   Risk = "none"
	RiskLow    Risk = "low"
	RiskMedium Risk = "medium"
	RiskHigh   Risk = "high"
)

// Category names why a comment needs care. The names are those of the reference, and ours.
type Category string

// Categories. The last group is ours.
const (
	PromptInjection Category = "prompt_injection"
	HostileFeedback Category = "hostile_feedback"
	Baiting         Category = "baiting"
	Demoralizing    Category = "demoralizing"
	PersonalInfo    Category = "personal_info"
	Harassment      Category = "harassment"
	Sexual          Category = "sexual"
	Violence        Category = "violence"
	Spam            Category = "spam"
	URL             Category = "url"
	Repetition      Category = "repetition"
	ViewerBlocked   Category = "viewer_blocked"

	Hate          Category = "hate"
	Threat        Category = "threat"
	SelfHarm      Category = "self_harm"
	Scam          Category = "scam"
	Impersonation Category = "impersonation"
	Minors        Category = "minors"
)

// Rule is one finding. Span is [start, end) in bytes of the original text; both 0 for a finding about the author or about several comments.
type Rule struct {
	ID       string   `json:"id"`
	Category Category `json:"category,omitempty"`
	Span     [2]int   `json:"span"`
	Lang     string   `json:"lang,omitempty"`
	Severity Risk     `json:"severity"`
	InName   bool     `json:"inName,omitempty"` // the span is in the author's name
}

// Subject is what a comment is about, from a closed list, so that it can be told to a character without a word of the viewer's.
type Subject string

// Subjects. The zero value is "none recognised".
const (
	SubjectAudio     Subject = "audio"     // sound, microphone level, no sound
	SubjectVideo     Subject = "video"     // picture, black screen, resolution
	SubjectLag       Subject = "lag"       // stutter, delay, dropped frames
	SubjectGame      Subject = "game"      // the game being played
	SubjectMusic     Subject = "music"     // songs, karaoke, BGM
	SubjectArt       Subject = "art"       // drawing, brushes, colour, models
	SubjectEquipment Subject = "equipment" // microphone, PC, camera, software used
	SubjectSchedule  Subject = "schedule"  // when, how long, next stream
	SubjectVoice     Subject = "voice"
	SubjectFood      Subject = "food"
	SubjectStreamer  Subject = "streamer" // questions about the person
	SubjectChat      Subject = "chat"     // the chat itself, rules, emotes
)

// Cluster labels, those of the reference and ours; the coarse kind of a comment.
const (
	ClusterGreeting  = "greeting"
	ClusterFirstTime = "first_time_viewer"
	ClusterTopicQ    = "stream_topic_question"
	ClusterPraise    = "praise"
	ClusterQuestion  = "question"
	ClusterRequest   = "request"
	ClusterUnsafe    = "unsafe_instruction"
	ClusterURL       = "url_or_link"
	ClusterSpam      = "spam"
	ClusterFeedback  = "constructive_feedback"
	ClusterTrouble   = "trouble_report"
	ClusterReaction  = "reaction"
	ClusterOther     = "other"
)

// Analysis is what the rules understood of one comment. Only the console may show it beside the text; a character gets an ops.Observation made from it.
type Analysis struct {
	ID           string     `json:"id"`
	Action       Action     `json:"action"`
	Risk         Risk       `json:"risk"`
	Categories   []Category `json:"categories"`
	Question     bool       `json:"question"`
	TopicRelated bool       `json:"topicRelated"`
	Lang         string     `json:"lang"` // BCP 47 primary tag: ja en ko zh es, or und
	Cluster      string     `json:"cluster"`
	BlockViewer  bool       `json:"blockViewer"`
	Rules        []Rule     `json:"rules"`
	Score        float64    `json:"score"`   // 0..1, how much the comment deserves attention
	Reasons      []string   `json:"reasons"` // direct_question new_viewer returning_viewer topic_related topic_unrelated super_chat moderator duplicate spam_like unsafe blocked_viewer fresh feedback trouble praise

	Subject     Subject   `json:"subject,omitempty"`
	Group       string    `json:"group,omitempty"`       // question or trouble group across wordings and viewers: "q1", "t2"; stable within a stream
	GroupSize   int       `json:"groupSize,omitempty"`   // members of Group so far, this one counted
	GroupVoices int       `json:"groupVoices,omitempty"` // different viewers in Group so far
	Wave        string    `json:"wave,omitempty"`        // copy-paste wave this belongs to: "w1"
	WaveSize    int       `json:"waveSize,omitempty"`
	DuplicateOf string    `json:"duplicateOf,omitempty"` // the id of the first near-duplicate seen
	FirstTime   bool      `json:"firstTime,omitempty"`
	Mood        int       `json:"mood"` // -1 worried or hostile, 0 neutral, 1 glad; from words and reactions
	At          time.Time `json:"-"`
}

// Stream is what the analyser may know about the stream.
type Stream struct {
	Topic    string // what the streamer says it is about
	Title    string
	Language string // BCP 47 primary tag, "" for unknown

	Deny  []string // words the operator does not want in this chat
	Allow []string // words and phrases that are never a finding here, such as one a person marked as a false alarm
}
