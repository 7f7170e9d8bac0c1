package agent

import (
	"context"
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
