package ops

import (
	"context"
	"fmt"
	"time"
)

// Store is everything the services of this package keep. internal/db implements it; each service takes only what it needs of it.
type Store interface {
	streamStore
	commentStore
	cardStore
	changeStore
	auditStore
	characterStore
	inboxStore
	reportStore
	sessionStore
	operatorStore
	loginStore
	linkStore
}

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

// Actions of the audit.
const (
	AuditAllow       = "inbox.allow"
	AuditDeny        = "inbox.deny"
	AuditLate        = "inbox.late" // somebody answered when another answer stood already
	AuditContradict  = "inbox.contradiction"
	AuditAnswer      = "inbox.answer"
	AuditCard        = "card."   // and the state it moved to
	AuditStream      = "stream." // and what was done: create, start, pause, end
	AuditCharacter   = "character.save"
	AuditStopped     = "character.pause"
	AuditUnpaused    = "character.resume"
	AuditLogin       = "operator.login"
	AuditRefused     = "operator.refused"
	AuditLogout      = "operator.logout"
	AuditOperatorAdd = "operator.add"
	AuditPassword    = "operator.password"
	AuditReset       = "operator.reset"
	AuditLink        = "operator.link"
)

// Audits reads who did what.
type Audits struct{ store auditStore }

// NewAudits returns the reader of a store's audit.
func NewAudits(store Store) *Audits { return &Audits{store: store} }

// List gives entries, newest first; stream "" is all of them.
func (a *Audits) List(ctx context.Context, stream string, p Page) ([]AuditEntry, error) {
	entries, err := a.store.AuditEntries(ctx, stream, p)
	if err != nil {
		return nil, fmt.Errorf("audit of %q: %w", stream, err)
	}
	return entries, nil
}

// record writes one entry. What it is about has happened already, so an error is told and undoes nothing.
func record(ctx context.Context, store auditStore, e AuditEntry) error {
	if err := store.Audit(ctx, e); err != nil {
		return fmt.Errorf("audit %s of %s: %w", e.Action, e.Ref, err)
	}
	return nil
}

// clock is the time a service uses; nil is the wall clock.
func clock(now func() time.Time) func() time.Time {
	if now == nil {
		return time.Now
	}
	return now
}

// SessionRow says which session works which stream, so that a restart finds it.
type SessionRow struct {
	ID        string
	Stream    string
	Character string
	Version   int // of the character
	Purpose   string
	CreatedAt time.Time
	ClosedAt  time.Time
}

type sessionStore interface {
	SaveSession(ctx context.Context, s SessionRow) error
	SessionsOf(ctx context.Context, stream string) ([]SessionRow, error)
	Cursor(ctx context.Context, session string) (Cursor, error) // zero when never followed
	MoveCursor(ctx context.Context, at Cursor) error            // only forward
}
