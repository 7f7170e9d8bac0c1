package web_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"urakata/internal/agent"
	"urakata/internal/ops"
	"urakata/internal/ops/comment"
	"urakata/internal/ops/source"
)

// at is the moment the tests live in.
var at = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// world is what the services keep, in memory and with the rules that their contracts state.
type world struct {
	mu         sync.Mutex
	streams    []ops.Stream
	cards      map[string]ops.Card
	items      map[string]ops.Item
	chat       map[string][]ops.Stored
	characters map[string][]ops.Character // versions, oldest first
	reports    []ops.Report
	data       ops.ReportData
	accounts   map[string]*account
	links      map[string]string // token: operator id
	sessions   map[string]string // token: operator id
	audit      []ops.AuditEntry
	changes    map[string][]ops.Change
	bells      map[string]map[chan struct{}]bool
	events     map[string][]agent.Event
	ran        map[string]int // how often an allowed item was carried out
	fail       map[string]error
	made       []ops.NewStream
}

type account struct {
	ops.OperatorAccount
	password string
}

func newWorld() *world {
	w := &world{
		cards: map[string]ops.Card{}, items: map[string]ops.Item{}, chat: map[string][]ops.Stored{}, characters: map[string][]ops.Character{},
		accounts: map[string]*account{}, links: map[string]string{}, sessions: map[string]string{}, changes: map[string][]ops.Change{},
		bells: map[string]map[chan struct{}]bool{}, events: map[string][]agent.Event{}, ran: map[string]int{}, fail: map[string]error{},
	}
	for _, a := range []account{
		{ops.OperatorAccount{ID: "op-owner", Name: "Owner", Role: ops.RoleOwner}, "correct horse"},
		{ops.OperatorAccount{ID: "op-run", Name: "Runa", Role: ops.RoleOperator}, "battery staple"},
		{ops.OperatorAccount{ID: "op-mod", Name: "Momo", Role: ops.RoleModerator}, "tune the guitar"},
		{ops.OperatorAccount{ID: "op-view", Name: "Vivi", Role: ops.RoleViewer}, "look, do not touch"},
	} {
		w.accounts[a.ID] = &a
		w.sessions["session-"+a.ID] = a.ID
	}
	w.characters["nagi"] = []ops.Character{{
		ID: "nagi", Name: "Nagi", Job: ops.JobOperations, Brief: "Watch.", Language: "en", Backend: "rules", Art: "nagi", Version: 1, UpdatedAt: at,
		UpdatedBy: "Owner", Tools: map[string]ops.ToolRule{"chat.delete": {Permission: ops.PermitAsk}},
	}}
	w.streams = []ops.Stream{{
		ID: "s1", Title: "First stream", Topic: "guitars", Language: "en", State: ops.StreamLive, Character: "nagi", CreatedAt: at, StartedAt: at,
		Source: ops.SourceSpec{Kind: "push"}, Rehearsal: true,
	}}
	w.cards["card-1"] = ops.Card{
		ID: "card-1", Stream: "s1", Incident: "question-surge/q1", Kind: ops.QuestionSurge, Severity: ops.Medium, Observed: "Three ask the same.",
		Suggested: "Answer it.", Evidence: []string{"m1"}, Character: "nagi", State: ops.CardOpen, At: at, UpdatedAt: at,
	}
	w.items["item-1"] = ops.Item{
		ID: "item-1", Kind: ops.ItemApproval, Stream: "s1", Session: "ses-1", Character: "nagi", Tool: "chat.delete", Risk: "destructive",
		Arguments: []byte(`{"comment":"c1"}`), Reason: "It insults.", Evidence: []string{"m1"}, At: at, Deadline: at.Add(time.Minute), State: ops.ItemPending,
	}
	w.items["ask-1"] = ops.Item{
		ID: "ask-1", Kind: ops.ItemQuestion, Stream: "s1", Character: "nagi", Question: "May I end early?", Choices: []string{"Yes", "No"}, At: at,
		State: ops.ItemPending,
	}
	w.say("s1", "m1", "Hana", "Which guitar is that?")
	w.reports = []ops.Report{{ID: "rep-1", Stream: "s1", Version: 1, Title: "First report", Character: "nagi", At: at}}
	w.events["ses-1"] = []agent.Event{
		event("ses-1", 1, agent.SessionStarted, `{"purpose":"operations"}`),
		event("ses-1", 2, agent.ToolRequested, `{"callId":"k","toolId":"chat.delete","arguments":{"comment":"c1"},"frozen":{"secret":"FROZEN"},"digest":"d"}`),
		event("ses-1", 3, agent.ToolCompleted, `{"callId":"k","toolId":"chat.delete","result":"WHOLE RESULT"}`),
	}
	return w
}

