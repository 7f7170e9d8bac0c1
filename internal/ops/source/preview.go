package source

import (
	"context"
	"errors"
	"io"

	"urakata/internal/ops/comment"
)

// Sample is what looking at the beginning of a recording told.
type Sample struct {
	Counts         // of what was looked at
	Format  string // one of the names beside Detect
	Skipped []Skip
	More    bool // the end was not reached
}

// Preview reads the first n comments of a recording, at most 1,000, for a person to look at before importing it. It opens the recording, and
// closes it again. Speed and From of cfg are not used.
func Preview(cfg ReplayConfig, n int) (_ []comment.Comment, _ Sample, err error) {
	cfg.Speed, cfg.From = 0, ""
	r, err := NewReplay(cfg)
	if err != nil {
		return nil, Sample{}, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	n = min(max(n, 0), 1000)
	s := Sample{Format: r.Format(), More: true}
	var out []comment.Comment
	for len(out) < n && r.records < 100*maxBatch {
		if r.failed = r.step(); r.failed != nil {
			break
		}
		if r.held != nil {
			out = append(out, *r.held)
			r.held = nil
			r.counted(func(c *Counts) { c.Records++; c.Read++ })
		}
	}
	s.Counts, s.Skipped = r.Health().Counts, r.ready.Skipped
	if r.failed != nil && !errors.Is(r.failed, io.EOF) {
		_, err := r.deliver()
		return out, s, err
	}
	s.More = r.failed == nil
	return out, s, nil
}

// ReadAll reads what is left of a source, which must end: for commands and tests.
func ReadAll(ctx context.Context, s Source) ([]comment.Comment, []Skip, error) {
	var out []comment.Comment
	var skips []Skip
	for {
		b, err := s.Read(ctx)
		out, skips = append(out, b.Comments...), append(skips, b.Skipped...)
		if errors.Is(err, io.EOF) {
			return out, skips, nil
		}
		if err != nil {
			return out, skips, err
		}
	}
}
