package agent

import (
	"fmt"
	"slices"
)

// Risk orders what a tool can do. The zero value is the worst. In JSON it is a word.
type Risk int

// Risks, worst first in the zero value's favour; compare with AtLeast.
const (
	Destructive Risk = iota
	External
	Write
	Draft
	Read
)

// riskWords stand in the order of the constants.
func riskWords() []string { return []string{"destructive", "external", "write", "draft", "read"} }

// AtLeast says whether r is as bad as o or worse. What is not a risk of ours is as bad as the worst.
func (r Risk) AtLeast(o Risk) bool { return r.known() <= o.known() }

func (r Risk) known() Risk {
	if r < Destructive || r > Read {
		return Destructive
	}
	return r
}

// String is the word for a risk.
func (r Risk) String() string { return riskWords()[r.known()] }

// MarshalText writes the word.
func (r Risk) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads the word.
func (r *Risk) UnmarshalText(text []byte) error {
	at := slices.Index(riskWords(), string(text))
	if at < 0 {
		return fmt.Errorf("risk %q is not one of read, draft, write, external, destructive", text)
	}
	*r = Risk(at)
	return nil
}
