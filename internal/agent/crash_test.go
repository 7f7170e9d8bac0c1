package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"urakata/internal/agent"
	"urakata/internal/agent/agenttest"
)

// effects is the outside: what tools did there, by idempotency key.
type effects struct {
	runs map[string]int
	keys map[string]bool
}

func (e *effects) tool(effect agent.Effect, detached bool) *agenttest.Tool {
	return agenttest.NewTool(agent.Spec{ID: "act", Risk: agent.External, Effect: effect, Detached: detached}, func(_ context.Context, c *agent.Call) (agent.Result, error) {
		e.runs[c.Tool]++
		e.keys[c.Key] = true
		return agent.Result{Output: json.RawMessage(`"done"`)}, nil
	})
}

// TestCrashAnywhere kills the process after every append of a turn with one approved call, opens the log again, and counts the effects.
func TestCrashAnywhere(t *testing.T) {
	for _, effect := range []agent.Effect{agent.Once, agent.Keyed, agent.Pure} {
		for _, detached := range []bool{false, true} {
			for cut := 1; cut <= 12; cut++ {
				t.Run(fmt.Sprintf("%s detached %v, dead after append %d", orOnce(effect), detached, cut), func(t *testing.T) {
					in(t, func(t *testing.T) { crash(t, effect, detached, cut) })
				})
			}
		}
	}
}

func orOnce(e agent.Effect) string {
	if e == agent.Once {
		return "once"
	}
	return string(e)
}

