package source_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"urakata/internal/ops/comment"
	"urakata/internal/ops/source"
	"urakata/internal/ops/source/sourcetest"
)

// recording writes comments as our JSON lines, or as an array when there are none.
func recording(t testing.TB, comments []comment.Comment) string {
	t.Helper()
	if len(comments) == 0 {
		return "[]"
	}
	var b strings.Builder
	for _, c := range comments {
		line, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(line, '\n'))
	}
	return b.String()
}

func TestReplaySuite(t *testing.T) {
	sourcetest.Run(t, sourcetest.Fixture{
		Open: func(t testing.TB, comments []comment.Comment, from string) source.Source {
			r, err := source.NewReplay(source.ReplayConfig{Open: file(recording(t, comments)), From: from})
			if err != nil {
				t.Fatal(err)
			}
			return r
		},
		Idle: func(t testing.TB) source.Source { // one whose second comment is an hour away
			r, err := source.NewReplay(source.ReplayConfig{Open: file(recording(t, hours(2))), Speed: 1})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.Read(t.Context()); err != nil {
				t.Fatal(err)
			}
			return r
		},
	})
}

func hours(n int) []comment.Comment {
	out := sourcetest.Comments(n)
	for i := range out {
		out[i].Offset = time.Duration(i) * time.Hour
	}
	return out
}

func TestSpeed(t *testing.T) {
	offsets := []time.Duration{-10 * time.Second, 0, 0, 5 * time.Second, 3 * time.Second, 10 * time.Minute}
	comments := sourcetest.Comments(len(offsets))
	for i := range comments {
		comments[i].Offset = offsets[i]
	}
	for _, tt := range []struct {
		speed float64
		want  []time.Duration // since the first, on the wall
	}{
		{0, []time.Duration{0, 0, 0, 0, 0, 0}},
		{1, []time.Duration{0, 10 * time.Second, 10 * time.Second, 15 * time.Second, 15 * time.Second, 610 * time.Second}},
		{60, []time.Duration{0, time.Second / 6, time.Second / 6, time.Second / 4, time.Second / 4, 10*time.Second + time.Second/6}},
	} {
		t.Run(fmt.Sprintf("%vx", tt.speed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, err := source.NewReplay(source.ReplayConfig{Open: file(recording(t, comments)), Speed: tt.speed})
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close()
				start := time.Now()
				var got []time.Duration
				var order []string
				for {
					b, err := r.Read(t.Context())
					if errors.Is(err, io.EOF) {
						break
					}
					for _, c := range b.Comments {
						got, order = append(got, time.Since(start).Round(time.Millisecond)), append(order, c.ID)
					}
				}
				for i := range tt.want {
					tt.want[i] = tt.want[i].Round(time.Millisecond)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("when (-want +got):\n%s", diff)
				}
				if strings.Join(order, " ") != "c0000 c0001 c0002 c0003 c0004 c0005" {
					t.Errorf("order: %v", order)
				}
			})
		})
	}
}

func TestASlowReplayGoesOnAfterItsPosition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := recording(t, hours(5)) + "{broken\n"
		open := func(from string) *source.Replay {
			r, err := source.NewReplay(source.ReplayConfig{Open: file(text), Speed: 1, From: from})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		first := open("")
		first.Read(t.Context())
		b, err := first.Read(t.Context()) // the second comment; the third is read ahead and waits
		if err != nil || len(b.Comments) != 1 {
			t.Fatal(b, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		if _, err := first.Read(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Read: %v", err)
		}
		cancel()
		start := time.Now()
		got, skips, err := source.ReadAll(t.Context(), open(b.Position))
		if err != nil || len(got) != 3 || got[0].ID != "c0002" || len(skips) != 1 {
			t.Errorf("the rest: %d comments, %d skips, %v", len(got), len(skips), err)
		}
		if d := time.Since(start); d != 2*time.Hour {
			t.Errorf("the rest took %v, want it to begin at once and take two hours", d)
		}
	})
}

func TestCountsAfterGoingOn(t *testing.T) {
	text := recording(t, sourcetest.Comments(300)) + "{broken\n" + recording(t, sourcetest.Comments(2))
	r, err := source.NewReplay(source.ReplayConfig{Open: file(text)})
	if err != nil {
		t.Fatal(err)
	}
	b, err := r.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r, err = source.NewReplay(source.ReplayConfig{Open: file(text), From: b.Position})
	if err != nil {
		t.Fatal(err)
	}
	got, skips, err := source.ReadAll(t.Context(), r)
	want := source.Counts{Records: 303, Read: 300, Skipped: 1, Duplicates: 2, Reasons: map[string]int64{"broken JSON": 1}}
	if diff := cmp.Diff(want, r.Health().Counts); diff != "" || len(got) != 100 || len(skips) != 1 || err != nil {
		t.Errorf("%d comments, %d skips, %v; counts of the whole recording (-want +got):\n%s", len(got), len(skips), err, diff)
	}
}

