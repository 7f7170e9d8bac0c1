package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"urakata/internal/agent"
	"urakata/internal/agent/agenttest"
)

var ask = agent.Lists{Ask: []string{"act"}}

// asking is a world in which act has been called with a token and waits for an answer.
func asking(t *testing.T, act agent.Tool, more ...agenttest.Step) (*world, agent.Approval) {
	t.Helper()
	w := open(t, setup{
		steps: append([]agenttest.Step{calls(agenttest.Ask("c", "act", `{"id":"m1","n":7}`))}, more...), tools: []agent.Tool{act}, policy: ask,
	})
	w.send(say("a", "go"))
	return w, w.pending()
}

func TestApprovalAllowed(t *testing.T) {
	in(t, func(t *testing.T) {
		act := agenttest.NewTool(agent.Spec{
			ID: "act", Risk: agent.External, Sensitive: []string{"id"}, Approval: minute,
			Parameters: json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"},"n":{"type":"integer"}}}`),
		}, func(_ context.Context, c *agent.Call) (agent.Result, error) {
			if string(c.Arguments) != `{"id":"m1","n":7}` || c.Key == "" || c.Approval == nil || c.Approval.By != "op1" {
				t.Errorf("AO-TOOL-10: it ran with %s, %+v", c.Arguments, c)
			}
			return agent.Result{Output: json.RawMessage(`{"id":"m1","done":true}`)}, nil
		})
		w, a := asking(t, act, words("done"))
		if string(a.Arguments) != `{"id":"[REDACTED]","n":7}` || a.Risk != agent.External || a.Deadline.Sub(a.At) != minute || !strings.HasPrefix(a.Digest, "sha256:") {
			t.Errorf("AO-APPR-01: it asks %+v", a)
		}
		if s := w.Snapshot(); s.Activity != agent.Awaiting {
			t.Errorf("it is %s", s.Activity)
		}
		if _, err := w.Resolve(t.Context(), a.ID, agent.Decision{Allow: true, Digest: "sha256:other"}); err == nil {
			t.Error("an answer to other arguments was taken")
		}
		w.resolve(a.ID, agent.Decision{Allow: true, By: "op1", Digest: a.Digest})
		w.settle()
		wantKinds(t, w, "turn.started step.completed tool.requested approval.requested approval.resolved tool.started tool.completed step.completed message.completed turn.completed")
		if row, _ := w.store.Approval(a.ID); row.State != agent.Allowed || row.By != "op1" {
			t.Errorf("the row is %+v", row)
		}
		done := bodies[agent.CallDoneBody](w, agent.ToolCompleted)[0]
		if string(done.Output) != `{"done":true,"id":"[REDACTED]"}` {
			t.Errorf("the output that is shown is %s", done.Output)
		}
	})
}

func TestC04_SameAnswerAgain(t *testing.T) {
	in(t, func(t *testing.T) {
		act := tool("act", agent.External, nil)
		w, a := asking(t, act, words("done"))
		w.resolve(a.ID, agent.Decision{Allow: true, By: "op1"})
		again := w.resolve(a.ID, agent.Decision{Allow: true, By: "op2"})
		if again.By != "op1" {
			t.Errorf("it was decided by %q", again.By)
		}
		_, err := w.Resolve(t.Context(), a.ID, agent.Decision{By: "op2"})
		var decided *agent.DecidedError
		if !errors.Is(err, agent.ErrDecided) || !errors.As(err, &decided) || decided.Approval.By != "op1" {
			t.Errorf("another answer says %v", err)
		}
		w.settle()
		if act.Runs() != 1 || w.count(agent.ApprovalResolved) != 1 {
			t.Errorf("AO-EVT-01: it ran %d times", act.Runs())
		}
		if _, err := w.Resolve(t.Context(), "nonsense", agent.Decision{}); !errors.Is(err, agent.ErrNotFound) {
			t.Errorf("an unknown approval says %v", err)
		}
	})
}

