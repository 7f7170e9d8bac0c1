package agent

import "encoding/json"

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
