package backendtest

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"urakata/internal/agent"
)

// Subject is a backend and the requests the suite puts to it.
type Subject struct {
	Backend agent.Backend

	Text  *agent.Request // answered with words
	Calls *agent.Request // answered with calls of these tools
	Want  []string       // their ids, in order

	Output *agent.Request              // has a schema; answered with a final message that fits it
	Fits   func(text string) error     // says whether it does
	Fault  func() *agent.Request       // must fail
	Broken agent.Backend               // the backend that Fault is put to; nil: Backend
	Slow   func(t *testing.T) *Waiting // nil: this backend never waits for anything
}

// Waiting is a request whose answer does not end by itself.
type Waiting struct {
	Backend agent.Backend
	Request *agent.Request
}

// Run puts a backend to the suite. Make is called once for each part.
func Run(t *testing.T, make func(t *testing.T) Subject) {
	t.Helper()
	for name, part := range map[string]func(*testing.T, Subject){
		"words end with one stop":             words,
		"offered tools are called":            called,
		"no tools offered, no calls":          unarmed,
		"results of tools are taken":          continued,
		"the output fits its schema":          fits,
		"an error is typed":                   typed,
		"cancelling ends the stream":          cancelled,
		"a cancelled context is not answered": refused,
		"leaving the stream ends the work":    left,
	} {
		t.Run(name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			part(t, make(t))
			settle(t, before)
		})
	}
}

// Heard is what came of one step.
type Heard struct {
	Text, Reasoning, Model string
	Calls                  []agent.ToolCall
	Usage                  agent.Usage
	Stop                   agent.StopReason
	Stops                  int
	Err                    error
}

// Ask puts a request to a backend and hears it to the end.
func Ask(ctx context.Context, b agent.Backend, req *agent.Request) Heard {
	var h Heard
	for d, err := range b.Stream(ctx, req) {
		if err != nil {
			h.Err = err
			return h
		}
		h.Text += d.Text
		h.Reasoning += d.Reasoning
		if d.Model != "" {
			h.Model = d.Model
		}
		if d.Call != nil {
			h.Calls = append(h.Calls, *d.Call)
		}
		if d.Usage != nil {
			h.Usage = *d.Usage
		}
		if d.Stop != "" {
			h.Stop, h.Stops = d.Stop, h.Stops+1
		}
	}
	return h
}

func words(t *testing.T, s Subject) {
	if s.Backend.Name() == "" || !s.Backend.Capabilities().Text {
		t.Error("a backend has a name and can say something")
	}
	h := Ask(t.Context(), s.Backend, s.Text)
	if h.Err != nil || strings.TrimSpace(h.Text) == "" || len(h.Calls) > 0 || h.Stop != agent.StopEnd || h.Stops != 1 {
		t.Errorf("got %+v, want words and one stop %q", h, agent.StopEnd)
	}
}

func called(t *testing.T, s Subject) {
	h := Ask(t.Context(), s.Backend, s.Calls)
	if h.Err != nil || h.Stop != agent.StopCalls || h.Stops != 1 {
		t.Fatalf("got %+v, want calls and one stop %q", h, agent.StopCalls)
	}
	var ids, tools []string
	for _, c := range h.Calls {
		ids, tools = append(ids, c.ID), append(tools, c.Tool)
		var args map[string]any
		if err := json.Unmarshal([]byte(c.Arguments), &args); err != nil {
			t.Errorf("arguments of %s: %q: %v", c.Tool, c.Arguments, err)
		}
	}
	if !slices.Equal(tools, s.Want) {
		t.Errorf("called %v, want %v", tools, s.Want)
	}
	slices.Sort(ids)
	if n := len(ids); n == 0 || ids[0] == "" || len(slices.Compact(ids)) != n {
		t.Errorf("ids of calls must differ: %v", ids)
	}
}

func unarmed(t *testing.T, s Subject) {
	bare := *s.Text
	bare.Tools = nil
	if h := Ask(t.Context(), s.Backend, &bare); h.Err != nil || len(h.Calls) > 0 {
		t.Errorf("got %+v, want no calls", h)
	}
}

func continued(t *testing.T, s Subject) {
	first := Ask(t.Context(), s.Backend, s.Calls)
	if first.Err != nil {
		t.Fatal(first.Err)
	}
	next := *s.Calls
	next.Step++
	next.Messages = append(slices.Clone(next.Messages), agent.Message{Role: agent.RoleAssistant, Text: first.Text, Calls: first.Calls})
	for i, c := range first.Calls {
		next.Messages = append(next.Messages, agent.Message{Role: agent.RoleTool, Call: c.ID, Tool: c.Tool, Text: `{"state":"waiting"}`, Failed: i == 1})
	}
	h := Ask(t.Context(), s.Backend, &next)
	if h.Err != nil || h.Stops != 1 {
		t.Fatalf("got %+v after the results", h)
	}
	for _, c := range h.Calls {
		if slices.ContainsFunc(first.Calls, func(f agent.ToolCall) bool { return f.ID == c.ID }) {
			t.Errorf("the id %q was used in this turn before", c.ID)
		}
	}
}

func fits(t *testing.T, s Subject) {
	h := Ask(t.Context(), s.Backend, s.Output)
	if h.Err != nil {
		t.Fatal(h.Err)
	}
	if err := s.Fits(h.Text); err != nil {
		t.Errorf("%s: %v", h.Text, err)
	}
}

func typed(t *testing.T, s Subject) {
	b := s.Broken
	if b == nil {
		b = s.Backend
	}
	var fault *agent.BackendError
	if h := Ask(t.Context(), b, s.Fault()); !errors.As(h.Err, &fault) || fault.Backend == "" || fault.Code == "" || fault.Say == "" || h.Stops != 0 {
		t.Errorf("got %+v, want an *agent.BackendError with a sentence, and no stop", h)
	}
}

func cancelled(t *testing.T, s Subject) {
	if s.Slow == nil {
		t.Skip("this backend never waits")
	}
	w := s.Slow(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	cause := errors.New("enough")
	for d, err := range w.Backend.Stream(ctx, w.Request) {
		if err != nil {
			if !errors.Is(err, cause) {
				t.Errorf("got %v, want the cause of the cancellation", err)
			}
			return
		}
		if d.Text != "" {
			cancel(cause)
		}
		if d.Stop != "" {
			t.Error("it went on to the end")
		}
	}
	t.Error("it ended without an error")
}

func refused(t *testing.T, s Subject) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if h := Ask(ctx, s.Backend, s.Text); h.Err == nil || h.Text != "" {
		t.Errorf("got %+v, want an error at once", h)
	}
}

func left(t *testing.T, s Subject) {
	for range s.Backend.Stream(t.Context(), s.Text) {
		break
	}
	if s.Slow == nil {
		return
	}
	for range 20 { // more than settle lets pass
		w := s.Slow(t)
		for range w.Backend.Stream(t.Context(), w.Request) {
			break
		}
	}
}

// settle waits until the goroutines of a part have ended. Connections that the client keeps for later are not the backend's.
func settle(t *testing.T, before int) {
	t.Helper()
	const spare = 8 // of the test's own server and its kept connections
	deadline := time.NewTimer(5 * time.Second)
	defer deadline.Stop()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for runtime.NumGoroutine() > before+spare {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Errorf("%d goroutines are left of %d", runtime.NumGoroutine(), before)
			return
		}
	}
}
