package agent

import (
	"context"
	"encoding/json"
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
