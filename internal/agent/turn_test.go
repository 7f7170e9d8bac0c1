package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"urakata/internal/agent"
	"urakata/internal/agent/agenttest"
)

func TestPlainTurn(t *testing.T) {
	in(t, func(t *testing.T) {
		w := open(t, setup{steps: []agenttest.Step{{Deltas: []string{"hel", "lo"}, Usage: &agent.Usage{Known: true, Input: 3, Output: 2, Total: 5}}}})
		var seen []string
		ctx, stop := context.WithCancel(t.Context())
		listening := make(chan struct{})
		done := make(chan struct{})
		go func() {
			defer close(done)
			for e, err := range w.Events(ctx, 0) {
				if err != nil {
					t.Error(err)
				}
				if e.Seq == 1 {
					close(listening)
				}
				seen = append(seen, string(e.Kind))
			}
		}()
		<-listening
		r := w.run(agent.Input{ID: "a", Instruction: "greet", Context: []agent.Message{{Kind: "k", Data: json.RawMessage(`1`)}}})
		synctest.Wait()
		stop()
		<-done
		if r.Text != "hello" || r.Ended != agent.TurnCompleted || r.End.Stop != "end" || r.End.Usage.Total != 5 || r.End.Steps != 1 {
			t.Errorf("the report is %+v", r)
		}
		want := "session.started input.queued turn.started message.delta message.delta step.completed message.completed turn.completed"
		if got := strings.Join(seen, " "); got != want {
			t.Errorf("AO-SES-01: seen\n  %s\nwant\n  %s", got, want)
		}
		req := w.script.Requests()[0]
		if req.System != "You help a stream." || len(req.Messages) != 2 || req.Messages[0].Role != agent.RoleContext || req.Messages[1].Text != "greet" {
			t.Errorf("the request is %+v", req)
		}
		if s := w.Snapshot(); s.Activity != agent.Idle || s.Turns != 1 || s.Seq != 6 || s.LastEnd == nil || s.Queue != 0 {
			t.Errorf("the snapshot is %+v", s)
		}
	})
}

func TestInputs(t *testing.T) {
	t.Run("AO-SES-08 an input that comes while a turn runs waits for the next turn", func(t *testing.T) {
		in(t, func(t *testing.T) {
			w := open(t, setup{steps: []agenttest.Step{{Hang: true}, words("b")}})
			w.send(say("a", "one"))
			w.send(say("b", "two"))
			synctest.Wait()
			if q := w.Snapshot().Queue; q != 1 {
				t.Errorf("%d inputs wait", q)
			}
			if err := w.Interrupt(t.Context(), "enough"); err != nil {
				t.Fatal(err)
			}
			if r := w.run(say("b", "two")); r.Text != "b" {
				t.Errorf("the second turn said %q", r.Text)
			}
		})
	})
	t.Run("the next step takes what is for it", func(t *testing.T) {
		in(t, func(t *testing.T) {
			gate := make(chan struct{})
			slow := tool("slow", agent.Read, func(context.Context, *agent.Call) (agent.Result, error) { <-gate; return agent.Result{}, nil })
			w := open(t, setup{
				steps: []agenttest.Step{calls(agenttest.Ask("c1", "slow", "{}")), words("ok"), words("later")},
				tools: []agent.Tool{slow}, policy: agent.Lists{Allow: []string{"slow"}},
			})
			w.send(say("a", "one"))
			synctest.Wait()
			w.send(agent.Input{ID: "b", Instruction: "now", When: agent.NextStep})
			w.send(say("c", "then"))
			close(gate)
			w.settle()
			second := w.script.Requests()[1].Messages
			if last := second[len(second)-1]; last.Text != "now" {
				t.Errorf("the second step ends with %+v", last)
			}
			steps := bodies[agent.StepBody](w, agent.StepCompleted)
			if len(steps) != 3 || len(steps[1].Inputs) != 1 || steps[1].Inputs[0] != "b" {
				t.Errorf("the steps took %+v", steps)
			}
			paired(t, w.script.Requests()[2].Messages)
		})
	})
	t.Run("a passive input starts nothing and is read by the next turn", func(t *testing.T) {
		in(t, func(t *testing.T) {
			w := open(t, setup{steps: []agenttest.Step{words("ok")}})
			w.send(agent.Input{ID: "p", Instruction: "note", Passive: true})
			w.settle()
			if n := len(w.script.Requests()); n != 0 {
				t.Fatalf("%d requests", n)
			}
			w.run(say("a", "go"))
			if m := w.script.Requests()[0].Messages; len(m) != 2 || m[0].Text != "note" {
				t.Errorf("the turn read %+v", m)
			}
		})
	})
	t.Run("a newer input of a slot takes the place of the waiting one", func(t *testing.T) {
		in(t, func(t *testing.T) {
			w := open(t, setup{steps: []agenttest.Step{{Hang: true}, words("ok")}})
			w.send(say("a", "go"))
			synctest.Wait()
			w.send(agent.Input{ID: "w1", Instruction: "old", Merge: "wake"})
			w.send(agent.Input{ID: "w2", Instruction: "new", Merge: "wake"})
			if err := w.Interrupt(t.Context(), "x"); err != nil {
				t.Fatal(err)
			}
			w.settle()
			dropped := bodies[agent.ClosedBody](w, agent.InputDropped)
			if len(dropped) != 1 || dropped[0].Input != "w1" {
				t.Errorf("dropped %+v", dropped)
			}
			if _, err := w.Run(t.Context(), agent.Input{ID: "w1", Instruction: "old"}); !errors.Is(err, agent.ErrDropped) {
				t.Errorf("running a dropped input says %v", err)
			}
		})
	})
}

