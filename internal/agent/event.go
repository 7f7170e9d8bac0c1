package agent

import (
	"context"
	"encoding/json"
	"iter"
	"time"
)

// SessionID names one session's log.
type SessionID string

// Seq is a place in a session's log. Stored events count from 1; 0 is an ephemeral event that was emitted and never stored.
type Seq int64

// EventKind names a fact. Kinds are a file format and a wire format: they are added to, never renamed.
type EventKind string

// Kinds of events. Those marked * are ephemeral.
const (
	SessionStarted    EventKind = "session.started"
	SessionResumed    EventKind = "session.resumed"
	SessionClosed     EventKind = "session.closed"
	InputQueued       EventKind = "input.queued"
	InputDropped      EventKind = "input.dropped"
	TurnStarted       EventKind = "turn.started"
	StepCompleted     EventKind = "step.completed"
	MessageDelta      EventKind = "message.delta" // *
	MessageCompleted  EventKind = "message.completed"
	ToolRequested     EventKind = "tool.requested"
	ToolStarted       EventKind = "tool.started"
	ToolProgress      EventKind = "tool.progress" // *
	ToolCompleted     EventKind = "tool.completed"
	ToolFailed        EventKind = "tool.failed"
	ToolSkipped       EventKind = "tool.skipped"
	ToolUnknown       EventKind = "tool.unknown"
	ApprovalRequested EventKind = "approval.requested"
	ApprovalResolved  EventKind = "approval.resolved"
	ApprovalExpired   EventKind = "approval.expired"
	ArtifactCreated   EventKind = "artifact.created"
	OutputRejected    EventKind = "output.rejected" // a validator refused the final message; Body says what was wrong, never the message
	TurnCompleted     EventKind = "turn.completed"
	TurnInterrupted   EventKind = "turn.interrupted"
	TurnFailed        EventKind = "turn.failed"
	SettingsChanged   EventKind = "settings.changed"
	StateSet          EventKind = "state.set"
	LogCompacted      EventKind = "log.compacted"
	LogCleared        EventKind = "log.cleared"
)

// Event is one fact of a session: what is stored, and what is emitted. Body is the JSON of the kind's body type (bodies.go).
type Event struct {
	Seq     Seq             `json:"seq,omitempty"`
	ID      string          `json:"id"`
	Kind    EventKind       `json:"type"`
	At      time.Time       `json:"timestamp"`
	Agent   string          `json:"agentId"`
	Session SessionID       `json:"sessionId"`
	Turn    string          `json:"turnId,omitempty"`
	Body    json.RawMessage `json:"body,omitempty"`
}

// Bodies of events, by kind. Fields are added, never renamed.
type (
	// StartedBody of session.started and session.resumed.
	StartedBody struct {
		Purpose  string   `json:"purpose"`
		Audience Audience `json:"audience"`
		Trust    Trust    `json:"trust"`
		Tools    []string `json:"tools"`
		Backend  string   `json:"backend"`
	}
	// ClosedBody of session.closed, input.dropped.
	ClosedBody struct {
		Reason string `json:"reason"`
		Input  string `json:"input,omitempty"`
	}
	// InputBody of input.queued.
	InputBody struct {
		Input Input `json:"input"`
	}
	// TurnStartedBody names the inputs a turn took.
	TurnStartedBody struct {
		Inputs []string `json:"inputs"`
	}
	// StepBody of step.completed: what one model call said and cost. Message holds the assistant's words and calls for the history.
	StepBody struct {
		Step      int      `json:"step"`
		Message   Message  `json:"message"`
		Usage     Usage    `json:"usage"`
		Backend   string   `json:"backend"`
		Model     string   `json:"model,omitempty"`
		Inputs    []string `json:"inputs,omitempty"` // NextStep inputs this step took
		LatencyMS int64    `json:"latencyMs"`
	}
	// MessageBody of message.delta and message.completed.
	MessageBody struct {
		Text    string `json:"text"`
		Restart bool   `json:"restart,omitempty"` // delta: the backend is asked again; forget the text so far
	}
	// CallBody of tool.requested. Arguments is the redacted copy; Frozen (what runs) is stored beside it and never shown.
	CallBody struct {
		Call      string          `json:"callId"`
		Tool      string          `json:"toolId"`
		Step      int             `json:"step"`
		Arguments json.RawMessage `json:"arguments"`
		Frozen    json.RawMessage `json:"frozen,omitempty"`
		Digest    string          `json:"digest"`
		Key       string          `json:"key"` // idempotency key
		Detached  bool            `json:"detached,omitempty"`
		Exclusive bool            `json:"exclusive,omitempty"`
		Effect    Effect          `json:"effect"`
		Verdict   VerdictAction   `json:"verdict"` // of the policy
	}
	// CallDoneBody of tool.started (Call, Tool only), tool.completed, tool.failed, tool.skipped, tool.unknown.
	CallDoneBody struct {
		Call   string          `json:"callId"`
		Tool   string          `json:"toolId"`
		Output json.RawMessage `json:"output,omitempty"` // redacted
		Error  *ErrorBody      `json:"error,omitempty"`
		Result string          `json:"result,omitempty"` // what the model is told, in full
		Final  bool            `json:"final,omitempty"`  // the turn ends after this step
	}
	// ErrorBody is an error as it may leave the process.
	ErrorBody struct {
		Code    string         `json:"code"`
		Message string         `json:"message"`
		Details map[string]any `json:"details,omitempty"`
	}
	// ApprovalBody of approval.requested, approval.resolved and approval.expired: the approval after the fact.
	ApprovalBody struct {
		Approval Approval `json:"approval"`
	}
	// ArtifactBody of artifact.created.
	ArtifactBody struct {
		Artifact Artifact `json:"artifact"`
	}
	// RejectedBody of output.rejected.
	RejectedBody struct {
		Attempt int      `json:"attempt"`
		Issues  []string `json:"issues"`
	}
	// EndBody of turn.completed, turn.interrupted and turn.failed. Stop says why the turn ended, in one word or code.
	EndBody struct {
		Stop  string     `json:"stop"`
		Error *ErrorBody `json:"error,omitempty"`
		Usage Usage      `json:"usage"`
		Steps int        `json:"steps"`
		Calls int        `json:"calls"`
		MS    int64      `json:"ms"`
	}
)

// Usage counts tokens. Known is false when the backend did not say; unknown is not zero.
type Usage struct {
	Known  bool `json:"known"`
	Input  int  `json:"inputTokens"`
	Output int  `json:"outputTokens"`
	Total  int  `json:"totalTokens"`
}

// Artifact is a typed, versioned, validated result of a turn.
type Artifact struct {
	ID      string          `json:"id"`
	Type    string          `json:"type"`
	Version int             `json:"version"`
	Title   string          `json:"title,omitempty"`
	Data    json.RawMessage `json:"data"`
	At      time.Time       `json:"createdAt"`
	Agent   string          `json:"agentId"`
	Session SessionID       `json:"sessionId"`
	Turn    string          `json:"turnId"`
}

// Store keeps logs. Both methods are safe for many goroutines.
type Store interface {
	// Append stores events after the place named, all or none, and returns the last event's place. ErrConflict when the log has moved on. The
	// store sets Seq. An approval.requested is kept as a pending row in the same transaction; approval.resolved and approval.expired move
	// that row by compare-and-set, and ErrDecided refuses the whole append when it is not pending any more.
	Append(ctx context.Context, id SessionID, after Seq, events ...Event) (Seq, error)
	// Read yields stored events after from, in order.
	Read(ctx context.Context, id SessionID, from Seq) iter.Seq2[Event, error]
}
