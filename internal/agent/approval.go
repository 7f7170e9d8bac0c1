package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// ApprovalState is where an approval stands. Only pending can move.
//
//	pending ──allow──▶ allowed      pending ──deadline──▶ expired
//	pending ──deny───▶ denied       pending ──close─────▶ cancelled (Reason says why: "stream ended", "character stopped", …)
type ApprovalState string

// States of approvals.
const (
	Pending   ApprovalState = "pending"
	Allowed   ApprovalState = "allowed"
	Denied    ApprovalState = "denied"
	Expired   ApprovalState = "expired"
	Cancelled ApprovalState = "cancelled"
)

// Approval is a question to a person about one frozen call.
type Approval struct {
	ID        string          `json:"id"`
	Agent     string          `json:"agentId"`
	Session   SessionID       `json:"sessionId"`
	Turn      string          `json:"turnId"`
	Call      string          `json:"callId"`
	Tool      string          `json:"toolId"`
	Risk      Risk            `json:"risk"`
	Arguments json.RawMessage `json:"arguments"` // redacted
	Digest    string          `json:"digest"`    // of the frozen bytes; the answer binds to it
	Reason    string          `json:"reason"`
	At        time.Time       `json:"at"`
	Deadline  time.Time       `json:"deadline"`
	State     ApprovalState   `json:"state"`
	By        string          `json:"by,omitempty"` // who decided
	Note      string          `json:"note,omitempty"`
	Why       string          `json:"why,omitempty"` // cancelled: the cause
	Decided   time.Time       `json:"decidedAt,omitzero"`
}

// Decision is a person's answer to an approval. The zero value denies.
type Decision struct {
	Allow  bool
	By     string
	Note   string
	Digest string // what the person saw; when set it must be the approval's
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
