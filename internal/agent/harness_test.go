package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"urakata/internal/agent"
	"urakata/internal/agent/agenttest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is one agent with one session at work.
type world struct {
	t      *testing.T
	store  *agenttest.Memory
	script *agenttest.Script
	agent  *agent.Agent
	*agent.Session
}

type setup struct {
	steps   []agenttest.Step
	script  *agenttest.Script
	tools   []agent.Tool
	policy  agent.Policy
	limits  agent.Limits
	session agent.SessionConfig
	store   agent.Store
	memory  *agenttest.Memory
}

// in runs a test inside a synctest bubble, whose end is also a leak check.
func in(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, test)
}

func (s setup) config(w *world) agent.Config {
	var store agent.Store = w.store
	if s.store != nil {
		store = s.store
	}
	return agent.Config{
		ID: "mika", Brief: "You help a stream.", Backend: w.script, Tools: s.tools, Policy: s.policy, Store: store, Limits: s.limits, NewID: agenttest.IDs(),
	}
}

func (s setup) sessionConfig() agent.SessionConfig {
	c := s.session
	if c.ID == "" {
		c.ID = "s1"
	}
	if c.Purpose == "" {
		c.Purpose = "test"
	}
	if c.Audience == "" {
		c.Audience = agent.Operator
	}
	if c.Trust == "" {
		c.Trust = agent.Trusted
	}
	if c.Tools == nil {
		for _, t := range s.tools {
			c.Tools = append(c.Tools, t.Spec().ID)
		}
	}
	return c
}

func open(t *testing.T, s setup) *world {
	t.Helper()
	w := &world{t: t, store: s.memory, script: s.script}
	if w.store == nil {
		w.store = agenttest.NewMemory()
	}
	if w.script == nil {
		w.script = agenttest.NewScript(s.steps...)
	}
	a, err := agent.New(s.config(w))
	if err != nil {
		t.Fatal(err)
	}
	w.agent = a
	w.Session, err = a.Open(t.Context(), s.sessionConfig())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return w
}

func say(id, words string) agent.Input { return agent.Input{ID: id, Instruction: words} }

func (w *world) send(in agent.Input) {
	w.t.Helper()
	if err := w.Send(w.t.Context(), in); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) run(in agent.Input) agent.TurnReport {
	w.t.Helper()
	r, err := w.Run(w.t.Context(), in)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// settle waits until nothing is left to do but wait for people.
func (w *world) settle() {
	w.t.Helper()
	if err := w.Wait(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// pending gives the one approval that waits.
func (w *world) pending() agent.Approval {
	w.t.Helper()
	w.settle()
	open := w.Snapshot().Pending
	if len(open) != 1 {
		w.t.Fatalf("%d approvals wait, want 1; the log: %s", len(open), w.kinds())
	}
	return open[0]
}

func (w *world) resolve(id string, d agent.Decision) agent.Approval {
	w.t.Helper()
	a, err := w.Resolve(w.t.Context(), id, d)
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

// kinds is the log in short, without session.started and input.queued.
func (w *world) kinds() string {
	var kinds []string
	for _, e := range w.store.Log(w.ID()) {
		if e.Kind != agent.SessionStarted && e.Kind != agent.InputQueued {
			kinds = append(kinds, string(e.Kind))
		}
	}
	return strings.Join(kinds, " ")
}

func (w *world) count(kind agent.EventKind) int { return len(bodies[struct{}](w, kind)) }

// bodies gives the bodies of one kind.
func bodies[B any](w *world, kind agent.EventKind) []B {
	w.t.Helper()
	var all []B
	for _, e := range w.store.Log(w.ID()) {
		if e.Kind != kind {
			continue
		}
		var b B
		if err := json.Unmarshal(e.Body, &b); err != nil {
			w.t.Fatal(err)
		}
		all = append(all, b)
	}
	return all
}

// told gives what the model was told in answer to a call, in its latest request.
func (w *world) told(call string) string {
	w.t.Helper()
	requests := w.script.Requests()
	for _, m := range slices.Backward(requests[len(requests)-1].Messages) {
		if m.Role == agent.RoleTool && m.Call == call {
			return m.Text
		}
	}
	w.t.Fatalf("the model was told nothing about %s", call)
	return ""
}

func wantKinds(t *testing.T, w *world, want string) {
	t.Helper()
	if got := w.kinds(); got != want {
		t.Errorf("the log is\n  %s\nwant\n  %s", got, want)
	}
}

func wantIn(t *testing.T, got string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(got, want) {
			t.Errorf("%q does not say %q", got, want)
		}
	}
}

// paired fails when a call has not exactly one adjacent result, or arguments that are not JSON, as a strict provider would.
func paired(t *testing.T, messages []agent.Message) {
	t.Helper()
	for i := 0; i < len(messages); i++ {
		m := messages[i]
		if m.Role == agent.RoleTool {
			t.Errorf("message %d answers %s, which was not asked just before", i, m.Call)
		}
		for n, c := range m.Calls {
			if !json.Valid([]byte(c.Arguments)) {
				t.Errorf("message %d keeps arguments that are not JSON: %s", i, c.Arguments)
			}
			if at := i + 1 + n; at >= len(messages) || messages[at].Call != c.ID || messages[at].Text == "" {
				t.Errorf("call %s has no adjacent result", c.ID)
			}
		}
		i += len(m.Calls)
	}
}

func tool(id string, risk agent.Risk, run func(context.Context, *agent.Call) (agent.Result, error)) *agenttest.Tool {
	return agenttest.NewTool(agent.Spec{
		ID: id, Description: id, Risk: risk,
		Parameters: json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"},"n":{"type":"integer"}},"additionalProperties":false}`),
	}, run)
}

func calls(c ...agent.ToolCall) agenttest.Step { return agenttest.Step{Calls: c} }

func words(s string) agenttest.Step { return agenttest.Step{Text: s} }

var errBoom = errors.New("secret words of the handler")

const minute = time.Minute
