package agent

import "time"

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
	ID        SessionID
	Seq       Seq
	Activity  Activity
	Turn      string
	Since     time.Time // when Activity began
	Queue     int
	Pending   []Approval
	Turns     int
	Usage     Usage
	LastEnd   *EndBody
	Backend   string
	Abandoned int // backends and handlers that ignored their cancellation
}