func TestInputRefusals(t *testing.T) {
	in(t, func(t *testing.T) {
		w := open(t, setup{steps: []agenttest.Step{{Hang: true}}, limits: agent.Limits{Queue: 1}})
		w.send(say("a", "go"))
		synctest.Wait()
		w.send(say("b", "one more"))
		w.send(say("b", "one more")) // known: a no-op
		if err := w.Send(t.Context(), say("c", "too much")); !errors.Is(err, agent.ErrQueueFull) {
			t.Errorf("a full queue says %v", err)
		}
		for name, bad := range map[string]agent.Input{
			"nothing in it":   {ID: "x"},
			"a role too high": {ID: "x", Conversation: []agent.Message{{Role: agent.RoleInstruction, Text: "obey"}}},
			"not JSON":        {ID: "x", Context: []agent.Message{{Data: json.RawMessage("{")}}},
			"no such when":    {ID: "x", Instruction: "i", When: "soon"},
		} {
			if err := w.Send(t.Context(), bad); err == nil {
				t.Errorf("%s was accepted", name)
			}
		}
		if err := w.Close(t.Context(), "stream ended"); err != nil {
			t.Fatal(err)
		}
		wantKinds(t, w, "turn.started turn.interrupted input.dropped session.closed")
		if err := w.Send(t.Context(), say("d", "hello?")); !errors.Is(err, agent.ErrClosed) {
			t.Errorf("AO-SES-13: a closed session says %v", err)
		}
	})
}

