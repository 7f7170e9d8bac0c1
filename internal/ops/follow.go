package ops

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"time"

	"urakata/internal/agent"
)

// follow reads what the session's log has grown by and makes rows of it. The cursor moves with each row, so that nothing is made twice.
func (d *desk) follow(ctx context.Context) error {
	store, from := d.staff.cfg.Store, d.cursor.Seq
	for e, err := range d.staff.cfg.Log.Read(ctx, agent.SessionID(d.cursor.Session), agent.Seq(d.cursor.Seq)) {
		if err != nil {
			return fmt.Errorf("log of %s: %w", d.cursor.Session, err)
		}
		at := Cursor{Session: d.cursor.Session, Seq: int64(e.Seq)}
		if err := d.note(ctx, e, at); err != nil {
			return fmt.Errorf("event %d of %s: %w", e.Seq, d.cursor.Session, err)
		}
		d.cursor = at
	}
	if d.cursor.Seq == from {
		return nil
	}
	if err := store.MoveCursor(ctx, d.cursor); err != nil {
		return fmt.Errorf("cursor of %s: %w", d.cursor.Session, err)
	}
	return nil
}

// note makes of one event what the desk makes of it. Approvals are projected by the store where they are appended.
func (d *desk) note(ctx context.Context, e agent.Event, at Cursor) error {
	switch e.Kind {
	case agent.TurnStarted, agent.StepCompleted:
		d.took(e)
	case agent.ArtifactCreated:
		var body agent.ArtifactBody
		if err := json.Unmarshal(e.Body, &body); err != nil {
			return fmt.Errorf("artifact: %w", err)
		}
		switch body.Artifact.Type {
		case ArtifactCard:
			return d.saveCard(ctx, body.Artifact, e, at)
		case ArtifactQuestion:
			return d.saveQuestion(ctx, body.Artifact, e, at)
		}
	case agent.ToolUnknown:
		return d.saveUnknown(ctx, e, at)
	case agent.OutputRejected:
		d.staff.cfg.Logger.WarnContext(ctx, "answer rejected", "stream", d.stream, "session", e.Session, "turn", e.Turn)
	case agent.TurnCompleted, agent.TurnInterrupted, agent.TurnFailed:
		d.took(e)
		return d.noteEnd(ctx, e, at)
	}
	return nil
}

func (d *desk) noteEnd(ctx context.Context, e agent.Event, at Cursor) error {
	var body agent.EndBody
	if err := json.Unmarshal(e.Body, &body); err != nil {
		return fmt.Errorf("end of turn: %w", err)
	}
	d.staff.cfg.Meters.turn(string(e.Kind), time.Duration(body.MS)*time.Millisecond, body.Usage.Total)
	if e.Kind == agent.TurnFailed {
		d.staff.cfg.Logger.WarnContext(ctx, "turn failed", "stream", d.stream, "session", e.Session, "turn", e.Turn, "stop", body.Stop)
		return d.saveFailure(ctx, body, e, at)
	}
	return nil
}

// saveFailure is the host's own card: a character that cannot go on must not look like a quiet stream.
func (d *desk) saveFailure(ctx context.Context, end agent.EndBody, e agent.Event, at Cursor) error {
	cfg, words := d.staff.cfg, d.staff.cfg.Catalogue.Printer(d.row.Language)
	why := "desk.failed.other"
	if key := "desk.failed." + end.Stop; words.Has(key) {
		why = key
	}
	_, err := cfg.Store.SaveCard(ctx, Card{
		ID: cfg.NewID("card"), Stream: d.stream, Incident: "staff/" + end.Stop, Kind: Information, Severity: Medium,
		Observed:  words.Text("desk.failed", "Name", d.who.Name, "Why", words.Text(why), "Calls", end.Calls, "Tokens", end.Usage.Total),
		Suggested: words.Text("desk.failed.do"), Offset: cfg.Now().Sub(d.row.StartedAt), Character: d.who.ID, Session: at.Session, Turn: e.Turn,
		State: CardOpen, At: cfg.Now(), UpdatedAt: cfg.Now(),
	}, at)
	return err
}

