package agent

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"
)

// Config is one character at work. ID, Brief, Backend, Store are required; no Policy denies every tool.
type Config struct {
	ID      string
	Brief   string
	Backend Backend
	Tools   []Tool
	Policy  Policy
	Store   Store
	Limits  Limits
	Log     *slog.Logger
	Now     func() time.Time
	NewID   func(prefix string) string
}

// Limits bound a turn. Zero fields take the defaults: 20 steps, 8 calls, 10 min, 5 min, 256 inputs, 1 repair, 4 identical calls.
type Limits struct {
	Steps     int
	Calls     int
	Approval  time.Duration
	Turn      time.Duration
	Queue     int
	Repairs   int
	Identical int // the same tool with the same arguments this often in one turn ends it with stop "stuck"
	History   int // messages kept for the model; older turns leave whole (0: 200)
}

// Validator judges a turn's final message and turns it into artifacts. Issues are told to the model in one bounded repair step; after that the
// turn ends with stop "rejected" and output.rejected events say why. Nothing the model streamed is emitted when a session has a validator.
type Validator func(ctx context.Context, text string) (artifacts []Artifact, issues []string, err error)

// SessionConfig opens a session. Purpose is required. Tools are those it may see; none by default.
type SessionConfig struct {
	ID       SessionID
	Purpose  string
	Audience Audience
	Trust    Trust
	Tools    []string
	Language string
	Output   json.RawMessage // JSON Schema for the final message
	Validate Validator
}

// The surface that callers use (implemented by Agent and Session):
//
//	New(Config) (*Agent, error)
//	(*Agent) Open(ctx, SessionConfig) (*Session, error)   // new, or recovered from its log
//	(*Agent) Close(ctx) error                              // sessions stop; pending approvals stay open
//	(*Session) Send(ctx, Input) error                      // durable when it returns
//	(*Session) Run(ctx, Input) (TurnReport, error)         // Send, and wait for the turn that took it
//	(*Session) Resolve(ctx, approvalID, Decision) (Approval, error)
//	(*Session) Cancel(ctx, why string) error               // cancels every pending approval with the cause, e.g. "stream ended"
//	(*Session) Interrupt(ctx, why string) error
//	(*Session) Wait(ctx) error                             // until nothing is left to do but await
//	(*Session) Events(ctx, from Seq) iter.Seq2[Event, error] // stored, then live, deltas included; ends with ctx
//	(*Session) Snapshot() Snapshot
//	(*Session) Close(ctx, why string) error                // appends session.closed

// TurnReport is how a turn ended.
type TurnReport struct {
	Turn      string
	Ended     EventKind
	End       EndBody
	Text      string
	Artifacts []Artifact
}

// Activity says what a session is doing, for a screen.
type Activity string

// Activities.
const (
	Idle     Activity = "idle"
	Thinking Activity = "thinking"
	Acting   Activity = "acting"
	Awaiting Activity = "awaiting"
	Stopped  Activity = "stopped"
)

// Snapshot is a session at a moment.
type Snapshot struct {
	ID       SessionID
	Seq      Seq
	Activity Activity
	Turn     string
	Since    time.Time // when Activity began
	Queue    int
	Pending  []Approval
	Turns    int
	Usage    Usage
	LastEnd  *EndBody
	Backend  string
}
