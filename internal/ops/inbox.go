package ops

import (
	"context"
	"encoding/json"
	"time"
)

// ItemKind says what an inbox item asks.
type ItemKind string

// Kinds of inbox items.
const (
	ItemApproval ItemKind = "approval" // may this call run?
	ItemQuestion ItemKind = "question" // operator.ask
	ItemUnknown  ItemKind = "unknown"  // did this action happen before the program stopped?
)

// ItemState is where an item stands. An approval uses those of agent.ApprovalState; a question is pending, answered or cancelled.
type ItemState string

// States of items.
const (
	ItemPending   ItemState = "pending"
	ItemAllowed   ItemState = "allowed"
	ItemDenied    ItemState = "denied"
	ItemExpired   ItemState = "expired"
	ItemCancelled ItemState = "cancelled"
	ItemAnswered  ItemState = "answered"
)

// OutcomeState is what became of an allowed call.
type OutcomeState string

// Outcomes. The zero value is "nothing ran".
const (
	OutcomeNone    OutcomeState = ""
	OutcomeWaiting OutcomeState = "waiting" // decided, not run yet; older than 10 s is a fault that the console shows
	OutcomeRunning OutcomeState = "running"
	OutcomeDone    OutcomeState = "done"
	OutcomeRefused OutcomeState = "refused" // the platform said no: OutcomeSay
	OutcomeFailed  OutcomeState = "failed"
	OutcomeUnknown OutcomeState = "unknown"
)

// Item is one thing in the inbox.
type Item struct {
	ID         string
	Kind       ItemKind
	Stream     string
	Session    string
	Character  string
	Tool       string
	Risk       string          // read draft write external destructive
	Arguments  json.RawMessage // redacted
	Reason     string          // the character's words
	Question   string
	Choices    []string // question: offered answers, may be empty
	Evidence   []string // platform ids
	Target     *Stored  `json:"-"` // the comment an action is about, for the page
	At         time.Time
	Deadline   time.Time // zero: none
	State      ItemState
	DecidedBy  string
	DecidedAt  time.Time
	Note       string
	Answer     string
	Why        string // cancelled: the cause
	Outcome    OutcomeState
	OutcomeSay string
	Rehearsed  bool
}

// inboxStore reads items of both kinds and keeps questions. Approvals move only through the session's log.
type inboxStore interface {
	Item(ctx context.Context, id string) (Item, error)
	Items(ctx context.Context, q ItemQuery) ([]Item, error)
	AskQuestion(ctx context.Context, it Item, at Cursor) error                                              // idempotent by ID
	MoveQuestion(ctx context.Context, id string, to ItemState, by, text string, at time.Time) (Item, error) // WHERE state = pending; else ErrDecided as agent.DecidedError-like *Decided
}

// ItemQuery asks for items. Pending ones come soonest deadline first, then most severe; done ones newest decision first.
type ItemQuery struct {
	Stream string
	Done   bool
	Page   Page
}
