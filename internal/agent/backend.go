package agent

import (
	"context"
	"encoding/json"
	"iter"
)

// Backend is one mind: a model behind an HTTP call, a CLI agent, or the rules.
type Backend interface {
	Name() string // what a person is told: "rules", "openai gpt-…"
	Capabilities() Capabilities
	// Stream answers one step. It yields deltas and ends with one Delta whose Stop is set; an error ends the stream. It honours ctx.
	Stream(ctx context.Context, req *Request) iter.Seq2[Delta, error]
}

// Capabilities says what a backend can do.
type Capabilities struct {
	Text, Streaming, Tools, Interruption, SessionResume, Approvals bool
	Offline                                                        bool // needs no network and no key
}

// Request is one step's question: what a backend may know. It never holds viewer text in a privileged session.
type Request struct {
	Agent, Turn string
	Session     SessionID
	Step        int
	Purpose     string
	Audience    Audience
	Trust       Trust
	System      string // the brief, one system text
	Messages    []Message
	Tools       []ToolDef
	Output      json.RawMessage // JSON Schema of the final message, nil for free text
	Language    string          // the language the character writes in, BCP 47
}

// ToolDef is a tool as a backend sees it.
type ToolDef struct {
	ID          string          `json:"id"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// StopReason says why a step ended. Empty while it goes on.
type StopReason string

// Stop reasons.
const (
	StopEnd    StopReason = "end"
	StopCalls  StopReason = "tool-calls"
	StopLength StopReason = "length"
	StopFilter StopReason = "filter"
)

// Delta is a piece of an answer. A Call arrives whole, in order, with its Tool already the logical id when the backend could tell, else the name the model used.
type Delta struct {
	Text      string
	Reasoning string
	Call      *ToolCall
	Usage     *Usage
	Model     string
	Stop      StopReason
}

// Audience says who a session speaks to; the zero value is treated as public.
type Audience string

// Audiences.
const (
	Public   Audience = "public"
	Private  Audience = "private"
	Operator Audience = "operator"
	Owner    Audience = "owner"
)

// Trust says whether what comes in may be believed; the zero value is untrusted.
type Trust string

// Trusts.
const (
	Untrusted Trust = "untrusted"
	Trusted   Trust = "trusted"
)

// Role says what a message is. Host words, facts and conversation never share a message.
type Role string

// Roles of messages.
const (
	RoleInstruction Role = "instruction" // host words
	RoleContext     Role = "context"     // facts from the host, as JSON in Data
	RoleInput       Role = "input"       // conversation, to be treated as data
	RoleAssistant   Role = "assistant"
	RoleTool        Role = "tool"
)

// Message is one entry of a session's history, as a backend gets it.
type Message struct {
	Role   Role            `json:"role"`
	Kind   string          `json:"kind,omitempty"` // context: what the data is, e.g. "observations"
	Text   string          `json:"text,omitempty"`
	Data   json.RawMessage `json:"data,omitempty"`
	Calls  []ToolCall      `json:"calls,omitempty"`  // assistant
	Call   string          `json:"callId,omitempty"` // tool: the call this answers
	Tool   string          `json:"toolId,omitempty"`
	Failed bool            `json:"failed,omitempty"`
}

// ToolCall is a call as a model asked for it. Arguments may be anything the model wrote, valid JSON or not.
type ToolCall struct {
	ID        string `json:"id"`
	Tool      string `json:"tool"`
	Arguments string `json:"arguments"`
}
