package agent

import (
	"context"
	"errors"
	"iter"
)

// Store keeps logs. Both methods are safe for many goroutines.
type Store interface {
	// Append stores events after the place named, all or none, and returns the last event's place. ErrConflict when the log has moved on. The
	// store sets Seq. An approval.requested is kept as a pending row in the same transaction; approval.resolved and approval.expired move
	// that row by compare-and-set, and ErrDecided refuses the whole append when it is not pending any more.
	Append(ctx context.Context, id SessionID, after Seq, events ...Event) (Seq, error)
	// Read yields stored events after from, in order.
	Read(ctx context.Context, id SessionID, from Seq) iter.Seq2[Event, error]
}

// What callers decide on.
var (
	ErrConflict  = errors.New("the log has moved on")           // another writer appended; this one stops for good
	ErrDecided   = errors.New("somebody already answered this") // see DecidedError
	ErrExpired   = errors.New("the approval has expired")
	ErrNotFound  = errors.New("not found")
	ErrBusy      = errors.New("a turn is running")
	ErrClosed    = errors.New("the session is closed")
	ErrQueueFull = errors.New("the input queue is full")
)

// DecidedError tells who answered first. It is ErrDecided, or ErrExpired when nobody did in time.
type DecidedError struct{ Approval Approval }

func (e *DecidedError) Error() string {
	return "approval " + e.Approval.ID + " is " + string(e.Approval.State)
}

// Is makes errors.Is(err, ErrDecided) and ErrExpired work.
func (e *DecidedError) Is(target error) bool {
	if e.Approval.State == Expired {
		return target == ErrExpired
	}
	return target == ErrDecided
}
