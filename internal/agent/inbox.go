package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// accept makes an input durable and gives its id. One whose id is known is not stored again.
func (l *loop) accept(ctx context.Context, in Input) (string, error) {
	if l.closing != nil || !l.halt.IsZero() {
		return "", ErrClosed
	}
	if err := in.check(); err != nil {
		return "", err
	}
	if _, err := json.Marshal(in); err != nil {
		return "", fmt.Errorf("input is not JSON: %w", err)
	}
	if in.ID == "" {
		in.ID = l.s.agent.cfg.NewID("input")
	}
	if _, known := l.st.seen[in.ID]; known {
		return in.ID, nil
	}
	var events []Event
	if old, there := l.merged(in.Merge); there {
		events = append(events, l.event(InputDropped, "", ClosedBody{Reason: "merged into " + in.ID, Input: old}))
	} else if len(l.st.queue) >= l.limits().Queue {
		return "", ErrQueueFull
	}
	return in.ID, l.append(ctx, append(events, l.event(InputQueued, "", InputBody{Input: in}))...)
}

// merged finds the waiting input of a slot. One that the running step has already told the model stays.
func (l *loop) merged(slot string) (id string, there bool) {
	if slot == "" {
		return "", false
	}
	for _, in := range l.st.queue {
		if in.Merge == slot && !l.model.took(in.ID) {
			return in.ID, true
		}
	}
	return "", false
}

// await answers when the turn that takes the input has ended.
func (l *loop) await(id string, reply chan<- answered[TurnReport]) {
	turn := l.st.seen[id]
	running := l.st.turn != nil && l.st.turn.id == turn
	switch {
	case turn == "" || running:
		l.runners[id] = append(l.runners[id], reply)
	case l.st.last.Turn == turn:
		reply <- answered[TurnReport]{value: l.st.last}
	default:
		reply <- answered[TurnReport]{err: fmt.Errorf("input %s was taken by %s, which ended long ago: %w", id, turn, ErrNotFound)}
	}
}

// resolve answers an approval. Its event moves the row by compare-and-set; what the answer brings about comes after it.
func (l *loop) resolve(ctx context.Context, id string, d Decision) (Approval, error) {
	a, ok := l.st.approvals[id]
	if !ok {
		return Approval{}, fmt.Errorf("approval %s: %w", id, ErrNotFound)
	}
	if a.State == Pending && !l.now().Before(a.Deadline) {
		l.expire(ctx, []Approval{a})
		a = l.st.approvals[id]
	}
	if a.State != Pending {
		if d.Allow && a.State == Allowed || !d.Allow && a.State == Denied {
			return a, nil
		}
		return a, &DecidedError{Approval: a}
	}
	if d.Digest != "" && d.Digest != a.Digest {
		return a, fmt.Errorf("approval %s is about other arguments than those that were shown", id)
	}
	call := l.st.owner(id)
	if call == nil || l.ending != nil && l.st.holds(call) || l.closing != nil || !l.halt.IsZero() {
		return a, fmt.Errorf("approval %s: its turn is ending: %w", id, ErrClosed)
	}
	a.By, a.Note, a.Decided = d.By, strings.TrimSpace(d.Note), l.now()
	a.State = Denied
	if d.Allow {
		a.State = Allowed
	}
	if err := l.append(ctx, l.settleApproval(ApprovalResolved, a)...); err != nil {
		return a, err
	}
	return a, nil
}

// settleApproval is an approval's end and, unless it was allowed, the end of its call.
func (l *loop) settleApproval(kind EventKind, a Approval) []Event {
	events := []Event{l.event(kind, a.Turn, ApprovalBody{Approval: a})}
	call := l.st.owner(a.ID)
	if a.State == Allowed || call == nil {
		return events
	}
	code, message := sayOutcome(a)
	fault := &ErrorBody{Code: code, Message: message}
	events = append(events, l.event(ToolSkipped, a.Turn, CallDoneBody{
		Call: a.Call, Tool: a.Tool, Error: fault, Result: sayError(code, message, nil),
	}))
	if call.Detached && l.closing == nil {
		events = append(events, l.late(call, toolResult{Outcome: string(a.State), By: a.By, Note: a.Note, Why: a.Why}))
	}
	return events
}

// late tells the model, in whatever turn comes next, what became of a detached call.
func (l *loop) late(call *callState, r toolResult) Event {
	r.Call, r.Tool, r.Approval = call.Call, call.Tool, call.approval
	return l.event(InputQueued, "", InputBody{Input: Input{
		ID: "result_" + call.Key, When: NextStep,
		Context: []Message{{Role: RoleContext, Kind: "tool-result", Data: json.RawMessage(compact(r))}},
	}})
}

func (l *loop) expire(ctx context.Context, lapsed []Approval) {
	var events []Event
	for _, a := range lapsed {
		a.State, a.Decided = Expired, l.now()
		events = append(events, l.settleApproval(ApprovalExpired, a)...)
	}
	l.must(ctx, events...)
}

func (l *loop) cancelled(a Approval, why string) []Event {
	a.State, a.Why, a.Decided = Cancelled, orElse(why, "withdrawn"), l.now()
	return l.settleApproval(ApprovalResolved, a)
}

func (l *loop) cancelAll(ctx context.Context, why string) error {
	var events []Event
	for _, a := range l.st.open() {
		events = append(events, l.cancelled(a, why)...)
	}
	if len(events) == 0 {
		return nil
	}
	return l.append(ctx, events...)
}