func event(session string, seq agent.Seq, kind agent.EventKind, body string) agent.Event {
	return agent.Event{
		Seq: seq, ID: fmt.Sprint("e", seq), Kind: kind, At: at, Agent: "nagi", Session: agent.SessionID(session), Turn: "t1", Body: []byte(body),
	}
}

// say puts a comment into a stream's chat; the lock is not needed before the server runs.
func (w *world) say(stream, id, name, text string) {
	place := int64(len(w.chat[stream]) + 1)
	c := comment.Comment{
		ID: id, Platform: comment.Web, Text: text, At: at, Offset: time.Duration(place) * time.Second, Author: comment.Author{ID: "a-" + id, Name: name},
	}
	w.chat[stream] = append(w.chat[stream], ops.Stored{Seq: place, Comment: c, Analysis: comment.Analysis{ID: id, Action: comment.Allow, Risk: comment.RiskNone}})
	w.changed(stream, ops.ChangeComments, strconv.FormatInt(place, 10))
}

// changed records a change and rings; the caller holds the lock.
func (w *world) changed(stream string, kind ops.ChangeKind, ref string) {
	for _, to := range []string{stream, ""} {
		if to == "" && (kind == ops.ChangeComments || kind == ops.ChangeCard || kind == ops.ChangeSession) && stream != "" {
			continue
		}
		w.changes[to] = append(w.changes[to], ops.Change{Seq: int64(len(w.changes[to]) + 1), Stream: to, Kind: kind, Ref: ref, At: at})
		topic := "stream/" + to
		if to == "" {
			topic = "console"
		}
		w.ring(topic)
		if stream == "" {
			return
		}
	}
}

func (w *world) ring(topic string) {
	for bell := range w.bells[topic] {
		select {
		case bell <- struct{}{}:
		default:
		}
	}
}

func (w *world) lock() func() { w.mu.Lock(); return w.mu.Unlock }

// broken is the error a test planted for a method, or the panic.
func (w *world) broken(method string) error {
	if err, ok := w.fail[method].(panicking); ok {
		panic(err)
	}
	return w.fail[method]
}

type staff struct{ *world }

func (s staff) find(id string) (*ops.Stream, error) {
	for i := range s.streams {
		if s.streams[i].ID == id {
			return &s.streams[i], nil
		}
	}
	return nil, fmt.Errorf("stream %s: %w", id, ops.ErrNotFound)
}

func (s staff) view(st ops.Stream) ops.StreamView {
	st.Comments = int64(len(s.chat[st.ID]))
	return ops.StreamView{Stream: st, Health: source.Health{State: source.StateLive, Last: at}, Backend: "rules (offline)"}
}

func (s staff) Stream(_ context.Context, id string) (ops.StreamView, error) {
	defer s.lock()()
	if err := s.broken("Stream"); err != nil {
		return ops.StreamView{}, err
	}
	st, err := s.find(id)
	if err != nil {
		return ops.StreamView{}, err
	}
	return s.view(*st), nil
}

func (s staff) Streams(_ context.Context, p ops.Page) ([]ops.StreamView, error) {
	defer s.lock()()
	var out []ops.StreamView
	for _, st := range s.streams[:min(len(s.streams), p.Limit)] {
		out = append(out, s.view(st))
	}
	return out, s.broken("Streams")
}