func TestC03_TwoAnswersAtOnce(t *testing.T) {
	for range 50 {
		in(t, func(t *testing.T) {
			act := tool("act", agent.External, nil)
			w, a := asking(t, act, words("done"))
			errs := make([]error, 2)
			var both sync.WaitGroup
			for i := range errs {
				both.Go(func() {
					_, errs[i] = w.Resolve(t.Context(), a.ID, agent.Decision{Allow: i == 0, By: "op"})
				})
			}
			both.Wait()
			w.settle()
			won, ran := 0, 0
			for i, err := range errs {
				if err == nil {
					won++
					ran = 1 - i
				}
			}
			if won != 1 || act.Runs() != ran {
				t.Errorf("%v: %d won, it ran %d times", errs, won, act.Runs())
			}
		})
	}
}

func TestC05_DeclinedNeverRuns(t *testing.T) {
	for _, risk := range []agent.Risk{agent.External, agent.Destructive, agent.Write} {
		in(t, func(t *testing.T) {
			act := tool("act", risk, nil)
			w, a := asking(t, act, words("understood"))
			w.resolve(a.ID, agent.Decision{By: "op1", Note: "not during the song"})
			w.settle()
			if act.Runs() != 0 || w.count(agent.ToolStarted) != 0 {
				t.Errorf("it ran %d times", act.Runs())
			}
			wantIn(t, w.told("c"), `"code":"denied"`, "denied by operator op1", "not during the song")
			if end := w.Snapshot().LastEnd; end.Stop != "end" {
				t.Errorf("the turn ended %+v", end)
			}
		})
	}
}

func TestC06_EveryPathNeedsAWord(t *testing.T) {
	typed, err := agent.Func(agent.Spec{ID: "typed", Risk: agent.Read}, func(context.Context, *agent.Call, struct{}) (string, error) {
		return "ran", nil
	})
	if err != nil {
		t.Fatal(err)
	}
	plain := tool("plain", agent.Read, nil)
	risky := tool("risky", agent.Destructive, nil)
	for name, tt := range map[string]struct {
		policy  agent.Policy
		session agent.SessionConfig
		pending int
	}{
		"no policy":          {nil, agent.SessionConfig{}, 0},
		"no list names it":   {agent.Lists{}, agent.SessionConfig{}, 0},
		"the deny list wins": {agent.Lists{Deny: []string{"typed", "plain", "risky"}, Allow: []string{"typed", "plain", "risky"}}, agent.SessionConfig{}, 0},
		"an allowed one in a public session asks":    {agent.Lists{Allow: []string{"risky"}}, agent.SessionConfig{Audience: agent.Public}, 1},
		"an allowed one in an untrusted session too": {agent.Lists{Allow: []string{"risky"}}, agent.SessionConfig{Trust: agent.Untrusted}, 1},
		"whatever a custom policy says": {policyFunc(func(context.Context) (agent.Verdict, error) {
			return agent.Verdict{Action: agent.Allow}, nil
		}), agent.SessionConfig{Tools: []string{"risky"}, Trust: agent.Untrusted}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			in(t, func(t *testing.T) {
				w := open(t, setup{
					steps: []agenttest.Step{calls(agenttest.Ask("a", "typed", ""), agenttest.Ask("b", "plain", ""), agenttest.Ask("c", "risky", "")), words("ok")},
					tools: []agent.Tool{typed, plain, risky}, policy: tt.policy, session: tt.session,
				})
				w.send(say("x", "go"))
				w.settle()
				if n := len(w.Snapshot().Pending); n != tt.pending || w.count(agent.ToolStarted) != 0 {
					t.Errorf("%d wait, %d were started", n, w.count(agent.ToolStarted))
				}
			})
		})
	}
}

