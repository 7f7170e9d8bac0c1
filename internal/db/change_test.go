package db_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"urakata/internal/db"
	"urakata/internal/db/dbtest"
	"urakata/internal/ops"
)

// Whoever reads on from the last change that he saw misses none, however many write meanwhile and however few he reads at a time.
func TestFollowersMissNoChange(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		const writers, each = 8, 30
		newStream(t, d, "s1")
		newStream(t, d, "s2")
		done := make(chan struct{})
		var followers, writing sync.WaitGroup
		for _, topic := range []string{"stream/s1", "stream/s2", "console"} {
			stream := map[string]string{"stream/s1": "s1", "stream/s2": "s2"}[topic]
			followers.Go(func() { follow(t, d, topic, stream, done) })
		}
		for w := range writers {
			writing.Go(func() {
				for i := range each {
					if err := disturb(t.Context(), d, fmt.Sprintf("%d-%d", w, i)); err != nil {
						t.Error(err)
					}
				}
			})
		}
		writing.Wait()
		close(done)
		followers.Wait()
	})
}

// disturb makes one write of a random kind.
func disturb(ctx context.Context, d *db.DB, id string) error {
	stream := []string{"s1", "s2"}[rand.IntN(2)]
	switch rand.IntN(4) {
	case 0:
		c := chat(0, 1)
		c[0].ID = id
		_, err := d.AddComments(ctx, stream, ops.CommentBatch{Comments: c}, nil)
		return err
	case 1:
		_, err := d.SaveCard(ctx, ops.Card{ID: id, Stream: stream, Incident: id, At: noon}, ops.Cursor{})
		return err
	case 2:
		return d.AskQuestion(ctx, ops.Item{ID: id, Stream: stream, At: noon}, ops.Cursor{})
	}
	_, err := d.MoveStream(ctx, stream, []ops.StreamState{ops.StreamLive}, ops.StreamLive, noon, "")
	return err
}

// follow reads a stream's changes by its bell until nothing is written any more, and insists on every place, in order.
func follow(t *testing.T, d *db.DB, topic, stream string, done <-chan struct{}) {
	bell := d.Listen(t.Context(), topic)
	after, over := int64(0), false
	for {
		page, err := d.Changes(t.Context(), stream, after, 1+rand.IntN(5))
		if err != nil {
			t.Error(err)
			return
		}
		for _, c := range page {
			if c.Seq != after+1 {
				t.Errorf("%s: after change %d came %d", topic, after, c.Seq)
			}
			after = c.Seq
		}
		switch {
		case len(page) > 0:
		case over:
			if last, err := d.LastChange(t.Context(), stream); err != nil || last != after {
				t.Errorf("%s: followed to %d of %d, %v", topic, after, last, err)
			}
			return
		default:
			select {
			case <-bell:
			case <-done:
				over = true
			}
		}
	}
}

func TestBellRingsAfterTheCommitAndOnlyThen(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		newStream(t, d, "s1")
		ctx := t.Context()
		stream, console, other := d.Listen(ctx, "stream/s1"), d.Listen(ctx, "console"), d.Listen(ctx, "stream/s2")
		add(t, d, "s1", chat(0, 2)...)
		add(t, d, "s1", chat(2, 4)...)
		rung(t, stream)
		silent(t, stream) // two rings became one
		silent(t, console)
		silent(t, other)
		if _, err := d.SaveCard(t.Context(), newCard("c", "c"), ops.Cursor{Session: "x"}); !errors.Is(err, ops.ErrNotFound) {
			t.Error(err)
		}
		silent(t, stream)
		if _, err := d.MoveStream(t.Context(), "s1", []ops.StreamState{ops.StreamLive}, ops.StreamPaused, noon, ""); err != nil {
			t.Fatal(err)
		}
		rung(t, stream)
		rung(t, console)
	})
}
