package agent

import (
	"encoding/json"
	"time"
)

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

// When says when an input is taken.
type When string

// Whens. The zero value waits for the next turn.
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
	Allow bool
	By    string
	Note  string
}