func TestReplaysThatCannotBegin(t *testing.T) {
	good := recording(t, sourcetest.Comments(2))
	r, _ := source.NewReplay(source.ReplayConfig{Open: file(good)})
	b, _ := r.Read(t.Context())
	gone := errors.New("disk gone")
	for _, tt := range []struct {
		name string
		cfg  source.ReplayConfig
		says string
	}{
		{"no recording", source.ReplayConfig{}, "no recording"},
		{"a recording that does not open", source.ReplayConfig{Name: "chat.json", Open: func() (io.ReadCloser, error) { return nil, gone }}, "chat.json: disk gone"},
		{"a negative speed", source.ReplayConfig{Open: file(good), Speed: -1}, "between 0 and 60"},
		{"too fast", source.ReplayConfig{Open: file(good), Speed: 61}, "between 0 and 60"},
		{"a position of another recording", source.ReplayConfig{Open: file(good + " "), From: "replay:1234:1"}, "another recording"},
		{"a position of another source", source.ReplayConfig{Open: file(good), From: "push:3"}, "not a position"},
		{"a position before the beginning", source.ReplayConfig{Open: file(good), From: strings.TrimSuffix(b.Position, "2") + "-2"}, "not a position"},
	} {
		if _, err := source.NewReplay(tt.cfg); err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.says)
		}
	}
}

func TestStartMovesARecordingToToday(t *testing.T) {
	start := time.Date(2026, 12, 1, 20, 0, 0, 0, time.UTC)
	got, _, _ := play(t, lineA+"\n"+lineB, source.ReplayConfig{Start: start})
	if !got[0].At.Equal(start) || !got[1].At.Equal(start.Add(time.Second)) {
		t.Errorf("at %v and %v", got[0].At, got[1].At)
	}
}

func TestPreview(t *testing.T) {
	text := "{broken\n" + recording(t, sourcetest.Comments(50))
	got, sample, err := source.Preview(source.ReplayConfig{Open: file(text), Speed: 1}, 10)
	if err != nil || len(got) != 10 || !sample.More || sample.Format != source.FormatOurs || sample.Records != 11 || len(sample.Skipped) != 1 {
		t.Errorf("%d comments, %+v, %v", len(got), sample, err)
	}
	got, sample, err = source.Preview(source.ReplayConfig{Open: file(text)}, 100)
	if err != nil || len(got) != 50 || sample.More || sample.Read != 50 {
		t.Errorf("%d comments, %+v, %v", len(got), sample, err)
	}
	if _, _, err := source.Preview(source.ReplayConfig{Open: file("prose")}, 1); !errors.Is(err, source.ErrFormat) {
		t.Errorf("prose: %v", err)
	}
}

func TestHealthTellsHowFarItIs(t *testing.T) {
	text := recording(t, sourcetest.Comments(5000))
	r, err := source.NewReplay(source.ReplayConfig{Open: file(text), Size: int64(len(text))})
	if err != nil {
		t.Fatal(err)
	}
	if h := r.Health(); h.State != source.StateWaiting || h.Done > h.Total {
		t.Errorf("before: %+v", h)
	}
	if _, err := r.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	if h := r.Health(); h.State != source.StateLive || h.Last.IsZero() || h.Done >= h.Total || h.Counts.Read != 200 {
		t.Errorf("during: %+v", h)
	}
	source.ReadAll(t.Context(), r)
	if h := r.Health(); h.State != source.StateEnded || h.Done != h.Total {
		t.Errorf("after: %+v", h)
	}
}

// TestRealTwitchLines reads five thousand lines of a real channel, where the Go module cache has them.
func TestRealTwitchLines(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/gempir/go-twitch-irc/v4").Output()
	path := filepath.Join(strings.TrimSpace(string(dir)), "test_resources", "channel.txt.gz")
	if _, missing := os.Stat(path); err != nil || missing != nil {
		t.Skip("the module with the recording is not in the module cache")
	}
	r, err := source.NewReplay(source.ReplayConfig{Open: func() (io.ReadCloser, error) { return os.Open(path) }})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got, _, err := source.ReadAll(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	c := r.Health().Counts
	sane(t, got, c)
	if c.Records != 5000 {
		t.Errorf("%d records, want 5000: %+v", c.Records, c)
	}
	kinds := map[comment.Kind]int{}
	for _, g := range got {
		kinds[g.Kind]++
	}
	if kinds[comment.KindBanned] != 58 || kinds[comment.KindMembership] != 9 || kinds[comment.KindMessage]+kinds[comment.KindPaid] != 4933 {
		t.Errorf("kinds: %v", kinds)
	}
}

func TestReasonKey(t *testing.T) {
	for reason, want := range map[string]string{
		"broken JSON": "source.reason.broken/", "the platform's own row, not chat: JOIN": "source.reason.platform/JOIN",
		"the platform's own row, not chat: <b>": "source.reason.platform/", "something else: x": "source.reason.other/", "": "source.reason.other/",
	} {
		key, detail := source.ReasonKey(reason)
		if got := key + "/" + detail; got != want {
			t.Errorf("%q: %s, want %s", reason, got, want)
		}
	}
}
