package agent

import (
	"errors"
	"strings"
)

// What callers decide on.
var (
	ErrConflict  = errors.New("the log has moved on")           // another writer appended; this one stops for good
	ErrDecided   = errors.New("somebody already answered this") // see DecidedError
	ErrExpired   = errors.New("the approval has expired")
	ErrNotFound  = errors.New("not found")
	ErrBusy      = errors.New("a turn is running")
	ErrOpen      = errors.New("the session is open already")
	ErrClosed    = errors.New("the session is closed")
	ErrQueueFull = errors.New("the input queue is full")
	ErrDropped   = errors.New("the input was dropped")
)

// DecidedError tells who answered first. It is ErrDecided, or ErrExpired when nobody did in time.
type DecidedError struct{ Approval Approval }

func (e *DecidedError) Error() string {
	say := "approval " + e.Approval.ID + " is " + string(e.Approval.State)
	if e.Approval.By != "" {
		say += " by " + e.Approval.By
	}
	if e.Approval.Why != "" {
		say += ": " + e.Approval.Why
	}
	return say
}

// Is makes errors.Is(err, ErrDecided) and ErrExpired work.
func (e *DecidedError) Is(target error) bool {
	if e.Approval.State == Expired {
		return target == ErrExpired
	}
	return target == ErrDecided
}

// ConfigError lists everything that is wrong with what New, Open or Func was given, at once.
type ConfigError struct {
	What   string
	Issues []string
}

func (e *ConfigError) Error() string { return e.What + ": " + strings.Join(e.Issues, "; ") }

// ToolError is a refusal the model may read and act on.
type ToolError struct {
	Code    string
	Say     string
	Details map[string]any
}

func (e *ToolError) Error() string { return e.Code + ": " + e.Say }

// BackendError is a fault of a backend, for a person. Retryable says whether the same step may be tried again.
type BackendError struct {
	Backend   string
	Code      string // "auth", "rate-limit", "overloaded", "context-overflow", "protocol", "network", "timeout", "refused"
	Say       string // never a key, a URL with credentials, or viewer text
	Retryable bool
	Err       error
}

func (e *BackendError) Error() string { return e.Backend + ": " + e.Code + ": " + e.Say }

// Unwrap gives the cause.
func (e *BackendError) Unwrap() error { return e.Err }

// Causes that a context of a handler or of a backend may carry.
var (
	errInterrupted = errors.New("the turn was interrupted")
	errToolTimeout = errors.New("the tool ran out of time")
	errTurnTimeout = errors.New("the turn ran out of time")
	errStopping    = errors.New("the process is stopping")
	errTrailing    = errors.New("there is more than one value")
	errNotObject   = errors.New("they are not an object")
)