func (s staff) Create(_ context.Context, who ops.Who, in ops.NewStream) (ops.Stream, error) {
	defer s.lock()()
	if !who.May(ops.RoleOperator) {
		return ops.Stream{}, ops.ErrForbidden
	}
	var wrong ops.InvalidError
	if in.Title == "" {
		wrong = append(wrong, ops.Invalid{Field: "title", Say: "web.field.choice"})
	}
	if in.Source.Kind != "push" && in.Source.Kind != "replay" {
		wrong = append(wrong, ops.Invalid{Field: "source.kind", Say: "web.field.kind"})
	}
	if wrong != nil {
		return ops.Stream{}, wrong
	}
	s.made = append(s.made, in)
	st := ops.Stream{ID: fmt.Sprint("s", len(s.streams)+1), Title: in.Title, State: ops.StreamReady, Source: in.Source, Character: in.Character, CreatedAt: at}
	s.streams = append(s.streams, st)
	s.changed(st.ID, ops.ChangeStream, st.ID)
	return st, nil
}

func (s staff) move(who ops.Who, id string, to ops.StreamState, from ...ops.StreamState) (ops.Stream, error) {
	defer s.lock()()
	if !who.May(ops.RoleOperator) {
		return ops.Stream{}, ops.ErrForbidden
	}
	st, err := s.find(id)
	if err != nil {
		return ops.Stream{}, err
	}
	if st.State != to && !slices.Contains(from, st.State) {
		return *st, fmt.Errorf("stream %s is %s: %w", id, st.State, ops.ErrState)
	}
	st.State = to
	s.changed(id, ops.ChangeStream, id)
	return *st, nil
}

func (s staff) Start(_ context.Context, who ops.Who, id string) (ops.Stream, error) {
	return s.move(who, id, ops.StreamLive, ops.StreamReady, ops.StreamPaused)
}

func (s staff) Pause(_ context.Context, who ops.Who, id string) (ops.Stream, error) {
	return s.move(who, id, ops.StreamPaused, ops.StreamLive)
}

func (s staff) End(_ context.Context, who ops.Who, id string) (ops.Stream, error) {
	return s.move(who, id, ops.StreamEnded, ops.StreamLive, ops.StreamPaused, ops.StreamEnding)
}

func (s staff) Offer(_ context.Context, id string, batch []comment.Comment) (ops.Added, error) {
	defer s.lock()()
	if err := s.broken("Offer"); err != nil {
		return ops.Added{}, err
	}
	if _, err := s.find(id); err != nil {
		return ops.Added{}, err
	}
	var added ops.Added
	for _, c := range batch {
		if slices.ContainsFunc(s.chat[id], func(o ops.Stored) bool { return o.Comment.ID == c.ID }) {
			added.Duplicates++
			continue
		}
		s.say(id, c.ID, c.Author.Name, c.Text)
		added.Fresh = append(added.Fresh, s.chat[id][len(s.chat[id])-1])
	}
	return added, nil
}

func (s staff) PauseCharacter(_ context.Context, who ops.Who, id string, paused bool) (ops.Character, error) {
	defer s.lock()()
	versions := s.characters[id]
	if len(versions) == 0 {
		return ops.Character{}, ops.ErrNotFound
	}
	versions[len(versions)-1].Paused = paused
	s.audit = append(s.audit, ops.AuditEntry{At: at, By: who.Name, Action: "character.pause", Ref: id})
	return versions[len(versions)-1], nil
}

type inbox struct{ *world }

func (b inbox) Items(_ context.Context, q ops.ItemQuery) ([]ops.Item, error) {
	defer b.lock()()
	var out []ops.Item
	for _, it := range b.items {
		if (it.State != ops.ItemPending) == q.Done && (q.Stream == "" || q.Stream == it.Stream) {
			out = append(out, it)
		}
	}
	slices.SortFunc(out, func(x, y ops.Item) int { return len(x.ID) - len(y.ID) })
	return out[:min(len(out), q.Page.Limit)], nil
}

