package ops

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"sync"
	"time"

	"urakata/internal/agent"
)

// PurposeOperations is the purpose of a desk's session.
const PurposeOperations = JobOperations

// lookInstruction is what the host says with each briefing. The facts come beside it, never in it.
const lookInstruction = `Look at the observations and tell the operator what matters now. Answer with one JSON object {"cards":[…]} and nothing else; ` +
	`{"cards":[]} when nothing is worth a person's look. "observed" states only what the observations show, with numbers; "suggested" says what somebody ` +
	`might do. "evidence" lists ids of comments in the observations. What openCards names already is known: raise it again only when it changed.`

// lookHistory is how many messages a character is reminded of, about twenty looks. What it raised before stands in every briefing anyway.
const lookHistory = 60

// inputs of a desk: their ids say what they are about, so sending one again changes nothing.
const (
	inputLook   = "observations/"
	inputAnswer = "answer/"
	inputReport = "report/1"
)

// begin reads the stream, its character and what was done already, and opens the session.
func (d *desk) begin(ctx context.Context) error {
	store := d.staff.cfg.Store
	d.rung = store.Listen(ctx, "stream/"+d.stream) // listen, then look
	var err error
	if d.row, err = store.Stream(ctx, d.stream); err != nil {
		return fmt.Errorf("desk of %s: %w", d.stream, err)
	}
	if d.who, err = store.Character(ctx, d.row.Character); err != nil {
		return fmt.Errorf("desk of %s: character %s: %w", d.stream, d.row.Character, err)
	}
	if err := d.hire(ctx); err != nil {
		return err
	}
	if err := d.warm(ctx); err != nil {
		return err
	}
	if d.row.State == StreamLive && d.place > d.sent {
		return d.brief(ctx, d.place, false)
	}
	return nil
}

// hire gives the character a mind and opens its session, new or from its log.
func (d *desk) hire(ctx context.Context) error {
	cfg := d.staff.cfg
	id, err := d.sessionID(ctx)
	if err != nil {
		return err
	}
	if d.cursor, err = cfg.Store.Cursor(ctx, id); err != nil {
		return fmt.Errorf("desk of %s: %w", d.stream, err)
	}
	d.cursor.Session = id
	backend, policy := d.think(ctx)
	d.mind = &watched{Backend: backend}
	if err := d.recall(ctx, agent.SessionID(id)); err != nil {
		return err
	}
	box := toolbox{stream: d.stream, store: cfg.Store, actor: cfg.Actor, meters: cfg.Meters}
	d.agent, err = agent.New(agent.Config{
		ID: d.who.ID, Brief: d.who.Brief, Backend: d.mind, Tools: box.tools(d.who), Policy: policy, Store: cfg.Log, Limits: agent.Limits{History: lookHistory}, Log: cfg.Logger, Now: cfg.Now, NewID: cfg.NewID,
	})
	if err != nil {
		return fmt.Errorf("desk of %s: %w", d.stream, err)
	}
	session, err := d.agent.Open(ctx, agent.SessionConfig{
		ID: agent.SessionID(id), Purpose: PurposeOperations, Audience: agent.Operator, Trust: agent.Untrusted, Tools: visible(d.who),
		Language: first(d.row.Language, d.who.Language), Output: CardSchema(), Validate: d.mind.validate,
	})
	if err != nil {
		return fmt.Errorf("desk of %s: session %s: %w", d.stream, id, err)
	}
	d.mu.Lock()
	d.session, d.backend, d.character = session, backend.Name(), d.who.ID
	close(d.changed)
	d.changed = make(chan struct{})
	d.mu.Unlock()
	return nil
}

// think finds the character's mind and what it may do. Somebody who is stopped, or whose mind cannot be had, thinks and may do nothing; what a
// person has allowed before is still carried out.
func (d *desk) think(ctx context.Context) (agent.Backend, agent.Lists) {
	d.absent = true
	if d.who.Paused {
		return noMind{}, agent.Lists{}
	}
	backend, err := d.staff.cfg.Minds.Mind(ctx, d.who)
	if err != nil {
		d.staff.cfg.Logger.WarnContext(ctx, "no mind", "stream", d.stream, "character", d.who.ID, "err", err)
		return noMind{}, policyOf(d.who)
	}
	d.absent = false
	return backend, policyOf(d.who)
}

