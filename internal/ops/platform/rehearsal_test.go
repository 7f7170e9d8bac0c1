package platform_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"urakata/internal/ops/platform"
)

var noon = time.Date(2026, 11, 14, 12, 0, 0, 0, time.UTC)

func rehearsal(t *testing.T, ledger platform.Ledger, now func() time.Time) *platform.Rehearsal {
	t.Helper()
	p, err := platform.NewRehearsal(platform.RehearsalConfig{Ledger: ledger, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func deletion(key, comment string) platform.Action {
	return platform.Action{Key: key, Kind: platform.Delete, Stream: "s", Platform: platform.Twitch, Comment: comment, Facts: platform.Facts{Known: true}}
}

func TestWhatARehearsalRefusesAndCarriesOut(t *testing.T) {
	known := platform.Facts{Known: true}
	for _, tt := range []struct {
		name   string
		action platform.Action
		want   platform.Code // "" is carried out
	}{
		{"a comment is deleted", deletion("k", "c"), ""},
		{"a comment nobody knows", platform.Action{Kind: platform.Delete, Comment: "c"}, platform.MessageUnknown},
		{"a comment that is gone", platform.Action{Kind: platform.Delete, Comment: "c", Facts: platform.Facts{Known: true, Deleted: true}}, platform.MessageDeleted},
		{"an old comment on Twitch", platform.Action{Kind: platform.Delete, Platform: "twitch", Comment: "c", Facts: platform.Facts{Known: true, At: noon.Add(-6*time.Hour - time.Second)}}, platform.MessageTooOld},
		{"an old comment on YouTube", platform.Action{Kind: platform.Delete, Platform: "youtube", Comment: "c", Facts: platform.Facts{Known: true, At: noon.Add(-60 * time.Hour)}}, ""},
		{"the owner's comment", platform.Action{Kind: platform.Delete, Comment: "c", Facts: platform.Facts{Known: true, Roles: []string{"owner"}}}, platform.TargetOwner},
		{"a moderator is not timed out", platform.Action{Kind: platform.Timeout, Viewer: "v", Seconds: 60, Facts: platform.Facts{Known: true, Roles: []string{"subscriber", "moderator"}}}, platform.TargetMod},
		{"a member is timed out", platform.Action{Kind: platform.Timeout, Viewer: "v", Seconds: 1209600, Facts: platform.Facts{Known: true, Roles: []string{"member"}}}, ""},
		{"for no time", platform.Action{Kind: platform.Timeout, Viewer: "v", Facts: known}, platform.BadDuration},
		{"for too long", platform.Action{Kind: platform.Timeout, Viewer: "v", Seconds: 1209601, Facts: known}, platform.BadDuration},
		{"500 characters on Twitch", platform.Action{Kind: platform.Announce, Platform: "twitch", Text: strings.Repeat("あ", 500)}, ""},
		{"501 characters on Twitch", platform.Action{Kind: platform.Announce, Platform: "twitch", Text: strings.Repeat("あ", 501)}, platform.TextTooLong},
		{"200 characters everywhere", platform.Action{Kind: platform.Announce, Text: strings.Repeat("x", 200)}, ""},
		{"201 characters everywhere", platform.Action{Kind: platform.Announce, Text: strings.Repeat("x", 201)}, platform.TextTooLong},
		{"nothing to say", platform.Action{Kind: platform.Announce, Text: " \n"}, platform.TextEmpty},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var ledger platform.Memory
			tt.action.Key, tt.action.Stream = "k", "s"
			r, err := rehearsal(t, &ledger, func() time.Time { return noon }).Do(t.Context(), tt.action)
			var refusal *platform.Refusal
			switch {
			case tt.want == "":
				if err != nil || !r.Rehearsed || r.Ref == "" || !r.At.Equal(noon) {
					t.Errorf("Do: %+v, %v", r, err)
				}
			case !errors.As(err, &refusal) || refusal.Code != tt.want || refusal.Say == "":
				t.Errorf("Do: %v, want a refusal %s", err, tt.want)
			case len(ledger.Actions()) != 0:
				t.Errorf("a refused action is in the ledger: %v", ledger.Actions())
			}
		})
	}
}

func TestMistakesOfTheCaller(t *testing.T) {
	p := rehearsal(t, &platform.Memory{}, nil)
	for name, a := range map[string]platform.Action{
		"no key":       {Kind: platform.Announce, Stream: "s", Text: "x"},
		"no stream":    {Kind: platform.Announce, Key: "k", Text: "x"},
		"no kind":      {Key: "k", Stream: "s"},
		"unknown kind": {Key: "k", Stream: "s", Kind: "explode"},
		"no comment":   {Key: "k", Stream: "s", Kind: platform.Delete},
		"no viewer":    {Key: "k", Stream: "s", Kind: platform.Timeout, Seconds: 5},
	} {
		var refusal *platform.Refusal
		if _, err := p.Do(t.Context(), a); err == nil || errors.As(err, &refusal) {
			t.Errorf("%s: %v, want an error that is no refusal", name, err)
		}
	}
	if _, err := platform.NewRehearsal(platform.RehearsalConfig{}); err == nil {
		t.Error("a rehearsal without a ledger")
	}
}

func TestTheSameKeyGivesTheFirstResult(t *testing.T) {
	var ledger platform.Memory
	now := noon
	first, err := rehearsal(t, &ledger, func() time.Time { return now }).Do(t.Context(), deletion("k", "c"))
	if err != nil {
		t.Fatal(err)
	}
	now = noon.Add(time.Hour)
	again := deletion("k", "c")
	again.Facts = platform.Facts{Known: true, Deleted: true}                                     // by us
	second, err := rehearsal(t, &ledger, func() time.Time { return now }).Do(t.Context(), again) // after a restart
	if err != nil || second != first {
		t.Errorf("again: %+v, %v, want %+v", second, err, first)
	}
	var refusal *platform.Refusal
	_, err = rehearsal(t, &ledger, func() time.Time { return now }).Do(t.Context(), deletion("other", "c"))
	if !errors.As(err, &refusal) || refusal.Code != platform.MessageDeleted {
		t.Errorf("another key for the same comment: %v, want it gone", err)
	}
	if n := len(ledger.Actions()); n != 1 {
		t.Errorf("%d actions in the ledger, want 1", n)
	}
}

func TestManyAtOnce(t *testing.T) {
	var ledger platform.Memory
	p := rehearsal(t, &ledger, nil)
	var wg sync.WaitGroup
	results := make([]platform.Result, 10)
	for i := range results {
		wg.Go(func() { results[i], _ = p.Do(t.Context(), deletion("k", "c")) })
	}
	wg.Wait()
	for _, r := range results {
		if r != results[0] || r.Ref == "" {
			t.Fatalf("results differ: %+v", results)
		}
	}
	if n := len(ledger.Actions()); n != 1 {
		t.Errorf("%d actions in the ledger, want 1", n)
	}
}

// slowLedger holds each Record until it is let go.
type slowLedger struct {
	platform.Memory
	entered, release chan struct{}
}

func (l *slowLedger) Record(ctx context.Context, a platform.Action, r platform.Result) (platform.Result, bool, error) {
	l.entered <- struct{}{}
	<-l.release
	return l.Memory.Record(ctx, a, r)
}

func TestTwoModeratorsAtTheSameTarget(t *testing.T) {
	ledger := &slowLedger{entered: make(chan struct{}), release: make(chan struct{})}
	p := rehearsal(t, ledger, nil)
	timeout := platform.Action{Key: "a", Kind: platform.Timeout, Stream: "s", Viewer: "v", Seconds: 60, Facts: platform.Facts{Known: true}}
	done := make(chan error, 1)
	go func() { _, err := p.Do(t.Context(), timeout); done <- err }()
	<-ledger.entered
	timeout.Key = "b"
	var refusal *platform.Refusal
	if _, err := p.Do(t.Context(), timeout); !errors.As(err, &refusal) || refusal.Code != platform.Conflict || refusal.RetryAfter <= 0 {
		t.Errorf("the second: %v, want a conflict", err)
	}
	close(ledger.release)
	if err := <-done; err != nil {
		t.Errorf("the first: %v", err)
	}
	go func() { <-ledger.entered }()
	if _, err := p.Do(t.Context(), timeout); err != nil {
		t.Errorf("the second, later: %v", err)
	}
}

func TestTooManyActions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := rehearsal(t, &platform.Memory{}, nil)
		say := func(n int) error {
			_, err := p.Do(t.Context(), platform.Action{Key: fmt.Sprint(n), Kind: platform.Announce, Stream: "s", Text: "hello"})
			return err
		}
		for n := range 20 {
			if err := say(n); err != nil {
				t.Fatal(err)
			}
		}
		var refusal *platform.Refusal
		if err := say(20); !errors.As(err, &refusal) || refusal.Code != platform.RateLimited || refusal.RetryAfter != 30*time.Second {
			t.Fatalf("the 21st: %v, want a rate limit of 30 s", err)
		}
		if err := say(3); err != nil {
			t.Errorf("one that was done before: %v", err)
		}
		<-time.After(refusal.RetryAfter) // the clock of the bubble
		if err := say(20); err != nil {
			t.Errorf("after the wait: %v", err)
		}
	})
}

// brokenLedger fails.
type brokenLedger struct{ platform.Memory }

var errDisk = errors.New("disk full")

func (*brokenLedger) Record(context.Context, platform.Action, platform.Result) (platform.Result, bool, error) {
	return platform.Result{}, false, errDisk
}

func TestALedgerThatFailsIsNoRefusal(t *testing.T) {
	p := rehearsal(t, &brokenLedger{}, nil)
	var refusal *platform.Refusal
	if _, err := p.Do(t.Context(), deletion("k", "c")); !errors.Is(err, errDisk) || errors.As(err, &refusal) {
		t.Errorf("Do: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Do(ctx, deletion("k2", "c")); !errors.Is(err, context.Canceled) {
		t.Errorf("Do, cancelled: %v", err)
	}
}