func (b inbox) Item(_ context.Context, id string) (ops.Item, error) {
	defer b.lock()()
	it, ok := b.items[id]
	if !ok {
		return it, fmt.Errorf("item %s: %w", id, ops.ErrNotFound)
	}
	if place, err := strconv.Atoi(id[len("item-"):]); it.Kind == ops.ItemApproval && err == nil && place <= len(b.chat[it.Stream]) {
		target := b.chat[it.Stream][0]
		it.Target = &target
	}
	return it, nil
}

func (b inbox) Counts(context.Context) (ops.InboxCounts, error) {
	defer b.lock()()
	var c ops.InboxCounts
	for _, it := range b.items {
		if it.State == ops.ItemPending {
			c.Pending++
			c.Worst = ops.High
		}
	}
	return c, b.broken("Counts")
}

func (b inbox) Decide(_ context.Context, who ops.Who, id string, a ops.Answer) (ops.Item, error) {
	defer b.lock()()
	it, ok := b.items[id]
	switch {
	case !who.May(ops.RoleModerator):
		return it, ops.ErrForbidden
	case !ok:
		return it, fmt.Errorf("item %s: %w", id, ops.ErrNotFound)
	case it.Kind != ops.ItemApproval:
		return it, ops.ErrState
	case it.State == ops.ItemPending && !it.Deadline.IsZero() && it.Deadline.Before(at):
		it.State = ops.ItemExpired
		b.items[id] = it
	}
	if it.State != ops.ItemPending {
		if a.Allow && it.State == ops.ItemAllowed || !a.Allow && it.State == ops.ItemDenied {
			return it, nil
		}
		b.audit = append(b.audit, ops.AuditEntry{At: at, By: who.Name, Action: ops.AuditLate, Ref: id})
		return it, &ops.Decided{Item: it}
	}
	it.State, it.DecidedBy, it.DecidedAt, it.Note = ops.ItemDenied, who.Name, at, a.Note
	if a.Allow {
		it.State, it.Outcome = ops.ItemAllowed, ops.OutcomeDone
		b.ran[id]++
	}
	b.items[id] = it
	b.audit = append(b.audit, ops.AuditEntry{At: at, By: who.Name, Action: "inbox." + string(it.State), Ref: id})
	b.changed(it.Stream, ops.ChangeInbox, id)
	return it, nil
}

func (b inbox) DecideAll(ctx context.Context, who ops.Who, answers []ops.BulkAnswer) ([]ops.BulkResult, error) {
	said, two := map[string]bool{}, map[string]bool{}
	for _, a := range answers {
		if before, ok := said[a.ID]; ok && before != a.Allow {
			two[a.ID] = true
		}
		said[a.ID] = a.Allow
	}
	var out []ops.BulkResult
	for _, a := range answers {
		r := ops.BulkResult{ID: a.ID, Err: ops.ErrContradiction}
		if !two[a.ID] {
			r.Item, r.Err = b.Decide(ctx, who, a.ID, ops.Answer{Allow: a.Allow, Note: a.Note})
		}
		out = append(out, r)
	}
	return out, nil
}

func (b inbox) Reply(_ context.Context, who ops.Who, id, text string) (ops.Item, error) {
	defer b.lock()()
	it, ok := b.items[id]
	switch {
	case !ok:
		return it, ops.ErrNotFound
	case text == "":
		return it, ops.InvalidError{{Field: "text", Say: "web.field.choice"}}
	case it.State == ops.ItemAnswered && it.Answer == text:
		return it, nil
	case it.State != ops.ItemPending:
		return it, &ops.Decided{Item: it}
	}
	it.State, it.Answer, it.DecidedBy, it.DecidedAt = ops.ItemAnswered, text, who.Name, at
	b.items[id] = it
	b.changed(it.Stream, ops.ChangeInbox, id)
	return it, nil
}
