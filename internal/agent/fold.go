package agent

import (
	"encoding/json"
	"fmt"
	"slices"
)

// apply folds one event. It is the only function that changes a state.
func (st *state) apply(e Event) error {
	if e.Seq != st.seq+1 {
		return fmt.Errorf("event %d follows event %d", e.Seq, st.seq)
	}
	if st.turn != nil && (e.Kind == SessionResumed || st.awaiting()) {
		st.turn.paused += e.At.Sub(st.at)
	}
	if err := st.fold(e); err != nil {
		return fmt.Errorf("event %d %s: %w", e.Seq, e.Kind, err)
	}
	st.seq, st.at = e.Seq, e.At
	return nil
}

func (st *state) fold(e Event) error {
	switch e.Kind {
	case SessionStarted:
		st.started = true
		return nil
	case SessionResumed:
		st.rerun()
		return nil
	case SessionClosed:
		st.closed = true
		return nil
	case InputQueued:
		return with(e, st.queued)
	case InputDropped:
		return with(e, st.dropped)
	case TurnStarted:
		return with(e, func(b TurnStartedBody) { st.begin(e, b) })
	case TurnCompleted, TurnInterrupted, TurnFailed:
		return with(e, func(b EndBody) { st.end(e, b) })
	case ApprovalRequested, ApprovalResolved, ApprovalExpired:
		return with(e, func(b ApprovalBody) { st.approval(e.Kind, b.Approval) })
	case ToolRequested:
		return with(e, func(b CallBody) { st.requested(e.Turn, b) })
	case ToolStarted:
		return with(e, func(b CallDoneBody) {
			if c := st.call(e.Turn, b.Call); c != nil {
				c.phase = phaseStarted
			}
		})
	case ToolCompleted, ToolFailed, ToolSkipped, ToolUnknown:
		return with(e, func(b CallDoneBody) { st.done(e, b) })
	default:
		if st.turn == nil {
			return nil
		}
		return st.within(e)
	}
}

// within folds what only a running turn knows.
func (st *state) within(e Event) error {
	switch e.Kind {
	case StepCompleted:
		return with(e, st.step)
	case MessageCompleted:
		return with(e, func(b MessageBody) { st.turn.text = b.Text })
	case OutputRejected:
		return with(e, st.reject)
	case ArtifactCreated:
		return with(e, func(b ArtifactBody) {
			if b.Artifact.Turn == st.turn.id {
				st.turn.artifacts = append(st.turn.artifacts, b.Artifact)
			}
		})
	default:
		return nil // a kind that this version does not fold
	}
}

func with[B any](e Event, do func(B)) error {
	var b B
	if err := json.Unmarshal(e.Body, &b); err != nil {
		return err
	}
	do(b)
	return nil
}

func (st *state) rerun() {
	for _, c := range st.calls {
		if c.phase == phaseStarted && c.Effect != Once {
			c.phase = phaseReady
		}
	}
}

func (st *state) queued(b InputBody) {
	st.seen[b.Input.ID] = ""
	st.queue = append(st.queue, b.Input)
}

func (st *state) dropped(b ClosedBody) {
	st.queue = slices.DeleteFunc(st.queue, func(in Input) bool { return in.ID == b.Input })
	st.seen[b.Input] = inputDropped
}

func (st *state) begin(e Event, b TurnStartedBody) {
	st.trim()
	st.turn = &turnState{
		id: e.Turn, at: e.At, start: len(st.history),
		slots: map[string]int{}, ids: map[string]bool{}, same: map[string]int{},
	}
	st.marks = append(st.marks, st.turn.start)
	st.turns++
	st.take(b.Inputs, e.Turn)
}

func (st *state) step(b StepBody) {
	t := st.turn
	st.take(b.Inputs, t.id)
	t.usage = t.usage.plus(b.Usage, t.steps == 0)
	st.usage = st.usage.plus(b.Usage, st.turns == 1 && t.steps == 0)
	t.steps++
	if b.Message.Text == "" && len(b.Message.Calls) == 0 {
		return
	}
	st.history = append(st.history, b.Message)
	for _, c := range b.Message.Calls {
		t.calls++
		t.ids[c.ID] = true
		t.same[sameness(c)]++
		t.slots[c.ID] = len(st.history)
		st.history = append(st.history, Message{Role: RoleTool, Call: c.ID, Tool: c.Tool})
	}
}

