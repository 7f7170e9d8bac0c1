package ops

import (
	"context"
	"time"
)

// Change points at a row that changed, for screens. It is written in the transaction of that row; Seq counts per stream. The pseudo-stream ""
// carries what every page follows: inbox items, streams, reports, characters.
type Change struct {
	Seq    int64
	Stream string
	Kind   ChangeKind
	Ref    string
	At     time.Time
}

// ChangeKind says which row a change points at.
type ChangeKind string

// Kinds of changes.
const (
	ChangeComments  ChangeKind = "comments" // Ref is the last place
	ChangeCard      ChangeKind = "card"
	ChangeInbox     ChangeKind = "inbox" // Ref is the item's id
	ChangeStream    ChangeKind = "stream"
	ChangeReport    ChangeKind = "report"
	ChangeCharacter ChangeKind = "character"
	ChangeSession   ChangeKind = "session" // the log of a session grew; Ref is its id
)

// changeStore reads changes; Listen rings after commits and says only "look again". Topics are "stream/ID" and "console".
type changeStore interface {
	Changes(ctx context.Context, stream string, after int64, limit int) ([]Change, error)
	LastChange(ctx context.Context, stream string) (int64, error)
	Listen(ctx context.Context, topic string) <-chan struct{}
}

// AuditEntry is who did what, when and why; nothing updates or deletes one.
type AuditEntry struct {
	Seq    int64 // its place, given by the store; Page.After takes it
	At     time.Time
	By     string
	Action string // "inbox.allow", "inbox.late", "card.dismiss", "stream.end", "operator.add", …
	Stream string
	Ref    string
	Detail string
}

type auditStore interface {
	Audit(ctx context.Context, e AuditEntry) error
	AuditEntries(ctx context.Context, stream string, p Page) ([]AuditEntry, error)
}
