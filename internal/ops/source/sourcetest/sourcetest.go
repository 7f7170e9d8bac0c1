// Package sourcetest is the suite that every source passes: order, small batches, an end that stays, going on after a position, cancelling without
// losing, closing, and counts that add up.
package sourcetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"urakata/internal/ops/comment"
	"urakata/internal/ops/source"
)

// Fixture makes sources of one kind.
type Fixture struct {
	// Open returns a source that has exactly these comments and then ends; from is empty, or a position that another source of this fixture
	// gave for the same comments.
	Open func(t testing.TB, comments []comment.Comment, from string) source.Source
	// Idle returns a source that has nothing to give yet; nil if this kind never waits.
	Idle func(t testing.TB) source.Source
}

// Comments makes n different comments a second apart, with ids, authors and times.
func Comments(n int) []comment.Comment {
	start := time.Date(2026, 11, 14, 12, 0, 0, 0, time.UTC)
	out := make([]comment.Comment, n)
	for i := range out {
		offset := time.Duration(i) * time.Second
		out[i] = comment.Comment{
			ID: fmt.Sprintf("c%04d", i), Platform: comment.YouTube, Text: fmt.Sprintf("line %d です", i), At: start.Add(offset), Offset: offset,
			Author: comment.Author{ID: fmt.Sprintf("a%02d", i%17), Name: fmt.Sprintf("viewer %d", i%17)},
		}
	}
	return out
}

// Run runs the suite.
func Run(t *testing.T, f Fixture) {
	t.Run("comments come in order, in batches of at most 200, and then it ends for good", f.order)
	t.Run("going on after any position gives exactly the rest", f.resume)
	t.Run("a cancelled read gives its cause and loses nothing", f.cancel)
	t.Run("a waiting read ends when its context does, and when the source is closed", f.idle)
	t.Run("a closed source says so, and closing twice is no error", f.close)
	t.Run("an empty source ends at once", f.empty)
}

func (f Fixture) order(t *testing.T) {
	want := Comments(1234)
	s := f.Open(t, want, "")
	defer closing(t, s)
	var got []comment.Comment
	for {
		b, err := s.Read(t.Context())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("Read: %v", err)
		}
		if len(b.Comments) == 0 || len(b.Comments) > 200 || b.Position == "" {
			t.Fatalf("a batch of %d comments with position %q", len(b.Comments), b.Position)
		}
		got = append(got, b.Comments...)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("comments (-want +got):\n%s", diff)
	}
	if _, err := s.Read(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("Read after the end: %v, want EOF again", err)
	}
	h := s.Health()
	if c := h.Counts; c.Records != c.Read+c.Skipped+c.Duplicates || c.Read != int64(len(want)) {
		t.Errorf("counts do not add up to %d: %+v", len(want), c)
	}
	if h.State != source.StateEnded {
		t.Errorf("state is %q at the end", h.State)
	}
}

func (f Fixture) resume(t *testing.T) {
	want := Comments(730)
	positions := map[int]string{}
	s := f.Open(t, want, "")
	defer closing(t, s)
	n := 0
	for {
		b, err := s.Read(t.Context())
		if err != nil {
			break
		}
		n += len(b.Comments)
		positions[n] = b.Position
	}
	if n != len(want) || len(positions) < 4 {
		t.Fatalf("%d comments in %d batches", n, len(positions))
	}
	for after, position := range positions {
		s := f.Open(t, want, position)
		got := rest(t, s)
		if diff := cmp.Diff(want[after:], got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("after %d (-want +got):\n%s", after, diff)
		}
		closing(t, s)
	}
}

func (f Fixture) cancel(t *testing.T) {
	want := Comments(450)
	s := f.Open(t, want, "")
	defer closing(t, s)
	why := errors.New("the operator paused")
	var got []comment.Comment
	for {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(why)
		if _, err := s.Read(ctx); !errors.Is(err, why) {
			t.Fatalf("Read with a cancelled context: %v, want its cause", err)
		}
		b, err := s.Read(t.Context())
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, b.Comments...)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("comments (-want +got):\n%s", diff)
	}
}

func (f Fixture) idle(t *testing.T) {
	if f.Idle == nil {
		t.Skip("this kind of source never waits")
	}
	s := f.Idle(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { _, err := s.Read(ctx); ended <- err }()
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Read: %v, want cancelled", err)
	}
	go func() { _, err := s.Read(t.Context()); ended <- err }()
	closing(t, s)
	if err := <-ended; !errors.Is(err, source.ErrClosed) {
		t.Errorf("Read: %v, want ErrClosed", err)
	}
}

func (f Fixture) close(t *testing.T) {
	s := f.Open(t, Comments(3), "")
	closing(t, s)
	closing(t, s)
	if _, err := s.Read(t.Context()); !errors.Is(err, source.ErrClosed) {
		t.Errorf("Read: %v, want ErrClosed", err)
	}
}

func (f Fixture) empty(t *testing.T) {
	s := f.Open(t, nil, "")
	defer closing(t, s)
	if got := rest(t, s); len(got) != 0 {
		t.Errorf("%d comments from nowhere", len(got))
	}
}

func rest(t testing.TB, s source.Source) []comment.Comment {
	t.Helper()
	got, _, err := source.ReadAll(t.Context(), s)
	if err != nil {
		t.Fatalf("ReadAll: %v", err)
	}
	return got
}

func closing(t testing.TB, s source.Source) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}