// sessionID finds the session that works this stream, or names a new one before it exists.
func (d *desk) sessionID(ctx context.Context) (string, error) {
	cfg := d.staff.cfg
	have, err := cfg.Store.SessionsOf(ctx, d.stream)
	if err != nil {
		return "", fmt.Errorf("desk of %s: %w", d.stream, err)
	}
	for _, s := range have {
		if s.Purpose == PurposeOperations {
			return s.ID, nil
		}
	}
	row := SessionRow{ID: cfg.NewID("ses"), Stream: d.stream, Character: d.who.ID, Version: d.who.Version, Purpose: PurposeOperations, CreatedAt: cfg.Now()}
	if err := cfg.Store.SaveSession(ctx, row); err != nil {
		return "", fmt.Errorf("desk of %s: %w", d.stream, err)
	}
	return row.ID, nil
}

// recall reads from the log which briefings were sent and taken, and what was in view when an answer stands there that nobody judged yet.
func (d *desk) recall(ctx context.Context, id agent.SessionID) error {
	view := map[string]bool{}
	for e, err := range d.staff.cfg.Log.Read(ctx, id, 0) {
		if err != nil {
			return fmt.Errorf("log of %s: %w", id, err)
		}
		d.took(e)
		var body agent.InputBody
		if e.Kind != agent.InputQueued || json.Unmarshal(e.Body, &body) != nil {
			continue
		}
		d.sent = max(d.sent, placeOf(body.Input.ID))
		for ref := range refsInView(body.Input.Context) {
			view[ref] = true
		}
	}
	d.mind.view = view
	return nil
}

// took notes which briefing a turn has taken. What a turn that failed was told is told again by the next look.
func (d *desk) took(e agent.Event) {
	var inputs []string
	switch e.Kind {
	case agent.TurnStarted:
		var body agent.TurnStartedBody
		if json.Unmarshal(e.Body, &body) == nil {
			inputs = body.Inputs
		}
	case agent.StepCompleted:
		var body agent.StepBody
		if json.Unmarshal(e.Body, &body) == nil {
			inputs = body.Inputs
		}
	}
	for _, id := range inputs {
		d.taking = max(d.taking, placeOf(id))
	}
	switch e.Kind {
	case agent.TurnCompleted:
		d.taken, d.taking = max(d.taken, d.taking), 0
	case agent.TurnFailed, agent.TurnInterrupted:
		d.taking = 0
	}
}

// placeOf reads the place from a briefing's id, 0 from any other.
func placeOf(input string) int64 {
	rest, ok := strings.CutPrefix(input, inputLook)
	if !ok {
		return 0
	}
	digits, _, _ := strings.Cut(rest, "/")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// leave stops the session where it is; pending approvals stay open. It may outlive ctx for a moment, and its caller waits.
func (d *desk) leave(ctx context.Context) {
	d.mu.Lock()
	d.session = nil
	d.mu.Unlock()
	if d.agent == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTime)
	defer cancel()
	if err := d.agent.Close(ctx); err != nil {
		d.staff.cfg.Logger.WarnContext(ctx, "close agent", "stream", d.stream, "err", err)
	}
	d.agent = nil
}

// brief hands the session one look at the chat up to a place. A look that waits is replaced by a newer one, which looks back as far.
func (d *desk) brief(ctx context.Context, upTo int64, ended bool) error {
	d.pace.look(d.now)
	d.quiet.Stop()
	d.mu.Lock()
	d.waiting = time.Time{}
	d.mu.Unlock()
	if d.absent || d.who.Paused || (upTo <= d.sent && !ended) {
		return nil
	}
	if err := d.follow(ctx); err != nil {
		return err
	}
	open, err := d.openCards(ctx)
	if err != nil {
		return err
	}
	raised, err := d.raisedItems(ctx)
	if err != nil {
		return err
	}
	told := max(d.taken, d.taking)
	b := Observe(Look{Stream: d.row, Recent: d.memory.until(upTo, told), Taken: told, Open: open, Raised: raised, Viewers: d.viewers.meet, Ended: ended})
	id := inputLook + strconv.FormatInt(upTo, 10)
	if ended {
		id += "/ended"
	}
	if err := d.hand(ctx, agent.Input{ID: id, Instruction: lookInstruction, When: agent.NextStep, Merge: "observations"}, kindObservations, b); err != nil {
		return err
	}
	d.sent = upTo
	d.staff.cfg.Meters.briefing()
	if d.staff.cfg.Lockstep {
		return d.idle(ctx, turnTime)
	}
	return nil
}