func TestC08_FourOutcomes(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(w *world, a agent.Approval)
		want agent.ApprovalState
		told []string
		not  string
	}{
		{"expired", func(w *world, a agent.Approval) { time.Sleep(time.Until(a.Deadline)) }, agent.Expired, []string{`"code":"expired"`, "nobody decided in time"}, "denied"},
		{"denied", func(w *world, a agent.Approval) { w.resolve(a.ID, agent.Decision{By: "sato"}) }, agent.Denied, []string{`"code":"denied"`, "by operator sato"}, "expired"},
		{"stream ended", func(w *world, _ agent.Approval) { cancel(w, "stream ended") }, agent.Cancelled, []string{`"code":"cancelled"`, "stream ended"}, "denied"},
		{"character stopped", func(w *world, _ agent.Approval) { cancel(w, "character stopped") }, agent.Cancelled, []string{`"code":"cancelled"`, "character stopped"}, "denied"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in(t, func(t *testing.T) {
				act := tool("act", agent.External, nil)
				w, a := asking(t, act, words("ok"))
				tt.end(w, a)
				w.settle()
				row, _ := w.store.Approval(a.ID)
				if row.State != tt.want || act.Runs() != 0 {
					t.Errorf("the row is %+v", row)
				}
				if tt.want == agent.Cancelled && row.Why != tt.name {
					t.Errorf("AO-APPR-04: the cause is %q", row.Why)
				}
				got := w.told("c")
				wantIn(t, got, tt.told...)
				if strings.Contains(got, tt.not) {
					t.Errorf("the model was told %s", got)
				}
				if tt.want == agent.Expired {
					if _, err := w.Resolve(t.Context(), a.ID, agent.Decision{Allow: true}); !errors.Is(err, agent.ErrExpired) {
						t.Errorf("AO-APPR-03: a late answer says %v", err)
					}
				}
			})
		})
	}
}

func cancel(w *world, why string) {
	w.t.Helper()
	if err := w.Cancel(w.t.Context(), why); err != nil {
		w.t.Error(err)
	}
}

func TestWaitingHoldsNothing(t *testing.T) {
	in(t, func(t *testing.T) {
		w := open(t, setup{
			steps: []agenttest.Step{calls(agenttest.Ask("c", "act", "")), words("ok")}, tools: []agent.Tool{tool("act", agent.External, nil)}, policy: ask,
			limits: agent.Limits{Turn: minute, Approval: time.Hour},
		})
		w.send(say("a", "go"))
		a := w.pending()
		time.Sleep(30 * minute) // longer than a turn may work
		w.resolve(a.ID, agent.Decision{Allow: true})
		w.settle()
		if end := w.Snapshot().LastEnd; end.Stop != "end" {
			t.Errorf("the turn ended %+v", end)
		}
	})
}

func TestC01_ApprovalSurvivesARestart(t *testing.T) {
	for _, detached := range []bool{false, true} {
		for _, late := range []bool{false, true} {
			in(t, func(t *testing.T) {
				act := agenttest.NewTool(agent.Spec{ID: "act", Risk: agent.External, Detached: detached}, nil)
				s := setup{
					script: agenttest.ScriptFunc(func(_ int, r *agent.Request) agenttest.Step {
						if r.Messages[len(r.Messages)-1].Text == "go" {
							return calls(agenttest.Ask("c", "act", ""))
						}
						return words("ok")
					}),
					tools: []agent.Tool{act}, policy: ask, memory: agenttest.NewMemory(),
				}
				w := open(t, s)
				w.send(say("a", "go"))
				before := w.pending()
				if err := w.agent.Close(t.Context()); err != nil {
					t.Fatal(err)
				}
				if late {
					time.Sleep(time.Hour)
				}
				w = open(t, s)
				if !late {
					after := w.pending()
					if after.ID != before.ID || !after.Deadline.Equal(before.Deadline) || after.Digest != before.Digest {
						t.Errorf("it became %+v", after)
					}
					w.resolve(after.ID, agent.Decision{Allow: true, By: "op1"})
				}
				w.settle()
				row, _ := w.store.Approval(before.ID)
				if want := map[bool]agent.ApprovalState{false: agent.Allowed, true: agent.Expired}[late]; row.State != want {
					t.Errorf("the row is %+v", row)
				}
				if want := map[bool]int{false: 1, true: 0}[late]; act.Runs() != want {
					t.Errorf("it ran %d times", act.Runs())
				}
				if w.count(agent.TurnCompleted) != map[bool]int{false: 1, true: 2}[detached] {
					t.Errorf("the log is %s", w.kinds())
				}
			})
		}
	}
}