func crash(t *testing.T, effect agent.Effect, detached bool, cut int) {
	out := &effects{runs: map[string]int{}, keys: map[string]bool{}}
	memory := agenttest.NewMemory()
	s := setup{
		script: agenttest.ScriptFunc(func(_ int, r *agent.Request) agenttest.Step {
			if r.Messages[len(r.Messages)-1].Text == "go" {
				return calls(agenttest.Ask("c", "act", ""))
			}
			return words("ok")
		}),
		tools: []agent.Tool{out.tool(effect, detached)}, policy: ask, memory: memory, store: agenttest.NewCut(memory, cut),
	}
	drive(t, open(t, s))
	s.store = nil
	w := open(t, s)
	drive(t, w)
	unknown := w.count(agent.ToolUnknown)
	switch {
	case effect == agent.Once && out.runs["act"]+unknown == 0, effect == agent.Once && out.runs["act"] > 1:
		t.Errorf("once ran %d times, %d unknown: %s", out.runs["act"], unknown, w.kinds())
	case effect != agent.Once && (len(out.keys) != 1 || unknown != 0):
		t.Errorf("%s had %d effects, %d unknown: %s", effect, len(out.keys), unknown, w.kinds())
	}
	if w.count(agent.TurnStarted) != w.count(agent.TurnCompleted)+w.count(agent.TurnFailed)+w.count(agent.TurnInterrupted) {
		t.Errorf("AO-EVT-02: a turn has no end: %s", w.kinds())
	}
	ends := w.count(agent.ToolCompleted) + w.count(agent.ToolFailed) + w.count(agent.ToolSkipped) + unknown
	if w.count(agent.ToolRequested) != 1 || ends != 1 {
		t.Errorf("%d calls have %d ends: %s", w.count(agent.ToolRequested), ends, w.kinds())
	}
	history, err := agent.HistoryOf(w.store.Log("s1"), agent.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	paired(t, history)
}

// drive does what a host does, as long as the process lives: send, allow what waits, wait.
func drive(t *testing.T, w *world) {
	ctx := t.Context()
	for range 3 {
		if err := w.Send(ctx, say("a", "go")); err != nil {
			break
		}
		if err := w.Wait(ctx); err != nil {
			break
		}
		for _, a := range w.Snapshot().Pending {
			if _, err := w.Resolve(ctx, a.ID, agent.Decision{Allow: true, By: "op1"}); err != nil {
				break
			}
		}
	}
	if err := w.agent.Close(ctx); err != nil {
		t.Error(err)
	}
}

func TestRestartWhileAToolRuns(t *testing.T) {
	for _, tt := range []struct {
		effect agent.Effect
		runs   int
		told   string
	}{
		{agent.Once, 1, `"code":"unknown-effect"`},
		{agent.Keyed, 2, `"done"`},
		{agent.Pure, 2, `"done"`},
	} {
		t.Run(orOnce(tt.effect), func(t *testing.T) {
			in(t, func(t *testing.T) {
				keys := map[string]bool{}
				n := 0
				act := agenttest.NewTool(agent.Spec{ID: "act", Risk: agent.Read, Effect: tt.effect}, func(ctx context.Context, c *agent.Call) (agent.Result, error) {
					n++
					keys[c.Key] = true
					if n == 1 {
						<-ctx.Done()
						return agent.Result{}, context.Cause(ctx)
					}
					return agent.Result{Output: json.RawMessage(`"done"`)}, nil
				})
				s := setup{
					steps: []agenttest.Step{calls(agenttest.Ask("c", "act", ""))}, tools: []agent.Tool{act}, policy: allow("act"), memory: agenttest.NewMemory(),
				}
				w := open(t, s)
				w.send(say("a", "go"))
				time.Sleep(time.Second)
				if err := w.agent.Close(t.Context()); err != nil {
					t.Fatal(err)
				}
				s.steps = []agenttest.Step{words("ok")}
				w = open(t, s)
				w.settle()
				if act.Runs() != tt.runs || len(keys) != 1 {
					t.Errorf("it ran %d times with %d keys", act.Runs(), len(keys))
				}
				wantIn(t, w.told("c"), tt.told)
			})
		})
	}
}

func TestConflictStopsTheWriter(t *testing.T) {
	in(t, func(t *testing.T) {
		memory := agenttest.NewMemory()
		s := setup{steps: []agenttest.Step{words("one"), words("two")}, memory: memory}
		first := open(t, s)
		second := open(t, s)
		second.run(say("b", "hello"))
		if err := first.Send(t.Context(), say("a", "hello")); !errors.Is(err, agent.ErrConflict) {
			t.Errorf("the older writer says %v", err)
		}
		if err := first.Send(t.Context(), say("c", "hello")); !errors.Is(err, agent.ErrConflict) {
			t.Errorf("later it says %v", err)
		}
		if s := first.Snapshot(); s.Activity != agent.Stopped {
			t.Errorf("it is %s", s.Activity)
		}
	})
}

func TestAgentClose(t *testing.T) {
	in(t, func(t *testing.T) {
		s := setup{steps: []agenttest.Step{{Hang: true}}, memory: agenttest.NewMemory()}
		w := open(t, s)
		w.send(say("a", "go"))
		if _, err := w.agent.Open(t.Context(), s.sessionConfig()); !errors.Is(err, agent.ErrOpen) {
			t.Errorf("opening twice says %v", err)
		}
		if err := w.agent.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := w.agent.Close(t.Context()); err != nil {
			t.Errorf("AO-RT-11: closing twice says %v", err)
		}
		if _, err := w.agent.Open(t.Context(), s.sessionConfig()); !errors.Is(err, agent.ErrClosed) {
			t.Errorf("opening a closed agent says %v", err)
		}
		wantKinds(t, w, "turn.started")
		s.steps = []agenttest.Step{words("again")}
		w = open(t, s)
		if r := w.run(say("a", "go")); r.Text != "again" {
			t.Errorf("the turn was asked again and said %q", r.Text)
		}
		wantKinds(t, w, "turn.started session.resumed step.completed message.completed turn.completed")
		if err := w.Close(t.Context(), "over"); err != nil {
			t.Fatal(err)
		}
		if _, err := w.agent.Open(t.Context(), s.sessionConfig()); !errors.Is(err, agent.ErrClosed) {
			t.Errorf("a log that was closed says %v", err)
		}
	})
}
