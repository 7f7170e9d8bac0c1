package ops

import (
	"context"
	"time"
)

// CardKind is what a card tells.
type CardKind string

// The six kinds.
const (
	Information          CardKind = "information"
	Highlight            CardKind = "highlight"
	QuestionSurge        CardKind = "question-surge"
	ConstructiveFeedback CardKind = "constructive-feedback"
	SafetyConcern        CardKind = "safety-concern"
	TopicShift           CardKind = "topic-shift"
)

// Severity says how soon a person should look.
type Severity string

// Severities.
const (
	Low    Severity = "low"
	Medium Severity = "medium"
	High   Severity = "high"
)

// CardState is what a person did with a card.
type CardState string

// States of a card.
const (
	CardOpen      CardState = "open"
	CardHandled   CardState = "handled"
	CardDismissed CardState = "dismissed"
)

// Card is one thing the staff wants a person to know: observed facts with evidence, and apart from them what the character suggests.
type Card struct {
	ID        string
	Stream    string
	Incident  string // one card per incident and stream: "question-surge/q1", "safety-concern/v7"; the host names it from the evidence
	Kind      CardKind
	Severity  Severity
	Observed  string
	Suggested string
	Evidence  []string      // the comments' platform ids, oldest first
	Offset    time.Duration // of the newest evidence
	Character string
	Session   string
	Turn      string
	State     CardState
	Note      string
	By        string
	Updates   int // how often the same incident came again
	At        time.Time
	UpdatedAt time.Time
}

// cardStore keeps cards. SaveCard inserts a card or updates the one of the same stream and incident (evidence joined, severity never lowered,
// Updates counted, a dismissed card stays dismissed), with its change, the moved cursor of the session and nothing else, in one transaction; a
// cursor that is not after the stored one saves nothing and returns the card that stands.
type cardStore interface {
	SaveCard(ctx context.Context, c Card, at Cursor) (Card, error)
	Card(ctx context.Context, id string) (Card, error)
	Cards(ctx context.Context, stream string, p Page) ([]Card, error) // newest change first
	MoveCard(ctx context.Context, id string, to CardState, by, note string, at time.Time) (Card, error)
}

// Cursor says how far the desk has followed a session's log: event Seq, and the Part of that event (an artifact may hold several cards).
type Cursor struct {
	Session string
	Seq     int64
	Part    int
}
