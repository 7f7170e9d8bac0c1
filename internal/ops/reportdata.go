package ops

import (
	"time"

	"urakata/internal/ops/comment"
)

// ReportData is a report as it is stored and exported. Every number is computed from rows; only Summary and Next may hold words of a character.
// Offsets are seconds from the stream's start. A figure nobody measured is nil or absent and listed in Limits, never zero.
type ReportData struct {
	Stream     ReportStream     `json:"stream"`
	Summary    ReportSummary    `json:"summary"`
	Tiles      []ReportTile     `json:"tiles"`
	Timeline   ReportTimeline   `json:"timeline"`
	Highlights []ReportMoment   `json:"highlights"`
	Questions  []ReportQuestion `json:"questions"`
	Safety     ReportSafety     `json:"safety"`
	Feedback   []ReportFeedback `json:"feedback"`
	Topics     []ReportTopic    `json:"topics"`
	Community  ReportCommunity  `json:"community"`
	Paid       []ReportPaid     `json:"paid"`
	Technical  ReportTechnical  `json:"technical"`
	Limits     []ReportLimit    `json:"limits"`
}

// ReportStream says which stream a report is about.
type ReportStream struct {
	ID        string    `json:"id"`
	Title     string    `json:"title"`
	Topic     string    `json:"topic,omitempty"`
	Language  string    `json:"language"`
	StartedAt time.Time `json:"startedAt,omitzero"`
	EndedAt   time.Time `json:"endedAt,omitzero"`
	Seconds   int       `json:"seconds"` // from the start to the last comment
	Rehearsal bool      `json:"rehearsal,omitempty"`
}

// ReportSummary is three sentences and three things to do next time.
type ReportSummary struct {
	Sentences []string `json:"sentences"`
	Next      []string `json:"next"`
	Author    string   `json:"author"`   // the character's name, or "" when the host made the sentences from the numbers
	Evidence  []string `json:"evidence"` // platform ids the words rest on
}

// ReportTile is one number at the top. ID is the end of a catalogue key: "report.tile.<id>".
type ReportTile struct {
	ID     string   `json:"id"` // comments viewers perMinute peak questions safety cards decisions
	Value  float64  `json:"value"`
	Median *float64 `json:"median"` // of the last streams, nil when there were none
	Of     int      `json:"of"`     // how many streams Median is made from
}

// ReportTimeline is the stream minute by minute.
type ReportTimeline struct {
	Minutes []ReportMinute `json:"minutes"`
	Ticks   []ReportTick   `json:"ticks"`
	Gaps    []ReportGap    `json:"gaps"`
	Viewers *[]float64     `json:"viewers"` // concurrent viewers; nil: no source measured them
}

// ReportMinute counts one minute of chat; Minute 0 holds the waiting room too.
type ReportMinute struct {
	Minute    int `json:"minute"`
	Comments  int `json:"comments"`
	Viewers   int `json:"viewers"` // who wrote
	Questions int `json:"questions"`
	Safety    int `json:"safety"`
	Low       int `json:"safetyLow"` // Safety by risk
	Medium    int `json:"safetyMedium"`
	High      int `json:"safetyHigh"`
	Glad      int `json:"glad"`
	Worried   int `json:"worried"`
}

// ReportTick is an event on the timeline.
type ReportTick struct {
	Offset   int      `json:"offset"`
	Kind     string   `json:"kind"` // card, raid, paid, action, topic
	Ref      string   `json:"ref,omitempty"`
	CardKind CardKind `json:"cardKind,omitempty"`
	Severity Severity `json:"severity,omitempty"`
	Count    int      `json:"count,omitempty"`
}

// ReportGap is a time without any comment that is long for this stream.
type ReportGap struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// ReportMoment is something worth finding again.
type ReportMoment struct {
	Offset   int      `json:"offset"`
	Kind     string   `json:"kind"` // card, peak, raid, paid
	Why      string   `json:"why"`  // a card's observed words, else ""
	Count    int      `json:"count,omitempty"`
	Card     string   `json:"card,omitempty"`
	Evidence []string `json:"evidence"`
}

// ReportQuestion is one question in all its wordings.
type ReportQuestion struct {
	Group    string          `json:"group"`
	Subject  comment.Subject `json:"subject,omitempty"`
	Count    int             `json:"count"`
	Voices   int             `json:"voices"`
	First    int             `json:"first"`
	Last     int             `json:"last"`
	Quotes   []string        `json:"quotes"`   // up to three wordings, masked; none of a comment that was withheld
	Answered *bool           `json:"answered"` // by the mark of an operator on its card; nil: nobody said
	Card     string          `json:"card,omitempty"`
	Evidence []string        `json:"evidence"`
}

// ReportSafety is what needed care, and what was proposed and decided.
type ReportSafety struct {
	Findings []ReportFinding  `json:"findings"`
	Actions  []ReportAction   `json:"actions"`
	Cards    []ReportCareCard `json:"cards"`
}