// saveCard makes a card of an artifact: the host names its incident and turns refs into the platforms' ids.
func (d *desk) saveCard(ctx context.Context, a agent.Artifact, e agent.Event, at Cursor) error {
	var draft CardDraft
	if err := json.Unmarshal(a.Data, &draft); err != nil {
		return fmt.Errorf("card: %w", err)
	}
	evidence, err := d.lookUp(ctx, draft.Evidence)
	if err != nil {
		return err
	}
	cfg := d.staff.cfg
	c := Card{
		ID: cfg.NewID("card"), Stream: d.stream, Incident: incident(draft.Kind, evidence, d.viewers.meet), Kind: draft.Kind, Severity: draft.Severity,
		Observed: draft.Observed, Suggested: draft.Suggested, Character: d.who.ID, Session: at.Session, Turn: e.Turn, State: CardOpen, At: cfg.Now(), UpdatedAt: cfg.Now(),
	}
	for i, s := range evidence {
		c.Evidence = append(c.Evidence, s.Comment.ID)
		if i == 0 || s.Comment.Offset > c.Offset {
			c.Offset = s.Comment.Offset
		}
	}
	saved, err := cfg.Store.SaveCard(ctx, c, at)
	if err != nil {
		return err
	}
	cfg.Meters.card(saved.Kind, saved.ID == c.ID)
	return nil
}

// lookUp finds the comments of refs, oldest first. The validator has seen that they exist.
func (d *desk) lookUp(ctx context.Context, refs []string) ([]Stored, error) {
	out := make([]Stored, 0, len(refs))
	for _, ref := range refs {
		if s, ok := d.memory.find(ref); ok {
			out = append(out, s)
			continue
		}
		s, err := resolve(ctx, d.staff.cfg.Store, d.stream, ref)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b Stored) int { return cmp.Compare(a.Seq, b.Seq) })
	return out, nil
}

func (m *memory) find(ref string) (Stored, bool) {
	n, ok := place(ref)
	if !ok {
		return Stored{}, false
	}
	i := sort.Search(len(m.recent), func(i int) bool { return m.recent[i].Seq >= n })
	if i == len(m.recent) || m.recent[i].Seq != n {
		return Stored{}, false
	}
	return m.recent[i], true
}

// saveQuestion makes an inbox item of what operator.ask handed in.
func (d *desk) saveQuestion(ctx context.Context, a agent.Artifact, e agent.Event, at Cursor) error {
	var q question
	if err := json.Unmarshal(a.Data, &q); err != nil {
		return fmt.Errorf("question: %w", err)
	}
	return d.ask(ctx, Item{ID: q.ID, Kind: ItemQuestion, Tool: ToolAsk, Risk: "draft", Question: q.Question, Choices: q.Choices, Evidence: q.Evidence, At: e.At}, at)
}

// saveUnknown asks a person whether a call happened that was started and not finished when the program stopped. What it asks is worded by the page.
func (d *desk) saveUnknown(ctx context.Context, e agent.Event, at Cursor) error {
	var body agent.CallDoneBody
	if err := json.Unmarshal(e.Body, &body); err != nil {
		return fmt.Errorf("unknown call: %w", err)
	}
	return d.ask(ctx, Item{ID: idOf("unk", at.Session+"/"+body.Call), Kind: ItemUnknown, Tool: body.Tool, Risk: "destructive", At: e.At}, at)
}

func (d *desk) ask(ctx context.Context, it Item, at Cursor) error {
	it.Stream, it.Session, it.Character, it.State, it.Rehearsed = d.stream, at.Session, d.who.ID, ItemPending, d.row.Rehearsal
	if err := d.staff.cfg.Store.AskQuestion(ctx, it, at); err != nil && !errors.Is(err, ErrTaken) {
		return err
	}
	return nil
}