func TestInterruptAndLimits(t *testing.T) {
	t.Run("AO-SES-09 an interrupted backend stops at once", func(t *testing.T) {
		in(t, func(t *testing.T) {
			w := open(t, setup{steps: []agenttest.Step{{Deltas: []string{"par"}, Hang: true}, words("ok")}})
			w.send(say("a", "go"))
			synctest.Wait()
			if err := w.Interrupt(t.Context(), "operator stopped it"); err != nil {
				t.Fatal(err)
			}
			wantKinds(t, w, "turn.started turn.interrupted")
			if end := w.Snapshot().LastEnd; end.Stop != "interrupted" || end.Error.Message != "operator stopped it" {
				t.Errorf("it ended %+v", end)
			}
			if r := w.run(say("b", "again")); r.Text != "ok" {
				t.Errorf("AO-SES-14: the session said %q", r.Text)
			}
			if err := w.Interrupt(t.Context(), "nothing runs"); err != nil {
				t.Error(err)
			}
		})
	})
	t.Run("a backend that ignores its cancellation is abandoned and its words never count", func(t *testing.T) {
		in(t, func(t *testing.T) {
			deaf := make(chan struct{})
			w := open(t, setup{steps: []agenttest.Step{{Text: "late", Deaf: deaf}, words("ok")}})
			w.send(say("a", "go"))
			synctest.Wait()
			began := time.Now()
			if err := w.Interrupt(t.Context(), "stop"); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); took != 2*time.Second {
				t.Errorf("it was abandoned after %s", took)
			}
			close(deaf)
			w.run(say("b", "again"))
			wantKinds(t, w, "turn.started turn.interrupted turn.started step.completed message.completed turn.completed")
			if n := w.Snapshot().Abandoned; n != 1 {
				t.Errorf("%d were abandoned", n)
			}
		})
	})
	t.Run("AO-SES-12 a turn that works too long fails", func(t *testing.T) {
		in(t, func(t *testing.T) {
			w := open(t, setup{steps: []agenttest.Step{{Hang: true}}, limits: agent.Limits{Turn: minute}})
			began := time.Now()
			if r := w.run(say("a", "go")); r.Ended != agent.TurnFailed || r.End.Stop != "timeout" || time.Since(began) != minute {
				t.Errorf("after %s: %+v", time.Since(began), r.End)
			}
		})
	})
	t.Run("steps are limited", func(t *testing.T) {
		in(t, func(t *testing.T) {
			look := tool("look", agent.Read, nil)
			n := 0
			w := open(t, setup{
				script: agenttest.ScriptFunc(func(i int, _ *agent.Request) agenttest.Step {
					n++
					return calls(agenttest.Ask("", "look", `{"n":`+strings.Repeat("1", i)+`}`))
				}),
				tools: []agent.Tool{look}, policy: agent.Lists{Allow: []string{"look"}}, limits: agent.Limits{Steps: 3},
			})
			if r := w.run(say("a", "go")); r.End.Stop != "steps" || r.End.Steps != 3 || n != 3 {
				t.Errorf("it ended %+v after %d requests", r.End, n)
			}
		})
	})
}

func TestBackendFaults(t *testing.T) {
	busy := &agent.BackendError{Backend: "script", Code: "overloaded", Say: "try later", Retryable: true}
	auth := &agent.BackendError{Backend: "script", Code: "auth", Say: "the key was refused"}
	for _, tt := range []struct {
		name  string
		steps []agenttest.Step
		code  string // of the first turn; empty: it completed
		asked int
	}{
		{"one that may be asked again is", []agenttest.Step{{Err: busy}, {Err: busy}, words("ok")}, "", 3},
		{"three tries are enough", []agenttest.Step{{Err: busy}, {Err: busy}, {Err: busy}, words("not reached")}, "overloaded", 3},
		{"one that may not is not", []agenttest.Step{{Deltas: []string{"par"}, Err: auth}}, "auth", 1},
		{"AO-SES-15 an answer without an end is a fault", []agenttest.Step{{Text: "hm", Cut: true}}, "protocol", 1},
		{"AO-SES-07 any error", []agenttest.Step{{Err: errBoom}}, "backend", 1},
		{"a panic", []agenttest.Step{{Panic: "boom"}}, "panic", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in(t, func(t *testing.T) {
				after := words("next")
				w := open(t, setup{script: agenttest.ScriptFunc(func(n int, _ *agent.Request) agenttest.Step {
					if n > tt.asked {
						return after
					}
					return tt.steps[n-1]
				})})
				r := w.run(say("a", "go"))
				if tt.code == "" && r.Ended != agent.TurnCompleted || tt.code != "" && (r.Ended != agent.TurnFailed || r.End.Error.Code != tt.code) {
					t.Errorf("it ended %s %+v", r.Ended, r.End)
				}
				if n := len(w.script.Requests()); n != tt.asked {
					t.Errorf("it was asked %d times", n)
				}
				if r := w.run(say("b", "again")); r.Text != "next" {
					t.Errorf("the next turn said %q", r.Text)
				}
			})
		})
	}
	t.Run("AO-SES-16 a backend that lingers after its last word holds nobody up", func(t *testing.T) {
		in(t, func(t *testing.T) {
			linger := make(chan struct{})
			w := open(t, setup{steps: []agenttest.Step{{Text: "ok", Linger: linger}}})
			if r := w.run(say("a", "go")); r.Text != "ok" {
				t.Errorf("it said %q", r.Text)
			}
			close(linger)
		})
	})
}
