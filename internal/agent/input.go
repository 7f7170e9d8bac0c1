package agent

import (
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