// tell fills the place in the history that belongs to a call's result, once.
func (st *state) tell(turn, call, result string, failed bool) {
	if st.turn == nil || st.turn.id != turn {
		return
	}
	at, open := st.turn.slots[call]
	if !open {
		return
	}
	st.history[at].Text, st.history[at].Failed = result, failed
	delete(st.turn.slots, call)
}

func (st *state) requested(turn string, b CallBody) {
	c := &callState{CallBody: b, turn: turn}
	if b.Verdict == Allow {
		c.phase = phaseReady
	}
	st.calls = append(st.calls, c)
}

func (st *state) done(e Event, b CallDoneBody) {
	late := st.call(e.Turn, b.Call)
	st.calls = slices.DeleteFunc(st.calls, func(c *callState) bool { return c.Call == b.Call && c.turn == e.Turn })
	st.tell(e.Turn, b.Call, b.Result, e.Kind != ToolCompleted)
	if st.turn == nil || st.turn.id != e.Turn || late != nil && late.Detached {
		return
	}
	st.turn.final = st.turn.final || b.Final
	if e.Kind == ToolCompleted {
		st.turn.ran = append(st.turn.ran, b.Tool)
	}
}

func (st *state) approval(kind EventKind, a Approval) {
	st.approvals[a.ID] = a
	if kind == ApprovalRequested {
		st.pending = append(st.pending, a.ID)
		c := st.call(a.Turn, a.Call)
		if c == nil {
			return
		}
		c.approval = a.ID
		if c.Detached {
			st.tell(a.Turn, a.Call, sayWaits(a), false)
		}
		return
	}
	st.pending = slices.DeleteFunc(st.pending, func(id string) bool { return id == a.ID })
	if c := st.owner(a.ID); c != nil && a.State == Allowed {
		c.phase = phaseReady
	}
}

func (st *state) reject(b RejectedBody) {
	t := st.turn
	t.rejected++
	if n := len(st.history); n > t.start && st.history[n-1].Role == RoleAssistant {
		t.scrap = append(t.scrap, n-1)
	}
	t.scrap = append(t.scrap, len(st.history))
	st.history = append(st.history, Message{Role: RoleInstruction, Kind: "repair", Text: sayRepair(b.Issues)})
}

// end closes the turn: every call gets a result, what was refused leaves the history, and what a backend could not take does not stay in it.
func (st *state) end(e Event, b EndBody) {
	t := st.turn
	if t == nil {
		return
	}
	for call, at := range t.slots {
		st.history[at].Text, st.history[at].Failed = sayError("aborted", "the turn ended before this call was run", nil), true
		delete(t.slots, call)
	}
	if len(t.scrap) > 0 {
		kept := slices.Clone(st.history[:t.start])
		for i := t.start; i < len(st.history); i++ {
			if !slices.Contains(t.scrap, i) {
				kept = append(kept, st.history[i])
			}
		}
		st.history = kept
	}
	if e.Kind == TurnFailed && b.Error != nil && poisons(b.Error.Code) {
		st.history = append(slices.Clone(st.history[:t.start]), sayFailedTurn(b.Error.Code, t.ran))
	}
	st.last = TurnReport{Turn: t.id, Ended: e.Kind, End: b, Text: t.text, Artifacts: t.artifacts}
	st.turn = nil
}

// poisons names the failures that the same history would bring about again.
func poisons(code string) bool {
	return slices.Contains([]string{"context-overflow", "refused", "protocol", "invalid-request"}, code)
}

// plus adds two counts. A sum of which one part is unknown is unknown.
func (u Usage) plus(o Usage, first bool) Usage {
	return Usage{
		Known: o.Known && (first || u.Known),
		Input: u.Input + o.Input, Output: u.Output + o.Output, Total: u.Total + o.Total,
	}
}
