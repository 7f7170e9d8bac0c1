package views

import (
	"time"

	"urakata/internal/agent"
	"urakata/internal/ops"
	"urakata/internal/ops/comment"
	"urakata/internal/ops/source"
)

// LivePage is a stream's board. A zero Board.Header.Stream.ID is "no stream yet".
type LivePage struct {
	Page  Page
	Board Board
}

// Board is what the board shows; each field is one region that moves on its own.
type Board struct {
	Header   StreamHeader
	Pending  []ItemView   // of this stream, soonest deadline first
	Cards    []ops.Card   // newest change first
	Chat     []ops.Stored // newest first
	Pulse    Pulse
	Activity Activity
	Reader   ops.Who // what may be offered
}

// StreamHeader is the stream at a glance.
type StreamHeader struct {
	Stream    ops.Stream
	Health    source.Health
	Character ops.Character
	Backend   string // the mind in use, as a person reads it: "rules (offline)"
	Doing     agent.Activity
	Elapsed   time.Duration // on the stream's own clock
	Lag       time.Duration // how far the desk is behind its source
	Pending   int
	Report    string // id of the report once it stands
	Reader    ops.Who
}

// Pulse is the chat in numbers; every number leads to its comments.
type Pulse struct {
	Stream   string
	Language string
	Minutes  []Minute // oldest first, without holes
	Subjects []SubjectCount
	Total    int64
}

// Minute is one minute of chat. Low, Medium and High count safety findings by risk.
type Minute struct {
	At            time.Duration
	Messages      int
	Questions     int
	Low, Medium   int
	High          int
	Glad, Worried int
	Gap           bool // the source was not heard: nothing is known, which is not zero
}

// SubjectCount is how often a subject came up in the last ten minutes, and in the ten before.
type SubjectCount struct {
	Subject       comment.Subject
	Count, Before int
}

// Activity is what the staff did lately.
type Activity struct {
	Stream    string
	Character ops.Character
	Doing     agent.Activity
	Since     time.Time
	Lines     []ActivityLine // newest first
	Turns     int
	Usage     agent.Usage
	Session   string // whose log can be read; "" for none yet
}

// ActivityLine is one fact of a session's log, without anybody's words. Detail is a closed word or empty.
type ActivityLine struct {
	At     time.Time
	Kind   agent.EventKind
	Turn   string
	Tool   string
	Stop   string
	Detail string
	MS     int64
	Tokens int
}
