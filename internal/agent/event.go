package agent

import (
	"encoding/json"
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
