package ops

import (
	"context"
	"time"

	"urakata/internal/ops/source"
)

// StreamState is where a stream stands.
//
//	ready ──start──▶ live ◀──resume/pause──▶ paused
//	live, paused ──end (by a person, or the source ended)──▶ ending ──report stands──▶ ended
type StreamState string

// States of a stream.
const (
	StreamReady  StreamState = "ready"
	StreamLive   StreamState = "live"
	StreamPaused StreamState = "paused"
	StreamEnding StreamState = "ending"
	StreamEnded  StreamState = "ended"
)

// Stream is one broadcast and where its chat comes from. Every chat event belongs to exactly one.
type Stream struct {
	ID        string
	Title     string
	Topic     string
	Language  string // BCP 47 primary tag the staff writes in: ja, en
	State     StreamState
	Character string
	Source    SourceSpec
	Rehearsal bool // actions are rehearsed, never carried out on a platform
	Example   bool
	CreatedAt time.Time
	StartedAt time.Time // zero until started
	EndedAt   time.Time // zero until ended
	Position  string    // the source's place after the last stored batch
	Counts    source.Counts
	Comments  int64 // stored
	Cards     int64
	Seq       int64  // the last change
	Err       string // why the source failed, for a person
}

// SourceSpec says where a stream's comments come from.
type SourceSpec struct {
	Kind   string  `json:"kind"`             // "replay" or "push"
	File   string  `json:"file,omitempty"`   // replay: a name in the imports folder, or "example"
	Format string  `json:"format,omitempty"` // replay: detected
	Speed  float64 `json:"speed"`            // replay: 0 as fast as possible, 1–60
	Token  string  `json:"-"`                // push: digest of the stream's own token, if it has one
}

// Page asks for a part of a list. Limit 0 is 50, at most 500.
type Page struct {
	After string
	Limit int
}

// streamStore keeps streams. A change of state is made only from one of the states named; none matching is ErrState with the stream as it is.
type streamStore interface {
	CreateStream(ctx context.Context, s Stream) error
	Stream(ctx context.Context, id string) (Stream, error)
	Streams(ctx context.Context, p Page) ([]Stream, error) // newest first
	MoveStream(ctx context.Context, id string, from []StreamState, to StreamState, at time.Time, why string) (Stream, error)
}
