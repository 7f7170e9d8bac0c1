package ops

import (
	"context"
	"strconv"
	"time"

	"urakata/internal/ops/comment"
	"urakata/internal/ops/source"
)

// Stored is a comment in its place in a stream, with what was understood of it.
type Stored struct {
	Seq      int64 // 1, 2, … within the stream
	Comment  comment.Comment
	Analysis comment.Analysis
}

// Ref is how a character names a comment: "c12". It says nothing of the comment's own id, which a viewer's client may have chosen.
func (s Stored) Ref() string { return "c" + strconv.FormatInt(s.Seq, 10) }

// Added is what became of a batch.
type Added struct {
	Fresh      []Stored
	Duplicates int
}

// Range asks for comments by place or by time from the stream's start; zero values do not limit.
type Range struct {
	After, Before int64          // exclusive places
	From, To      *time.Duration // offsets, inclusive
	Author        string
	Filter        string   // "", "questions", "safety", "paid"
	Group         string   // a question group or wave
	IDs           []string // platform ids
	Newest        bool     // newest first
	Limit         int
}

// commentStore keeps comments. AddComments stores a batch, gives the fresh ones their places, asks analyse for their analyses, moves the
// stream's position and writes one change, all in one transaction; analyse is pure and is called at most once.
type commentStore interface {
	AddComments(ctx context.Context, stream string, batch CommentBatch, analyse func([]Stored) []comment.Analysis) (Added, error)
	Comments(ctx context.Context, stream string, r Range) ([]Stored, error)
	MarkComment(ctx context.Context, stream, id string, state CommentState, by string) error // deleted on the platform, or shown in spite of a finding
}

// CommentState is what happened to a comment after it was written.
type CommentState string

// States of a comment.
const (
	CommentShown   CommentState = ""
	CommentDeleted CommentState = "deleted"
)

// CommentBatch is what a desk hands to the store at once.
type CommentBatch struct {
	Comments []comment.Comment
	Position string         // "" leaves the stream's position
	Counts   *source.Counts // the source's counts after this batch, nil leaves them
}