func TestDetached(t *testing.T) {
	for _, tt := range []struct {
		name string
		run  func(context.Context, *agent.Call) (agent.Result, error)
		end  func(w *world, a agent.Approval)
		told []string
		kind string
	}{
		{"done", nil, func(w *world, a agent.Approval) { w.resolve(a.ID, agent.Decision{Allow: true}) }, []string{`"outcome":"done"`, `"output":"ok"`}, "tool.completed"},
		{"refused by the platform", func(context.Context, *agent.Call) (agent.Result, error) {
			return agent.Result{}, &agent.ToolError{Code: "forbidden", Say: "no rights"}
		}, func(w *world, a agent.Approval) { w.resolve(a.ID, agent.Decision{Allow: true}) }, []string{`"outcome":"failed"`, "no rights"}, "tool.failed"},
		{"denied", nil, func(w *world, a agent.Approval) { w.resolve(a.ID, agent.Decision{By: "op1", Note: "later"}) }, []string{`"outcome":"denied"`, `"note":"later"`, `"by":"op1"`}, "tool.skipped"},
		{"expired", nil, func(_ *world, a agent.Approval) { time.Sleep(time.Until(a.Deadline)) }, []string{`"outcome":"expired"`}, "tool.skipped"},
		{"cancelled", nil, func(w *world, _ agent.Approval) { cancel(w, "stream ended") }, []string{`"outcome":"cancelled"`, `"why":"stream ended"`}, "tool.skipped"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in(t, func(t *testing.T) {
				act := agenttest.NewTool(agent.Spec{ID: "act", Risk: agent.External, Detached: true}, tt.run)
				w := open(t, setup{
					steps: []agenttest.Step{calls(agenttest.Ask("c", "act", "")), words("proposed"), words("other"), words("heard")},
					tools: []agent.Tool{act}, policy: ask,
				})
				if r := w.run(say("a", "go")); r.Text != "proposed" {
					t.Fatalf("the turn did not go on: %+v", r)
				}
				a := w.pending()
				wantIn(t, w.told("c"), "waiting-for-approval", a.ID, "has not been done")
				w.run(say("b", "something else"))
				if m := w.script.Requests()[2].Messages; !hasKind(m, "awaiting-approval") {
					t.Errorf("a later request does not show what waits: %+v", m)
				}
				tt.end(w, a)
				w.settle()
				last := w.script.Requests()[3].Messages
				m := last[len(last)-1]
				if m.Kind != "tool-result" || m.Role != agent.RoleContext || hasKind(last, "awaiting-approval") {
					t.Errorf("the outcome came as %+v", m)
				}
				wantIn(t, string(m.Data), tt.told...)
				for _, e := range w.store.Log("s1") {
					if string(e.Kind) == tt.kind && e.Turn != a.Turn {
						t.Errorf("%s belongs to turn %s, want %s", e.Kind, e.Turn, a.Turn)
					}
				}
				wantIn(t, w.kinds(), tt.kind)
				paired(t, last)
			})
		})
	}
}

func hasKind(messages []agent.Message, kind string) bool {
	for _, m := range messages {
		if m.Kind == kind {
			return true
		}
	}
	return false
}

func TestC11_DecidedWhileBusy(t *testing.T) {
	in(t, func(t *testing.T) {
		var many []agent.ToolCall
		for i := range 50 {
			many = append(many, agenttest.Ask("", "act", `{"i":`+strings.Repeat("1", i+1)+`}`))
		}
		act := agenttest.NewTool(agent.Spec{ID: "act", Risk: agent.External, Detached: true, Parameters: json.RawMessage(`{"type":"object"}`)}, nil)
		w := open(t, setup{
			script: agenttest.ScriptFunc(func(n int, _ *agent.Request) agenttest.Step {
				switch n {
				case 1:
					return calls(many...)
				case 3:
					return agenttest.Step{Hang: true}
				}
				return words("ok")
			}),
			tools: []agent.Tool{act}, policy: ask, limits: agent.Limits{Calls: 60},
		})
		w.run(say("a", "go"))
		w.send(say("b", "think"))
		synctest.Wait()
		for _, a := range w.Snapshot().Pending {
			w.resolve(a.ID, agent.Decision{Allow: true})
		}
		synctest.Wait()
		if act.Runs() != 50 || w.count(agent.ToolCompleted) != 50 {
			t.Errorf("%d ran, %d are done while the model thinks", act.Runs(), w.count(agent.ToolCompleted))
		}
	})
}
