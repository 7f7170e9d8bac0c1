package ops

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/text/currency"

	"urakata/internal/ops/comment"
)

// Observation is what a character learns of one comment. It carries no viewer text: no field can hold a word that a viewer wrote, and a test
// walks the type to make sure. Viewers are "v3", comments "c12", numbered by the desk.
type Observation struct {
	Ref         string             `json:"id"`
	Offset      int                `json:"at"` // whole seconds from the start
	Viewer      string             `json:"viewer"`
	First       bool               `json:"firstTime,omitempty"`
	Role        Role               `json:"role,omitempty"`
	Platform    comment.Platform   `json:"platform"`
	Lang        Lang               `json:"lang"`
	Score       float64            `json:"score"`
	Reasons     []Reason           `json:"reasons,omitempty"`
	Cluster     Cluster            `json:"cluster"`
	Subject     comment.Subject    `json:"subject,omitempty"`
	Question    bool               `json:"question,omitempty"`
	Group       string             `json:"group,omitempty"` // "q1", "t2": numbered by the analyser
	GroupSize   int                `json:"groupSize,omitempty"`
	GroupVoices int                `json:"groupVoices,omitempty"`
	Wave        string             `json:"wave,omitempty"`
	WaveSize    int                `json:"waveSize,omitempty"`
	Duplicate   bool               `json:"duplicate,omitempty"`
	Mood        int                `json:"mood,omitempty"`
	Paid        *comment.Money     `json:"paid,omitempty"`
	Raid        int                `json:"raid,omitempty"`
	Action      comment.Action     `json:"action"`
	Risk        comment.Risk       `json:"risk"`
	Categories  []comment.Category `json:"categories,omitempty"`
}

// Role, Lang, Reason and Cluster are closed vocabularies; anything else becomes the zero value on the way in.
type (
	Role    string
	Lang    string
	Reason  string
	Cluster string
)

// Briefing is the context of kind "observations": the facts of one look at the chat. Everything in it is computed from the comments.
type Briefing struct {
	Stream       StreamFacts    `json:"stream"`
	Window       WindowFacts    `json:"window"`
	Observations []Observation  `json:"observations"` // what deserves attention, best first, at most 40; every safety finding is among them
	Groups       []GroupFacts   `json:"groups"`       // question and trouble groups alive in the last minutes
	Waves        []WaveFacts    `json:"waves,omitempty"`
	Subjects     []SubjectFacts `json:"subjects"`
	Shift        *ShiftFacts    `json:"shift,omitempty"`
	Raised       []RaisedFacts  `json:"raised,omitempty"`      // what was put into the inbox already, newest first: it is not asked again
	Open         []OpenCard     `json:"openCards"`             // what was raised already: the same incident updates its card
	RawText      bool           `json:"rawViewerTextIncluded"` // always false
}

// StreamFacts, WindowFacts, GroupFacts, WaveFacts, SubjectFacts, ShiftFacts, RaisedFacts and OpenCard are parts of a Briefing. Seconds are offsets.
type (
	StreamFacts struct {
		ID       string `json:"id"`
		Language Lang   `json:"language"`
		Elapsed  int    `json:"elapsedSeconds"`
		Analysed int64  `json:"analysed"`
		Ended    bool   `json:"ended,omitempty"`
	}
	WindowFacts struct {
		From      int     `json:"from"`
		To        int     `json:"to"`
		Comments  int     `json:"comments"` // new since the last look
		Viewers   int     `json:"viewers"`
		PerMinute float64 `json:"perMinute"`
		Usual     float64 `json:"usualPerMinute"`
		Glad      int     `json:"glad"`
		Worried   int     `json:"worried"`
		Withheld  int     `json:"withheld"`
		Escalated int     `json:"escalated"`
	}
	GroupFacts struct {
		Group    string          `json:"group"`
		Kind     string          `json:"kind"` // "question" or "trouble"
		Subject  comment.Subject `json:"subject,omitempty"`
		Size     int             `json:"size"`
		Voices   int             `json:"voices"`
		First    int             `json:"first"`
		Last     int             `json:"last"`
		Evidence []string        `json:"evidence"` // refs, at most 8
	}
	WaveFacts struct {
		Wave     string   `json:"wave"`
		Size     int      `json:"size"`
		Voices   int      `json:"voices"`
		Friendly bool     `json:"friendly"` // a raid was announced just before
		Evidence []string `json:"evidence"`
	}
	SubjectFacts struct {
		Subject comment.Subject `json:"subject"`
		Count   int             `json:"count"`
		Before  int             `json:"before"` // in the window before this one
	}
	ShiftFacts struct {
		From     comment.Subject `json:"from,omitempty"`
		To       comment.Subject `json:"to"`
		At       int             `json:"at"`
		Evidence []string        `json:"evidence"`
	}
	RaisedFacts struct {
		Tool    string    `json:"tool"`
		Refs    []string  `json:"refs,omitempty"`
		Groups  []string  `json:"groups,omitempty"`
		Viewers []string  `json:"viewers,omitempty"`
		State   ItemState `json:"state"`
		Age     int       `json:"ageSeconds"`
	}
	OpenCard struct {
		Incident string   `json:"incident"`
		Kind     CardKind `json:"kind"`
		Severity Severity `json:"severity"`
		Age      int      `json:"ageSeconds"`
		Evidence int      `json:"evidence"`
	}
)

