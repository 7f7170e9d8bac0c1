package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// When says when an input is taken.
type When string

// Whens. The zero value waits for the next turn. AtYield is taken when a turn is over, as NextTurn is.
const (
	NextTurn When = ""
	NextStep When = "step"
	AtYield  When = "yield"
)

// Input is something handed to a session: host words, facts and conversation as separate parts.
type Input struct {
	ID           string    `json:"id"` // dedupe key; a second Send of one ID is a no-op. Empty: made by the session
	Instruction  string    `json:"instruction,omitempty"`
	Context      []Message `json:"context,omitempty"`      // RoleContext messages
	Conversation []Message `json:"conversation,omitempty"` // RoleInput messages
	When         When      `json:"when,omitempty"`
	Passive      bool      `json:"passive,omitempty"` // recorded, but starts and prolongs nothing
	Merge        string    `json:"merge,omitempty"`   // one pending slot per key: a newer input replaces the waiting one
}

// messages are the input's parts, each by itself: facts, conversation, then the host's words.
func (in Input) messages() []Message {
	all := make([]Message, 0, len(in.Context)+len(in.Conversation)+1)
	all = append(all, in.Context...)
	all = append(all, in.Conversation...)
	if in.Instruction != "" {
		all = append(all, Message{Role: RoleInstruction, Text: in.Instruction})
	}
	return all
}

// check refuses what is not an input and fills in the roles that were left out.
func (in *Input) check() error {
	if in.Instruction == "" && len(in.Context)+len(in.Conversation) == 0 {
		return errors.New("input has no instruction, no context and no conversation")
	}
	switch in.When {
	case NextTurn, NextStep, AtYield:
	default:
		return fmt.Errorf("input when %q is not one of \"\", step, yield", in.When)
	}
	var err error
	if in.Context, err = withRole(in.Context, RoleContext); err != nil {
		return err
	}
	in.Conversation, err = withRole(in.Conversation, RoleInput)
	return err
}

func withRole(all []Message, role Role) ([]Message, error) {
	same := make([]Message, len(all))
	for i, m := range all {
		if m.Role == "" {
			m.Role = role
		}
		if m.Role != role {
			return nil, fmt.Errorf("message %d of the input has role %q where only %q may stand", i, m.Role, role)
		}
		same[i] = m
	}
	return same, nil
}

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
	case turn == inputDropped:
		reply <- answered[TurnReport]{err: fmt.Errorf("input %s: %w", id, ErrDropped)}
	case turn == "" || running:
		l.runners[id] = append(l.runners[id], reply)
	case l.st.last.Turn == turn:
		reply <- answered[TurnReport]{value: l.st.last}
	default:
		reply <- answered[TurnReport]{err: fmt.Errorf("input %s was taken by %s, which ended long ago: %w", id, turn, ErrNotFound)}
	}
}
