package source_test

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"urakata/internal/ops/comment"
	"urakata/internal/ops/source"
	"urakata/internal/ops/source/sourcetest"
)

func push(t testing.TB, cfg source.PushConfig) *source.Push {
	t.Helper()
	p, err := source.NewPush(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPushSuite(t *testing.T) {
	sourcetest.Run(t, sourcetest.Fixture{
		Open: func(t testing.TB, comments []comment.Comment, from string) source.Source {
			p := push(t, source.PushConfig{From: from})
			kept, _ := strconv.Atoi(strings.TrimPrefix(from, "push:")) // what the sender knows to be kept it does not send again
			if r, err := p.Offer(comments[kept:]); err != nil || r.Accepted != len(comments)-kept {
				t.Fatalf("Offer: %+v, %v", r, err)
			}
			p.End()
			return p
		},
		Idle: func(t testing.TB) source.Source { return push(t, source.PushConfig{}) },
	})
}

func TestAFullPushSaysSo(t *testing.T) {
	p := push(t, source.PushConfig{Capacity: 5})
	comments := sourcetest.Comments(9)
	r, err := p.Offer(comments)
	if !errors.Is(err, source.ErrFull) || r.Taken != 5 || r.Accepted != 5 {
		t.Fatalf("Offer: %+v, %v", r, err)
	}
	b, err := p.Read(t.Context())
	if err != nil || len(b.Comments) != 5 {
		t.Fatal(b, err)
	}
	if r, err = p.Offer(comments[r.Taken:]); err != nil || r.Accepted != 4 {
		t.Errorf("the rest: %+v, %v", r, err)
	}
	if c := p.Health().Counts; c.Records != 9 || c.Read != 9 {
		t.Errorf("counts: %+v", c)
	}
}

func TestWhatAPushTakesAndRejects(t *testing.T) {
	start := time.Date(2026, 11, 14, 12, 0, 0, 0, time.UTC)
	p := push(t, source.PushConfig{Start: start, Now: func() time.Time { return start.Add(time.Minute) }})
	r, err := p.Offer([]comment.Comment{
		{ID: "1", Text: "a\x00b\xff"},
		{ID: "2"},
		{ID: "1", Text: "again"},
		{ID: "1", Text: "another platform", Platform: comment.Twitch},
		{Text: "no id", Author: comment.Author{ID: "u"}},
		{ID: "3", Text: "old", At: time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC)},
		{ID: "4", Kind: comment.KindRaid, Raid: 5, At: start.Add(time.Hour)},
	})
	want := source.Receipt{Taken: 7, Accepted: 4, Duplicates: 1, Rejected: []source.Skip{
		{Line: 2, Reason: "no text"}, {Line: 6, Reason: "the time makes no sense (outside 2005-2100, or not a time)"},
	}}
	if diff := cmp.Diff(want, r); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	b, err := p.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sane(t, b.Comments, p.Health().Counts)
	if c := b.Comments[0]; c.Text != "ab\uFFFD" || c.Offset != time.Minute || c.Platform != comment.Unknown {
		t.Errorf("first: %+v", c)
	}
	if c := b.Comments[3]; c.Offset != time.Hour {
		t.Errorf("last: %+v", c)
	}
}

func TestDeliverAnswersWhenTheCommentsAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := push(t, source.PushConfig{Capacity: 3})
		answered := make(chan source.Receipt, 1)
		go func() {
			r, err := p.Deliver(t.Context(), sourcetest.Comments(7)) // more than fit at once
			if err != nil {
				t.Error(err)
			}
			answered <- r
		}()
		for range 3 {
			if _, err := p.Read(t.Context()); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if len(answered) > 0 {
				t.Fatal("answered before the reader came back for more")
			}
		}
		p.End()
		if _, err := p.Read(t.Context()); !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		if r := <-answered; r.Taken != 7 || r.Accepted != 7 {
			t.Errorf("receipt: %+v", r)
		}
	})
}

func TestDeliverThatNobodyReads(t *testing.T) {
	p := push(t, source.PushConfig{Capacity: 1})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := p.Deliver(ctx, sourcetest.Comments(2)); !errors.Is(err, context.Canceled) || r.Taken != 1 {
		t.Errorf("cancelled: %+v, %v", r, err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Deliver(t.Context(), sourcetest.Comments(1)); !errors.Is(err, source.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	if _, err := p.Offer(nil); !errors.Is(err, source.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

func TestAPushForgetsOldIds(t *testing.T) {
	p := push(t, source.PushConfig{Remember: 2})
	comments := sourcetest.Comments(3)
	for _, c := range append(comments, comments[0], comments[2]) {
		if _, err := p.Offer([]comment.Comment{c}); err != nil {
			t.Fatal(err)
		}
	}
	if c := p.Health().Counts; c.Read != 4 || c.Duplicates != 1 {
		t.Errorf("counts: %+v", c)
	}
	if _, err := source.NewPush(source.PushConfig{From: "replay:1:2"}); err == nil {
		t.Error("a position of a recording was taken")
	}
}

func TestParseJSON(t *testing.T) {
	now := time.Date(2026, 11, 14, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct{ name, json, want, err string }{
		{"all of it", `{"id":"1","platform":"twitch","text":"hi","at":"2026-11-14T12:00:00Z","offset":"0:05","author":{"id":"u","name":"n","displayName":"N","roles":["mod","x"]},"money":{"amount":"5.125","currency":"usd"},"replyTo":"0"}`,
			`5s twitch [paid] u/N (moderator) "hi" 5125000 USD reply to 0`, ""},
		{"as little as there can be", `{"text":"hi"}`, `0s unknown / "hi"`, ""},
		{"micros", `{"text":"hi","platform":"YouTube","money":{"micros":"1000000000","currency":"JPY"}}`, `0s youtube [paid] / "hi" 1000000000 JPY`, ""},
		{"as hosts attach it", `{"text":"hi","metadata":{"superChat":{"amountMicros":5000000,"currency":"EUR"}}}`, `0s unknown [paid] / "hi" 5000000 EUR`, ""},
		{"an author by name", `{"text":"hi","author":"Ann","raid":-3}`, `0s unknown name:Ann/Ann "hi"`, ""},
		{"no text", `{"id":"1"}`, "", "no text"},
		{"not an object", `["hi"]`, "", "not a JSON object"},
		{"broken", `{"text":`, "", "broken JSON"},
		{"no time", `{"text":"hi","at":"soon"}`, "", "time"},
		{"endless", `{"text":"` + strings.Repeat("x", source.MaxRecord) + `"}`, "", "1 MiB"},
	} {
		c, err := source.ParseJSON([]byte(tt.json), now)
		switch {
		case tt.err != "":
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: %v, want %q", tt.name, err, tt.err)
			}
		case err != nil || told(c) != tt.want || c.ID == "" || !c.At.Equal(now):
			t.Errorf("%s: %s at %v (id %q), %v, want %s", tt.name, told(c), c.At, c.ID, err, tt.want)
		}
	}
}
