package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Effect says what running a call twice would do. The zero value is once.
type Effect string

// Effects. An interrupted pure call is run again, a keyed one is run again with the same key, a once call becomes a question.
const (
	Once  Effect = ""
	Keyed Effect = "keyed"
	Pure  Effect = "pure"
)

// Spec is what the runtime knows of a tool. Only ID, Name, Description and Parameters cross to a backend.
type Spec struct {
	ID          string // logical, stable: "chat.delete"
	Name        string // what the model calls it, [A-Za-z0-9_-]{1,64}; empty: made from ID
	Description string
	Parameters  json.RawMessage // JSON Schema subset; the object is closed
	Risk        Risk
	Effect      Effect
	Timeout     time.Duration // 0: 30 s
	Approval    time.Duration // how long an approval of it may wait; 0: the session's limit
	Sensitive   []string      // dot paths, reaching into arrays
	Detached    bool          // the turn does not wait for its approval: the model is told it waits, the result comes later as context of kind "tool-result"
	Exclusive   bool          // never beside another call of the step
}

// Call is one frozen call as its handler gets it.
type Call struct {
	ID        string
	Key       string // idempotency key: the same for every run of this call, also after a restart
	Tool      string
	Agent     string
	Session   SessionID
	Turn      string
	Arguments json.RawMessage // validated, frozen: exactly what was approved
	Approval  *Approval       // the allowed approval, if it needed one
}

// Result is what a tool gave. Output goes to the model as JSON.
type Result struct {
	Output    json.RawMessage
	Artifacts []Artifact // Type, Version, Title, Data are the tool's; the runtime fills the rest
	Final     bool       // ends the turn after this step
}

// Tool is something a character can do. Run honours ctx and treats Call.Key as an idempotency key. A *ToolError goes to the model as it is; any
// other error is told as "failed" without its words.
type Tool interface {
	Spec() Spec
	Run(ctx context.Context, call *Call) (Result, error)
}

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

// A registered is a tool that has passed the checks of New.
type registered struct {
	Spec
	tool   Tool
	schema *schema
}

// toolbox holds tools by id and by name. It does not change after New.
type toolbox struct {
	byID   map[string]*registered
	byName map[string]*registered
	order  []string
}

// newToolbox checks tools and gives every fault of every one.
func newToolbox(tools []Tool) (*toolbox, []string) {
	box := &toolbox{byID: map[string]*registered{}, byName: map[string]*registered{}}
	var issues []string
	for i, t := range tools {
		if t == nil {
			issues = append(issues, fmt.Sprintf("tool %d is nil", i))
			continue
		}
		r, faults := register(t)
		if box.byID[r.ID] != nil {
			faults = append(faults, "another tool has this id")
		}
		if box.byName[r.Name] != nil {
			faults = append(faults, fmt.Sprintf("another tool has the name %q", r.Name))
		}
		for _, f := range faults {
			issues = append(issues, fmt.Sprintf("tool %q: %s", r.ID, f))
		}
		box.add(r)
	}
	return box, issues
}

func (b *toolbox) add(r *registered) {
	b.byID[r.ID], b.byName[r.Name] = r, r
	b.order = append(b.order, r.ID)
}

func register(t Tool) (*registered, []string) {
	r := &registered{Spec: t.Spec(), tool: t}
	var faults []string
	if strings.TrimSpace(r.ID) == "" {
		faults = append(faults, "an id is required")
	}
	if r.Name == "" {
		r.Name = plainName(r.ID)
	}
	if !toolName().MatchString(r.Name) {
		faults = append(faults, fmt.Sprintf("name %q is not 1 to 64 of A-Z a-z 0-9 _ -", r.Name))
	}
	if r.Effect != Once && r.Effect != Keyed && r.Effect != Pure {
		faults = append(faults, fmt.Sprintf("effect %q is not one of \"\", keyed, pure", r.Effect))
	}
	if r.Risk < Destructive || r.Risk > Read {
		faults = append(faults, fmt.Sprintf("risk %d is not one of ours", r.Risk))
	}
	if r.Timeout < 0 || r.Approval < 0 {
		faults = append(faults, "a negative time limit")
	}
	if r.Timeout == 0 {
		r.Timeout = 30 * time.Second
	}
	if len(r.Parameters) == 0 {
		r.Parameters = json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)
	}
	r.Parameters = append(json.RawMessage(nil), r.Parameters...) // ours, whatever the caller does with his
	if wrong := subset(r.Parameters); len(wrong) > 0 {
		for _, w := range wrong {
			faults = append(faults, "parameters: "+w)
		}
		return r, faults
	}
	var err error
	if r.schema, err = newSchema(r.Parameters); err != nil {
		faults = append(faults, "parameters: "+err.Error())
	}
	return r, faults
}

func toolName() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`) }

// plainName makes of any text a name that every model interface accepts.
func plainName(s string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, s)
	return name[:min(len(name), 64)]
}

func (b *toolbox) has(id string) bool { return b.byID[id] != nil }

// find looks a call's tool up by id, then by name.
func (b *toolbox) find(tool string) *registered {
	if r := b.byID[tool]; r != nil {
		return r
	}
	return b.byName[tool]
}

// only gives a box with the tools named, in that order.
func (b *toolbox) only(ids []string) (*toolbox, []string) {
	some := &toolbox{byID: map[string]*registered{}, byName: map[string]*registered{}}
	var issues []string
	for _, id := range ids {
		switch r := b.byID[id]; {
		case r == nil:
			issues = append(issues, fmt.Sprintf("tool %q is not registered", id))
		case some.has(id):
			issues = append(issues, fmt.Sprintf("tool %q stands twice", id))
		default:
			some.add(r)
		}
	}
	return some, issues
}

// defs is what crosses to a backend: no risk, no handler, no limits.
func (b *toolbox) defs() []ToolDef {
	defs := make([]ToolDef, 0, len(b.order))
	for _, id := range b.order {
		r := b.byID[id]
		defs = append(defs, ToolDef{ID: r.ID, Name: r.Name, Description: r.Description, Parameters: r.Parameters})
	}
	return defs
}
