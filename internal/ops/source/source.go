package source

import (
	"context"
	"time"

	"urakata/internal/ops/comment"
)

// Source feeds a stream's comments to a desk. Read returns the next batch, oldest first, waiting until there is at least one comment, and
// io.EOF once the source has ended. A batch holds at most 200 comments. Position is opaque: giving it to a new Source of the same kind goes
// on after it, so that a restart reads nothing twice that was stored and misses nothing.
type Source interface {
	Read(ctx context.Context) (Batch, error)
	Health() Health
	Close() error
}

// Batch is some comments and the place after them.
type Batch struct {
	Comments []comment.Comment
	Position string
	Skipped  []Skip // records that were not comments, or could not be read
}

// Skip is one record that did not become a comment: where it stands, and why, in words a person can act on.
type Skip struct {
	Line   int64  `json:"line"` // 1-based line or record number in the file
	Reason string `json:"reason"`
}

// Counts adds up to every record of the input: Records = Read + Skipped + Duplicates.
type Counts struct {
	Records    int64            `json:"records"`
	Read       int64            `json:"read"`
	Skipped    int64            `json:"skipped"`
	Duplicates int64            `json:"duplicates"`
	Reasons    map[string]int64 `json:"reasons,omitempty"` // skipped, by reason
}

// State says whether a source is alive.
type State string

// States of a source.
const (
	StateWaiting State = "waiting"
	StateLive    State = "live"
	StateEnded   State = "ended"
	StateFailed  State = "failed"
)

// Health is what a screen shows of a source.
type Health struct {
	State  State
	Format string    // replay: the detected format
	Last   time.Time // when the last comment arrived, wall clock
	Counts Counts
	Total  int64 // bytes of the input, 0 unknown
	Done   int64 // bytes read
	Err    string
}
