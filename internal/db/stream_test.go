package db_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"urakata/internal/db"
	"urakata/internal/db/dbtest"
	"urakata/internal/ops"
	"urakata/internal/ops/source"
)

func TestStreamComesBackAsItWasCreated(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		want := ops.Stream{
			ID: "s1", Title: "歌枠 🎤", Topic: "アニソン", Language: "ja", State: ops.StreamReady, Character: "nagi",
			Source:    ops.SourceSpec{Kind: "push", File: "a b.jsonl", Format: "ours", Speed: 2.5, Token: "digest"},
			Rehearsal: true, Example: true, CreatedAt: noon, Position: "p0", Counts: source.Counts{Records: 3, Reasons: map[string]int64{"blank": 3}}, Err: "none",
		}
		if err := d.CreateStream(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		wantErr(t, d.CreateStream(t.Context(), want), ops.ErrTaken)
		got, err := d.Stream(t.Context(), "s1")
		if err != nil {
			t.Fatal(err)
		}
		want.Seq = 1
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		_, err = d.Stream(t.Context(), "s2")
		wantErr(t, err, ops.ErrNotFound)
		if diff := cmp.Diff([]string{"stream s1"}, changes(t, d, "s1")); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"stream s1"}, changes(t, d, "")); diff != "" {
			t.Error("console", diff)
		}
	})
}

func TestStreamMovesOnlyFromTheStatesNamed(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := ops.Stream{ID: "s1", State: ops.StreamReady, CreatedAt: noon}
		if err := d.CreateStream(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		ready, live := []ops.StreamState{ops.StreamReady}, []ops.StreamState{ops.StreamLive, ops.StreamPaused}
		got, err := d.MoveStream(t.Context(), "s1", ready, ops.StreamLive, noon.Add(time.Hour), "")
		if err != nil || got.State != ops.StreamLive || !got.StartedAt.Equal(noon.Add(time.Hour)) || !got.EndedAt.IsZero() {
			t.Errorf("started: %+v, %v", got, err)
		}
		got, err = d.MoveStream(t.Context(), "s1", ready, ops.StreamLive, noon, "")
		wantErr(t, err, ops.ErrState)
		if got.State != ops.StreamLive || got.ID != "s1" {
			t.Errorf("the stream as it is: %+v", got)
		}
		_, err = d.MoveStream(t.Context(), "s1", nil, ops.StreamEnded, noon, "")
		wantErr(t, err, ops.ErrState)
		if got, err = d.MoveStream(t.Context(), "s1", live, ops.StreamPaused, noon.Add(2*time.Hour), "no signal"); err != nil || got.Err != "no signal" {
			t.Errorf("paused: %+v, %v", got, err)
		}
		if got, err = d.MoveStream(t.Context(), "s1", live, ops.StreamLive, noon.Add(3*time.Hour), ""); err != nil || !got.StartedAt.Equal(noon.Add(time.Hour)) || got.Err != "" {
			t.Errorf("the first start is kept: %+v, %v", got, err)
		}
		if got, err = d.MoveStream(t.Context(), "s1", live, ops.StreamEnded, noon.Add(4*time.Hour), ""); err != nil || !got.EndedAt.Equal(noon.Add(4*time.Hour)) {
			t.Errorf("ended: %+v, %v", got, err)
		}
		_, err = d.MoveStream(t.Context(), "s2", ready, ops.StreamLive, noon, "")
		wantErr(t, err, ops.ErrNotFound)
		if n := len(changes(t, d, "s1")); n != 5 {
			t.Errorf("%d changes, want one for the creation and each move", n)
		}
	})
}

func TestStreamsComeNewestFirstAndInPages(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for i := range 7 { // s5 and s6 are of the same moment
			s := ops.Stream{ID: fmt.Sprintf("s%d", i), CreatedAt: noon.Add(time.Duration(min(i, 5)) * time.Second)}
			if err := d.CreateStream(t.Context(), s); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		p := ops.Page{Limit: 3}
		for {
			page, err := d.Streams(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			if len(page) == 0 {
				break
			}
			for _, s := range page {
				got, p.After = append(got, s.ID), s.ID
			}
		}
		if diff := cmp.Diff([]string{"s6", "s5", "s4", "s3", "s2", "s1", "s0"}, got); diff != "" {
			t.Error(diff)
		}
	})
}
