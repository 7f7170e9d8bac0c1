package ops

import "urakata/internal/ops/comment"

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
	Open         []OpenCard     `json:"openCards"`             // what was raised already: the same incident updates its card
	RawText      bool           `json:"rawViewerTextIncluded"` // always false
}

// StreamFacts, WindowFacts, GroupFacts, WaveFacts, SubjectFacts, ShiftFacts and OpenCard are parts of a Briefing. Seconds are offsets.
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
	OpenCard struct {
		Incident string   `json:"incident"`
		Kind     CardKind `json:"kind"`
		Severity Severity `json:"severity"`
		Age      int      `json:"ageSeconds"`
		Evidence int      `json:"evidence"`
	}
)
