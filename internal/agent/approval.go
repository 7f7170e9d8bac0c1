package agent

import (
	"encoding/json"
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
