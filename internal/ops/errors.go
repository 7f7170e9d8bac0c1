package ops

import (
	"errors"
	"strings"
	"time"
)

// What callers decide on.
var (
	ErrNotFound  = errors.New("not found")
	ErrState     = errors.New("not possible in this state")
	ErrForbidden = errors.New("not allowed")
	ErrTaken     = errors.New("already taken")

	ErrContradiction = errors.New("the same item was answered in two ways") // in one bulk answer: none of them was carried out
)

// Invalid is one field that a person must mend. Say is a catalogue key; Args fill it.
type Invalid struct {
	Field string
	Say   string
	Args  map[string]any
}

// InvalidError is every field that is wrong, together.
type InvalidError []Invalid

func (e InvalidError) Error() string {
	names := make([]string, len(e))
	for i, f := range e {
		names[i] = f.Field + ": " + f.Say
	}
	return "invalid: " + strings.Join(names, "; ")
}

// Decided tells who answered first.
type Decided struct{ Item Item }

func (e *Decided) Error() string { return "item " + e.Item.ID + " is " + string(e.Item.State) }

// Stale tells that a newer version stands.
type Stale struct{ Current Character }

func (e *Stale) Error() string { return "a newer version stands" }

// Busy tells that a desk cannot take more right now.
type Busy struct{ RetryAfter time.Duration }

func (e *Busy) Error() string { return "busy, try again in " + e.RetryAfter.String() }