// The closed vocabularies of an observation. What is not in them becomes the zero value (or "other", "unknown"), because a word that some rule
// or some record passed on could be a viewer's.

var (
	roles      = []Role{"owner", "moderator", "vip", "member", "subscriber", "verified"} // the one that matters most first
	langs      = []Lang{"ja", "en", "ko", "zh", "es", "und"}
	reasons    = []Reason{"direct_question", "new_viewer", "returning_viewer", "topic_related", "topic_unrelated", "super_chat", "moderator", "duplicate", "spam_like", "unsafe", "blocked_viewer", "fresh", "feedback", "trouble", "praise"}
	clusters   = []Cluster{comment.ClusterGreeting, comment.ClusterFirstTime, comment.ClusterTopicQ, comment.ClusterPraise, comment.ClusterQuestion, comment.ClusterRequest, comment.ClusterUnsafe, comment.ClusterURL, comment.ClusterSpam, comment.ClusterFeedback, comment.ClusterTrouble, comment.ClusterReaction, comment.ClusterOther}
	platforms  = []comment.Platform{comment.YouTube, comment.Twitch, comment.Web, comment.Unknown}
	subjects   = []comment.Subject{comment.SubjectAudio, comment.SubjectVideo, comment.SubjectLag, comment.SubjectGame, comment.SubjectMusic, comment.SubjectArt, comment.SubjectEquipment, comment.SubjectSchedule, comment.SubjectVoice, comment.SubjectFood, comment.SubjectStreamer, comment.SubjectChat}
	actions    = []comment.Action{comment.Allow, comment.Withhold, comment.Escalate}
	risks      = []comment.Risk{comment.RiskNone, comment.RiskLow, comment.RiskMedium, comment.RiskHigh}
	categories = []comment.Category{
		comment.PromptInjection, comment.HostileFeedback, comment.Baiting, comment.Demoralizing, comment.PersonalInfo, comment.Harassment, comment.Sexual, comment.Violence, comment.Spam,
		comment.URL, comment.Repetition, comment.ViewerBlocked, comment.Hate, comment.Threat, comment.SelfHarm, comment.Scam, comment.Impersonation, comment.Minors,
	}
)

func known[T comparable](list []T, v, otherwise T) T {
	if slices.Contains(list, v) {
		return v
	}
	return otherwise
}

func roleOf(have []string) Role {
	for _, r := range roles {
		if slices.Contains(have, string(r)) {
			return r
		}
	}
	return ""
}

func langOf(tag string) Lang                         { return known(langs, Lang(tag), "und") }
func clusterOf(label string) Cluster                 { return known(clusters, Cluster(label), "") }
func subjectOf(s comment.Subject) comment.Subject    { return known(subjects, s, "") }
func riskOf(r comment.Risk) comment.Risk             { return known(risks, r, comment.RiskNone) }
func actionOf(a comment.Action) comment.Action       { return known(actions, a, comment.Allow) }
func platformOf(p comment.Platform) comment.Platform { return known(platforms, p, comment.Unknown) }

func categoriesOf(have []comment.Category) []comment.Category {
	var out []comment.Category
	for _, c := range have {
		if slices.Contains(categories, c) {
			out = append(out, c)
		}
	}
	return out
}

func reasonsOf(have []string) []Reason {
	var out []Reason
	for _, r := range have {
		if slices.Contains(reasons, Reason(r)) {
			out = append(out, Reason(r))
		}
	}
	return out
}

// groupOf passes the names the analyser makes: a letter and a number.
func groupOf(name, letters string) string {
	if len(name) < 2 || len(name) > 12 || !strings.Contains(letters, name[:1]) || strings.Trim(name[1:], "0123456789") != "" {
		return ""
	}
	return name
}

// moneyOf passes an amount in a currency that exists; any other one is "XXX", which is what ISO 4217 calls no currency.
func moneyOf(m *comment.Money) *comment.Money {
	if m == nil {
		return nil
	}
	code := m.Currency
	if _, err := currency.ParseISO(code); (err != nil || len(code) != 3) && code != "BITS" {
		code = "XXX"
	}
	return &comment.Money{Micros: m.Micros, Currency: strings.ToUpper(code)}
}

// worse reports that a is a graver risk than b.
func worse(a, b comment.Risk) bool {
	return cmp.Compare(slices.Index(risks, a), slices.Index(risks, b)) > 0
}