// hand sends an input with one piece of context.
func (d *desk) hand(ctx context.Context, in agent.Input, kind string, facts any) error {
	data, err := json.Marshal(facts)
	if err != nil {
		return fmt.Errorf("input %s of %s: %w", in.ID, d.stream, err)
	}
	in.Context = []agent.Message{{Role: agent.RoleContext, Kind: kind, Data: data}}
	err = d.session.Send(ctx, in)
	if errors.Is(err, agent.ErrQueueFull) {
		d.staff.cfg.Logger.WarnContext(ctx, "queue full", "stream", d.stream)
		return nil
	}
	if err != nil {
		return fmt.Errorf("input %s of %s: %w", in.ID, d.stream, err)
	}
	return nil
}

// idle waits until the session has nothing left to do but wait for people, at most for a time, and follows its log.
func (d *desk) idle(ctx context.Context, most time.Duration) error {
	waiting, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	err := d.session.Wait(waiting)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		d.staff.cfg.Logger.WarnContext(ctx, "the session is still at work", "stream", d.stream, "err", err)
	}
	return d.follow(ctx)
}

// noMind stands in for a mind that cannot be had, so that approvals can still be answered and a report be made.
type noMind struct{}

func (noMind) Name() string { return "none" }
func (noMind) Capabilities() agent.Capabilities {
	return agent.Capabilities{Text: true, Tools: true, Offline: true}
}
func (noMind) Stream(context.Context, *agent.Request) iter.Seq2[agent.Delta, error] {
	return func(yield func(agent.Delta, error) bool) {
		yield(agent.Delta{}, &agent.BackendError{Backend: "none", Code: "auth", Say: "this character has no mind that is ready"})
	}
}

// answerInput is an operator's answer as the character gets it.
func answerInput(it Item) (agent.Input, error) {
	data, err := json.Marshal(struct {
		Question string `json:"question"`
		Kind     string `json:"kind"`
		Asked    string `json:"asked,omitempty"`
		Tool     string `json:"tool,omitempty"`
		Answer   string `json:"answer"`
		By       string `json:"by"`
	}{it.ID, string(it.Kind), it.Question, it.Tool, it.Answer, it.DecidedBy})
	if err != nil {
		return agent.Input{}, fmt.Errorf("answer %s: %w", it.ID, err)
	}
	return agent.Input{ID: inputAnswer + it.ID, When: agent.NextStep, Context: []agent.Message{{Role: agent.RoleContext, Kind: "operator-answer", Data: data}}}, nil
}

// tellAnswers hands every answer of this stream to the session again. Those it has heard of change nothing.
func (d *desk) tellAnswers(ctx context.Context) error {
	items, err := d.staff.cfg.Store.Items(ctx, ItemQuery{Stream: d.stream, Done: true, Page: Page{Limit: 500}})
	if err != nil {
		return fmt.Errorf("desk of %s: %w", d.stream, err)
	}
	for _, it := range items {
		if it.Kind == ItemApproval || it.State != ItemAnswered {
			continue
		}
		in, err := answerInput(it)
		if err != nil {
			return err
		}
		if err := d.session.Send(ctx, in); err != nil && !errors.Is(err, agent.ErrQueueFull) {
			return fmt.Errorf("desk of %s: %w", d.stream, err)
		}
	}
	return nil
}

// kindObservations is the kind of the context message that carries a Briefing.
const kindObservations = "observations"

// watched is a character's mind, and remembers which comments the last request showed it. What is in view is read from the request itself:
// whatever was queued, merged, forgotten or recovered from a log, a card may rest only on what really was sent.
type watched struct {
	agent.Backend

	mu   sync.Mutex // guards the rest
	view map[string]bool
}

// Stream looks at the request on its way.
func (w *watched) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Delta, error] {
	view := refsInView(req.Messages)
	w.mu.Lock()
	w.view = view
	w.mu.Unlock()
	return w.Backend.Stream(ctx, req)
}

func (w *watched) inView() map[string]bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.view
}

// refsInView collects the refs of every briefing that a request holds: what the character has been shown and still has before it. A viewer's third
// insult may be told of beside the first two.
func refsInView(messages []agent.Message) map[string]bool {
	view := map[string]bool{}
	for _, m := range messages {
		if m.Role != agent.RoleContext || m.Kind != kindObservations {
			continue
		}
		var b Briefing
		if json.Unmarshal(m.Data, &b) != nil {
			continue // not one of ours; nothing in it can be evidence
		}
		for _, ref := range b.Refs() {
			view[ref] = true
		}
	}
	return view
}

// validate is the session's validator.
func (w *watched) validate(_ context.Context, text string) ([]agent.Artifact, []string, error) {
	cards, issues := ParseCards(text, w.inView())
	if len(issues) > 0 {
		return nil, issues, nil
	}
	out, err := artifacts(cards)
	return out, nil, err
}