// ReportFinding counts comments of one category.
type ReportFinding struct {
	Category comment.Category `json:"category"`
	Count    int              `json:"count"`
	Viewers  int              `json:"viewers"`
	Worst    comment.Risk     `json:"worst"`
	First    int              `json:"first"`
	Evidence []string         `json:"evidence"`
}

// ReportAction counts the proposals of one tool that ended in one state.
type ReportAction struct {
	Tool          string       `json:"tool"`
	State         ItemState    `json:"state"`
	Outcome       OutcomeState `json:"outcome,omitempty"`
	Why           string       `json:"why,omitempty"` // cancelled: the cause
	Count         int          `json:"count"`
	MedianSeconds *float64     `json:"medianSeconds"` // from the proposal to a person's answer; nil: no person answered
	By            []string     `json:"by,omitempty"`
	Items         []string     `json:"items"`
}

// ReportCareCard is a safety card as it stood at the end.
type ReportCareCard struct {
	Card     string    `json:"card"`
	Offset   int       `json:"offset"`
	Severity Severity  `json:"severity"`
	Observed string    `json:"observed"`
	State    CardState `json:"state"`
	Evidence []string  `json:"evidence"`
}

// ReportFeedback is feedback of one kind: about one subject.
type ReportFeedback struct {
	Subject  comment.Subject `json:"subject,omitempty"`
	Count    int             `json:"count"`
	Voices   int             `json:"voices"`
	First    int             `json:"first"`
	Quotes   []string        `json:"quotes"`
	Evidence []string        `json:"evidence"`
}

// ReportTopic is how much was said about a subject.
type ReportTopic struct {
	Subject  comment.Subject `json:"subject"`
	Count    int             `json:"count"`
	Voices   int             `json:"voices"`
	First    int             `json:"first"`
	Last     int             `json:"last"`
	Peak     int             `json:"peak"` // the minute with most of it
	Evidence []string        `json:"evidence"`
}

// ReportCommunity is who wrote. Returning viewers wrote in one of the earlier streams that were compared; without any everybody is new.
type ReportCommunity struct {
	Viewers   int             `json:"viewers"`
	New       int             `json:"new"`
	Returning int             `json:"returning"`
	Compared  int             `json:"comparedStreams"`
	Members   int             `json:"members"`
	Regulars  int             `json:"regulars"` // wrote in at least five different minutes
	Languages []ReportShare   `json:"languages"`
	Platforms []ReportShare   `json:"platforms"`
	Mood      ReportMood      `json:"mood"`
	Raids     []ReportRaiding `json:"raids"`
}

// ReportShare is a part of all comments.
type ReportShare struct {
	Name  string  `json:"name"`
	Count int     `json:"count"`
	Share float64 `json:"share"`
}

// ReportMood counts what comments felt like.
type ReportMood struct {
	Glad    int `json:"glad"`
	Neutral int `json:"neutral"`
	Worried int `json:"worried"`
}

// ReportRaiding is a raid that came in.
type ReportRaiding struct {
	Offset   int      `json:"offset"`
	Viewers  int      `json:"viewers"`
	Evidence []string `json:"evidence"`
}

// ReportPaid is the support in one currency; two currencies are never added.
type ReportPaid struct {
	Currency string   `json:"currency"`
	Micros   int64    `json:"micros"`
	Count    int      `json:"count"`
	Voices   int      `json:"voices"`
	Largest  int64    `json:"largest"`
	Evidence []string `json:"evidence"`
}

// ReportTechnical is how the work itself went.
type ReportTechnical struct {
	Backend   string           `json:"backend"`
	Turns     int              `json:"turns"`
	Steps     int              `json:"steps"`
	Calls     int              `json:"calls"`
	Failed    int              `json:"failed"`
	Rejected  int              `json:"rejected"` // answers that the validator refused
	Tokens    *int             `json:"tokens"`   // nil: the backend did not say
	Input     *int             `json:"inputTokens"`
	Output    *int             `json:"outputTokens"`
	SlowestMS int64            `json:"slowestMs"`
	MedianMS  int64            `json:"medianMs"`
	Records   int64            `json:"records"`
	Read      int64            `json:"read"`
	Skipped   int64            `json:"skipped"`
	Dups      int64            `json:"duplicates"`
	Reasons   map[string]int64 `json:"reasons,omitempty"`
	Errors    []ReportError    `json:"errors"`
}

// ReportError counts errors of one code.
type ReportError struct {
	Code  string `json:"code"`
	Count int    `json:"count"`
}

// ReportLimit says what the report cannot tell. ID is the end of a catalogue key: "report.limit.<id>".
type ReportLimit struct {
	ID    string `json:"id"`
	Count int64  `json:"count,omitempty"`
	From  int    `json:"from,omitempty"`
	To    int    `json:"to,omitempty"`
}
