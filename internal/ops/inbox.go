package ops

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"urakata/internal/agent"
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

// stuckAfter is how long a decided call may wait to be carried out before the console calls it a fault.
const stuckAfter = 10 * time.Second

// MaxAnswer is how many runes an operator's answer or note may have.
const MaxAnswer = 2000

// InboxConfig makes an inbox. Store and Staff are required.
type InboxConfig struct {
	Store Store
	Staff *Staff // finds the live session that an answer belongs to
	Now   func() time.Time
}

// Inbox is where people answer: approvals and questions of all streams.
type Inbox struct {
	store Store
	staff *Staff
	now   func() time.Time
	gate  chan struct{} // one decision at a time, so that the audit tells the first from the rest
}

// InboxCounts is the inbox at a glance.
type InboxCounts struct {
	Pending int
	Worst   Severity // of what is pending; "" when nothing is
	Stuck   int      // decided more than ten seconds ago and not carried out
}

// Answer is a person's answer to an approval. The zero value denies.
type Answer struct {
	Allow bool
	Note  string
}

// BulkAnswer is one answer of several.
type BulkAnswer struct {
	ID    string
	Allow bool
	Note  string
}

// BulkResult is what became of one answer of several.
type BulkResult struct {
	ID   string
	Item Item
	Err  error
}

// NewInbox returns the inbox of a store.
func NewInbox(c InboxConfig) *Inbox {
	return &Inbox{store: c.Store, staff: c.Staff, now: clock(c.Now), gate: make(chan struct{}, 1)}
}

// Items lists items; see ItemQuery for the order.
func (b *Inbox) Items(ctx context.Context, q ItemQuery) ([]Item, error) {
	items, err := b.store.Items(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("inbox: %w", err)
	}
	for i := range items {
		if items[i], err = dress(ctx, b.store, items[i]); err != nil {
			return nil, err
		}
	}
	return items, nil
}

// Item is one item with the comment it is about.
func (b *Inbox) Item(ctx context.Context, id string) (Item, error) {
	it, err := b.store.Item(ctx, id)
	if err != nil {
		return Item{}, fmt.Errorf("item %s: %w", id, err)
	}
	return dress(ctx, b.store, it)
}

// Counts is the inbox at a glance.
func (b *Inbox) Counts(ctx context.Context) (InboxCounts, error) {
	var c InboxCounts
	pending, err := b.store.Items(ctx, ItemQuery{Page: Page{Limit: 500}})
	if err != nil {
		return c, fmt.Errorf("count the inbox: %w", err)
	}
	for _, it := range pending {
		c.Pending++
		if s := it.Severity(); s.rank() > c.Worst.rank() {
			c.Worst = s
		}
	}
	done, err := b.store.Items(ctx, ItemQuery{Done: true, Page: Page{Limit: 500}})
	if err != nil {
		return c, fmt.Errorf("count the inbox: %w", err)
	}
	late := b.now().Add(-stuckAfter)
	for _, it := range done {
		if it.open() && it.DecidedAt.Before(late) {
			c.Stuck++
		}
	}
	return c, nil
}

// Decide answers an approval. The first answer stands: the same one again is the item without an error, another one is *Decided with what stands.
func (b *Inbox) Decide(ctx context.Context, who Who, id string, a Answer) (Item, error) {
	if !who.May(RoleModerator) {
		return Item{}, fmt.Errorf("decide %s: %w", id, ErrForbidden)
	}
	if utf8.RuneCountInString(a.Note) > MaxAnswer {
		return Item{}, InvalidError{{Field: "note", Say: "invalid.long", Args: map[string]any{"Max": MaxAnswer}}}
	}
	select {
	case b.gate <- struct{}{}:
		defer func() { <-b.gate }()
	case <-ctx.Done():
		return Item{}, context.Cause(ctx)
	}
	it, err := b.Item(ctx, id)
	if err != nil {
		return Item{}, err
	}
	switch {
	case it.Kind != ItemApproval:
		return it, fmt.Errorf("decide %s, a %s: %w", id, it.Kind, ErrState)
	case it.State != ItemPending:
		return b.late(ctx, who, it, a)
	}
	return b.resolve(ctx, who, it, a)
}

func (b *Inbox) resolve(ctx context.Context, who Who, it Item, a Answer) (Item, error) {
	session, err := b.staff.session(ctx, it.Stream, it.Session)
	if err != nil {
		return it, fmt.Errorf("decide %s: %w", it.ID, err)
	}
	_, err = session.Resolve(ctx, it.ID, agent.Decision{Allow: a.Allow, By: who.Name, Note: a.Note})
	var decided *agent.DecidedError
	if err != nil && !errors.As(err, &decided) && !errors.Is(err, agent.ErrDecided) && !errors.Is(err, agent.ErrExpired) {
		return it, fmt.Errorf("decide %s: %w", it.ID, err)
	}
	now, again := b.Item(ctx, it.ID)
	if again != nil {
		return it, again
	}
	if err != nil {
		return b.late(ctx, who, now, a)
	}
	action := AuditDeny
	if a.Allow {
		action = AuditAllow
	}
	b.staff.cfg.Meters.decision(now.State)
	return now, record(ctx, b.store, AuditEntry{At: b.now(), By: who.Name, Action: action, Stream: it.Stream, Ref: it.ID, Detail: it.Tool})
}

