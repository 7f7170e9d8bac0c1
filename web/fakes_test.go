package web_test

import (
	"context"
	"fmt"
	"iter"
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

// broken is the error a test planted for a method.
func (w *world) broken(method string) error { return w.fail[method] }

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

type board struct{ *world }

func (b board) State(ctx context.Context, stream string) (ops.BoardState, error) {
	v, err := staff{b.world}.Stream(ctx, stream)
	if err != nil {
		return ops.BoardState{}, err
	}
	seq, _ := b.Last(ctx, stream)
	chat, _ := b.Chat(ctx, stream, ops.Range{Newest: true, Limit: 120})
	cards, _ := b.Cards(ctx, stream, ops.Page{Limit: 50})
	pending, _ := inbox{b.world}.Items(ctx, ops.ItemQuery{Stream: stream, Page: ops.Page{Limit: 50}})
	return ops.BoardState{Stream: v, Seq: seq, Chat: chat, Cards: cards, Pending: pending}, nil
}

func (b board) Pulse(context.Context, string) (ops.Pulse, error) {
	return ops.Pulse{}, b.broken("Pulse")
}

func (b board) Activity(context.Context, string, int) ([]ops.ActivityLine, error) {
	return []ops.ActivityLine{{At: at, Kind: agent.TurnCompleted, Turn: "t1", Stop: "done"}}, nil
}

func (b board) Card(_ context.Context, id string) (ops.Card, error) {
	defer b.lock()()
	c, ok := b.cards[id]
	if !ok {
		return c, fmt.Errorf("card %s: %w", id, ops.ErrNotFound)
	}
	return c, nil
}

func (b board) Cards(_ context.Context, stream string, p ops.Page) ([]ops.Card, error) {
	defer b.lock()()
	var out []ops.Card
	for _, c := range b.cards {
		if c.Stream == stream && c.ID > p.After {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(x, y ops.Card) int { return compare(x.ID, y.ID) })
	return out[:min(len(out), p.Limit)], nil
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func (b board) MoveCard(_ context.Context, who ops.Who, id string, to ops.CardState, note string) (ops.Card, error) {
	defer b.lock()()
	c, ok := b.cards[id]
	switch {
	case !who.May(ops.RoleModerator):
		return c, ops.ErrForbidden
	case !ok:
		return c, ops.ErrNotFound
	}
	c.State, c.Note, c.By = to, note, who.Name
	b.cards[id] = c
	b.changed(c.Stream, ops.ChangeCard, id)
	return c, nil
}

func (b board) Chat(_ context.Context, stream string, r ops.Range) ([]ops.Stored, error) {
	defer b.lock()()
	var out []ops.Stored
	for _, s := range b.chat[stream] {
		if s.Seq <= r.After || r.Before > 0 && s.Seq >= r.Before || len(r.IDs) > 0 && !slices.Contains(r.IDs, s.Comment.ID) ||
			r.From != nil && s.Comment.Offset < *r.From || r.To != nil && s.Comment.Offset > *r.To {
			continue
		}
		out = append(out, s)
	}
	if r.Newest {
		slices.Reverse(out)
	}
	return out[:min(len(out), r.Limit)], nil
}

func (b board) Since(_ context.Context, stream string, after int64, limit int) ([]ops.Change, error) {
	defer b.lock()()
	all := b.changes[stream]
	if after >= int64(len(all)) {
		return nil, nil
	}
	return slices.Clone(all[after:min(int(after)+limit, len(all))]), b.broken("Since")
}

func (b board) Last(_ context.Context, stream string) (int64, error) {
	defer b.lock()()
	return int64(len(b.changes[stream])), nil
}

func (b board) Listen(ctx context.Context, topic string) <-chan struct{} {
	defer b.lock()()
	bell := make(chan struct{}, 1)
	if b.bells[topic] == nil {
		b.bells[topic] = map[chan struct{}]bool{}
	}
	b.bells[topic][bell] = true
	context.AfterFunc(ctx, func() {
		defer b.lock()()
		delete(b.bells[topic], bell)
	})
	return bell
}

func (b board) Events(_ context.Context, session string, from agent.Seq) iter.Seq2[agent.Event, error] {
	b.mu.Lock()
	all := slices.Clone(b.events[session])
	b.mu.Unlock()
	return func(yield func(agent.Event, error) bool) {
		for _, e := range all {
			if e.Seq > from && !yield(e, nil) {
				return
			}
		}
	}
}

func (b board) Sessions(_ context.Context, stream string) ([]ops.SessionRow, error) {
	return []ops.SessionRow{{ID: "ses-1", Stream: stream, Character: "nagi", Version: 1, CreatedAt: at}}, nil
}

type reports struct{ *world }

func (r reports) Report(_ context.Context, id string) (ops.Report, ops.ReportData, error) {
	for _, one := range r.reports {
		if one.ID == id {
			return one, r.data, nil
		}
	}
	return ops.Report{}, ops.ReportData{}, fmt.Errorf("report %s: %w", id, ops.ErrNotFound)
}

func (r reports) List(context.Context, ops.Page) ([]ops.Report, error) { return r.reports, nil }

func (r reports) Of(ctx context.Context, stream string) (ops.Report, ops.ReportData, error) {
	for _, one := range r.reports {
		if one.Stream == stream {
			return one, r.data, nil
		}
	}
	return ops.Report{}, ops.ReportData{}, ops.ErrNotFound
}

type characters struct{ *world }

func (c characters) List(context.Context) ([]ops.Character, error) {
	defer c.lock()()
	var out []ops.Character
	for _, versions := range c.characters {
		out = append(out, versions[len(versions)-1])
	}
	return out, nil
}

func (c characters) Get(_ context.Context, id string) (ops.Character, error) {
	defer c.lock()()
	versions := c.characters[id]
	if len(versions) == 0 {
		return ops.Character{}, fmt.Errorf("character %s: %w", id, ops.ErrNotFound)
	}
	return versions[len(versions)-1], nil
}

func (c characters) Versions(_ context.Context, id string) ([]ops.Character, error) {
	defer c.lock()()
	out := slices.Clone(c.characters[id])
	slices.Reverse(out)
	return out, nil
}

func (c characters) Save(_ context.Context, who ops.Who, ch ops.Character) (ops.Character, error) {
	defer c.lock()()
	if !who.May(ops.RoleOperator) {
		return ch, ops.ErrForbidden
	}
	if ch.Name == "" {
		return ch, ops.InvalidError{{Field: "name", Say: "web.field.choice"}}
	}
	if ch.ID == "" {
		ch.ID = "new"
	}
	versions := c.characters[ch.ID]
	if ch.Version != len(versions) {
		return ch, &ops.Stale{Current: versions[len(versions)-1]}
	}
	ch.Version++
	ch.UpdatedAt, ch.UpdatedBy = at, who.Name
	c.characters[ch.ID] = append(versions, ch)
	return ch, nil
}

func (c characters) Choices() []ops.MindChoice {
	return []ops.MindChoice{{ID: "rules", Name: "rules (offline)", Ready: true}, {ID: "openai", Name: "OpenAI-compatible", Why: "web.field.choice"}}
}

type operators struct{ *world }

func (o operators) who(id string) ops.Who {
	a := o.accounts[id]
	return ops.Who{ID: a.ID, Name: a.Name, Role: a.Role}
}

func (o operators) Who(_ context.Context, session string) (ops.Who, error) {
	defer o.lock()()
	id, ok := o.sessions[session]
	if !ok {
		return ops.Who{}, ops.ErrNotFound
	}
	return o.who(id), o.broken("Who")
}

func (o operators) enter(id string) (ops.Who, string, error) {
	token := fmt.Sprint("session-", id, "-", len(o.sessions))
	o.sessions[token] = id
	return o.who(id), token, nil
}

func (o operators) TakeLink(_ context.Context, token string) (ops.Who, string, error) {
	defer o.lock()()
	id, ok := o.links[token]
	if !ok {
		return ops.Who{}, "", ops.ErrForbidden
	}
	delete(o.links, token)
	return o.enter(id)
}

func (o operators) Login(_ context.Context, name, password string) (ops.Who, string, error) {
	defer o.lock()()
	for _, a := range o.accounts {
		if a.Name == name && a.password == password {
			return o.enter(a.ID)
		}
	}
	return ops.Who{}, "", ops.ErrForbidden
}

func (o operators) Logout(_ context.Context, session string) error {
	defer o.lock()()
	delete(o.sessions, session)
	return nil
}

func (o operators) List(context.Context) ([]ops.OperatorAccount, error) {
	defer o.lock()()
	var out []ops.OperatorAccount
	for _, a := range o.accounts {
		out = append(out, a.OperatorAccount)
	}
	return out, nil
}

func (o operators) Add(_ context.Context, _ ops.Who, name string, role ops.OperatorRole) (ops.OperatorAccount, error) {
	defer o.lock()()
	for _, a := range o.accounts {
		if a.Name == name {
			return ops.OperatorAccount{}, ops.ErrTaken
		}
	}
	if name == "" {
		return ops.OperatorAccount{}, ops.InvalidError{{Field: "name", Say: "web.field.choice"}}
	}
	a := &account{OperatorAccount: ops.OperatorAccount{ID: "op-" + name, Name: name, Role: role}}
	o.accounts[a.ID] = a
	return a.OperatorAccount, nil
}

func (o operators) Reset(_ context.Context, name string) (string, error) {
	defer o.lock()()
	for _, a := range o.accounts {
		if a.Name == name {
			token := fmt.Sprint("link-", len(o.links))
			o.links[token] = a.ID
			return token, nil
		}
	}
	return "", ops.ErrNotFound
}

func (o operators) SetPassword(_ context.Context, _ ops.Who, id, password string) error {
	defer o.lock()()
	if len(password) < 10 {
		return ops.InvalidError{{Field: "password", Say: "web.field.long", Args: map[string]any{"Max": 10}}}
	}
	o.accounts[id].password = password
	return nil
}

type audits struct{ *world }

func (a audits) List(context.Context, string, ops.Page) ([]ops.AuditEntry, error) {
	defer a.lock()()
	return slices.Clone(a.audit), nil
}