// late answers somebody who was not the first.
func (b *Inbox) late(ctx context.Context, who Who, it Item, a Answer) (Item, error) {
	if (a.Allow && it.State == ItemAllowed) || (!a.Allow && it.State == ItemDenied) {
		return it, nil
	}
	wanted := "deny"
	if a.Allow {
		wanted = "allow"
	}
	err := record(ctx, b.store, AuditEntry{At: b.now(), By: who.Name, Action: AuditLate, Stream: it.Stream, Ref: it.ID, Detail: wanted + " after " + string(it.State)})
	return it, errors.Join(&Decided{Item: it}, err)
}

// DecideAll answers several approvals. An id that is answered in two ways is not carried out at all: each of its results says so.
func (b *Inbox) DecideAll(ctx context.Context, who Who, answers []BulkAnswer) ([]BulkResult, error) {
	if !who.May(RoleModerator) {
		return nil, fmt.Errorf("decide %d items: %w", len(answers), ErrForbidden)
	}
	first, two := map[string]bool{}, map[string]bool{}
	for _, a := range answers {
		if allow, seen := first[a.ID]; seen && allow != a.Allow {
			two[a.ID] = true
		}
		first[a.ID] = a.Allow
	}
	out, told := make([]BulkResult, len(answers)), map[string]bool{}
	for i, a := range answers {
		out[i].ID = a.ID
		if !two[a.ID] {
			out[i].Item, out[i].Err = b.Decide(ctx, who, a.ID, Answer{Allow: a.Allow, Note: a.Note})
			continue
		}
		out[i].Item, out[i].Err = b.Item(ctx, a.ID)
		if out[i].Err != nil {
			continue
		}
		out[i].Err = ErrContradiction
		if !told[a.ID] {
			told[a.ID] = true
			it := out[i].Item
			if err := record(ctx, b.store, AuditEntry{At: b.now(), By: who.Name, Action: AuditContradict, Stream: it.Stream, Ref: it.ID}); err != nil {
				return out, err
			}
		}
	}
	return out, nil
}

// Reply answers a question. The answer is stored before the character hears of it; a desk that starts again tells it anew, which changes nothing.
func (b *Inbox) Reply(ctx context.Context, who Who, id, text string) (Item, error) {
	if !who.May(RoleModerator) {
		return Item{}, fmt.Errorf("answer %s: %w", id, ErrForbidden)
	}
	text = strings.TrimSpace(text)
	switch n := utf8.RuneCountInString(text); {
	case n == 0:
		return Item{}, InvalidError{{Field: "text", Say: "invalid.required"}}
	case n > MaxAnswer:
		return Item{}, InvalidError{{Field: "text", Say: "invalid.long", Args: map[string]any{"Max": MaxAnswer}}}
	}
	it, err := b.Item(ctx, id)
	if err != nil {
		return Item{}, err
	}
	if it.Kind == ItemApproval {
		return it, fmt.Errorf("answer %s, an approval: %w", id, ErrState)
	}
	moved, err := b.store.MoveQuestion(ctx, id, ItemAnswered, who.Name, text, b.now())
	var decided *Decided
	if errors.As(err, &decided) && decided.Item.State == ItemAnswered && decided.Item.Answer == text && decided.Item.DecidedBy == who.Name {
		return decided.Item, nil
	}
	if err != nil {
		return it, fmt.Errorf("answer %s: %w", id, err)
	}
	if moved, err = dress(ctx, b.store, moved); err != nil {
		return moved, err
	}
	return moved, errors.Join(
		b.staff.tell(ctx, moved),
		record(ctx, b.store, AuditEntry{At: b.now(), By: who.Name, Action: AuditAnswer, Stream: it.Stream, Ref: id}))
}

// Severity says how soon somebody should look at an item: by what its tool could do.
func (it Item) Severity() Severity {
	switch {
	case it.Kind == ItemUnknown, it.Risk == "destructive":
		return High
	case it.Kind == ItemQuestion, it.Risk == "external":
		return Medium
	}
	return Low
}

// open reports that an item was allowed and has not come to an end.
func (it Item) open() bool {
	return it.State == ItemAllowed && (it.Outcome == OutcomeWaiting || it.Outcome == OutcomeRunning)
}

func (s Severity) rank() int {
	switch s {
	case Low:
		return 1
	case Medium:
		return 2
	case High:
		return 3
	}
	return 0
}

// dress adds the character's reason to an approval, and finds the comment an action is about. A ref names a place in the stream, and what stands in a place never changes, so what the
// operator sees here is what the action meets.
func dress(ctx context.Context, store commentStore, it Item) (Item, error) {
	if it.Kind != ItemApproval {
		return it, nil
	}
	var args proposal
	if json.Unmarshal(it.Arguments, &args) != nil {
		return it, nil //nolint:nilerr // arguments of another shape give no reason and name no comment
	}
	it.Reason = first(args.Reason, it.Reason)
	if args.Comment == "" {
		return it, nil
	}
	found, err := resolve(ctx, store, it.Stream, args.Comment)
	switch {
	case errors.Is(err, ErrNotFound):
		return it, nil
	case err != nil:
		return it, fmt.Errorf("item %s: %w", it.ID, err)
	}
	it.Target = &found
	if len(it.Evidence) == 0 {
		it.Evidence = []string{found.Comment.ID}
	}
	return it, nil
}
