package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"urakata/internal/agent"
	"urakata/internal/agent/agenttest"
)

func allow(ids ...string) agent.Policy { return agent.Lists{Allow: ids} }

func TestToolRoad(t *testing.T) {
	fails := func(err error) func(context.Context, *agent.Call) (agent.Result, error) {
		return func(context.Context, *agent.Call) (agent.Result, error) { return agent.Result{}, err }
	}
	ok := tool("ok", agent.Read, func(_ context.Context, c *agent.Call) (agent.Result, error) {
		return agent.Result{Output: json.RawMessage(`{"got":` + string(c.Arguments) + `}`)}, nil
	})
	hang := agenttest.NewTool(agent.Spec{ID: "hang", Risk: agent.Read, Timeout: minute}, func(ctx context.Context, _ *agent.Call) (agent.Result, error) {
		<-ctx.Done()
		return agent.Result{}, ctx.Err()
	})
	tools := []agent.Tool{
		ok, hang, tool("refuse", agent.Read, fails(&agent.ToolError{Code: "gone", Say: "that message is gone"})), tool("boom", agent.Read, fails(errBoom)),
		tool("panic", agent.Read, func(context.Context, *agent.Call) (agent.Result, error) { panic("secret") }), tool("hidden", agent.Read, nil),
		tool("denied", agent.Read, nil),
		tool("garbage", agent.Read, func(context.Context, *agent.Call) (agent.Result, error) {
			return agent.Result{Output: json.RawMessage(`{`)}, nil
		}),
	}
	for _, tt := range []struct {
		name  string
		call  agent.ToolCall
		kinds string // after step.completed, up to the second step
		told  []string
	}{
		{"AO-TOOL-01 an allowed call runs", agenttest.Ask("c", "ok", `{"id":"m"}`), "tool.requested tool.started tool.completed", []string{`{"got":{"id":"m"}}`}},
		{"no arguments are an empty object", agenttest.Ask("c", "ok", ""), "tool.requested tool.started tool.completed", []string{`{"got":{}}`}},
		{"AO-TOOL-02 without a word of the policy it is denied", agenttest.Ask("c", "denied", "{}"), "tool.requested tool.skipped", []string{"denied-by-policy", "no list allows"}},
		{"AO-TOOL-03 what the session may not see is unknown", agenttest.Ask("c", "hidden", "{}"), "tool.skipped", []string{"unknown-tool", "ok, hang"}},
		{"AO-TOOL-04 arguments that do not fit", agenttest.Ask("c", "ok", `{"id":1,"x":2}`), "tool.skipped", []string{"invalid-arguments", "id: got number, want string", "additional properties 'x' not allowed"}},
		{"arguments that are no object", agenttest.Ask("c", "ok", `[1]`), "tool.skipped", []string{"not an object"}},
		{"AO-TOOL-07 an error is told by its class", agenttest.Ask("c", "boom", "{}"), "tool.requested tool.started tool.failed", []string{`"code":"failed"`}},
		{"a refusal is told in its words", agenttest.Ask("c", "refuse", "{}"), "tool.requested tool.started tool.failed", []string{"gone", "that message is gone"}},
		{"a panic is a failure", agenttest.Ask("c", "panic", "{}"), "tool.requested tool.started tool.failed", []string{`"code":"panic"`}},
		{"AO-TOOL-08 a timeout is told", agenttest.Ask("c", "hang", "{}"), "tool.requested tool.started tool.failed", []string{`"code":"timeout"`, `"reason":"timeout"`}},
		{"a result that is not JSON", agenttest.Ask("c", "garbage", "{}"), "tool.requested tool.started tool.failed", []string{"bad-result"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in(t, func(t *testing.T) {
				w := open(t, setup{
					steps: []agenttest.Step{calls(tt.call), words("done")}, tools: tools,
					policy:  allow("ok", "hang", "refuse", "boom", "panic", "garbage"),
					session: agent.SessionConfig{Tools: []string{"ok", "hang", "refuse", "boom", "panic", "denied", "garbage"}},
				})
				if r := w.run(say("a", "go")); r.Text != "done" {
					t.Fatalf("it ended %+v", r)
				}
				wantKinds(t, w, "turn.started step.completed "+tt.kinds+" step.completed message.completed turn.completed")
				got := w.told("c")
				wantIn(t, got, tt.told...)
				if strings.Contains(got, "secret") {
					t.Errorf("the model was told %s", got)
				}
				paired(t, w.script.Requests()[1].Messages)
			})
		})
	}
}

func TestToolLimits(t *testing.T) {
	in(t, func(t *testing.T) {
		ok := tool("ok", agent.Read, nil)
		var many []agent.ToolCall
		for i := range 4 {
			many = append(many, agenttest.Ask(fmt.Sprint("c", i), "ok", fmt.Sprintf(`{"n":%d}`, i)))
		}
		many = append(many, agenttest.Ask("c0", "ok", `{"n":9}`))
		w := open(t, setup{steps: []agenttest.Step{calls(many...), words("done")}, tools: []agent.Tool{ok}, policy: allow("ok"), limits: agent.Limits{Calls: 3}})
		w.run(say("a", "go"))
		if ok.Runs() != 3 {
			t.Errorf("AO-TOOL-15: %d calls ran", ok.Runs())
		}
		wantIn(t, w.told("c3"), "call-limit", "at most 3")
		wantIn(t, w.told("c0_2"), "duplicate-call")
		paired(t, w.script.Requests()[1].Messages)
	})
}

func TestExclusive(t *testing.T) {
	in(t, func(t *testing.T) {
		var now, most int
		gate := make(chan struct{})
		beside := func(id string, exclusive bool) agent.Tool {
			return agenttest.NewTool(agent.Spec{ID: id, Risk: agent.Read, Exclusive: exclusive}, func(context.Context, *agent.Call) (agent.Result, error) {
				<-gate
				return agent.Result{}, nil
			})
		}
		w := open(t, setup{
			steps: []agenttest.Step{calls(agenttest.Ask("a", "x", ""), agenttest.Ask("b", "y", ""), agenttest.Ask("c", "alone", ""), agenttest.Ask("d", "x", "")), words("done")},
			tools: []agent.Tool{beside("x", false), beside("y", false), beside("alone", true)}, policy: allow("x", "y", "alone"), limits: agent.Limits{Identical: 9},
		})
		w.send(say("a", "go"))
		synctest.Wait()
		if n := w.count(agent.ToolStarted); n != 2 {
			t.Errorf("%d calls began side by side, want 2", n)
		}
		close(gate)
		w.settle()
		for _, e := range w.store.Log("s1") {
			switch e.Kind {
			case agent.ToolStarted:
				now++
			case agent.ToolCompleted:
				now--
			default:
			}
			most = max(most, now)
		}
		if most != 2 || w.count(agent.ToolCompleted) != 4 {
			t.Errorf("at most %d ran at once, %d completed", most, w.count(agent.ToolCompleted))
		}
	})
}

func TestToolInterrupt(t *testing.T) {
	for _, tt := range []struct {
		name   string
		effect agent.Effect
		deaf   bool
		want   string
	}{
		{"AO-TOOL-09 a handler that stops", agent.Once, false, "tool.failed turn.interrupted"},
		{"one that does not, and may have acted, is unknown", agent.Once, true, "tool.unknown turn.interrupted"},
		{"one that does not, and is pure, has failed", agent.Pure, true, "tool.failed turn.interrupted"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in(t, func(t *testing.T) {
				gate := make(chan struct{})
				w := open(t, setup{
					steps: []agenttest.Step{calls(agenttest.Ask("c", "act", "")), words("ok")}, policy: allow("act"),
					tools: []agent.Tool{agenttest.NewTool(agent.Spec{ID: "act", Risk: agent.Read, Effect: tt.effect}, func(ctx context.Context, _ *agent.Call) (agent.Result, error) {
						if tt.deaf {
							<-gate
							return agent.Result{Output: json.RawMessage(`"late"`)}, nil
						}
						<-ctx.Done()
						return agent.Result{}, context.Cause(ctx)
					})},
				})
				w.send(say("a", "go"))
				synctest.Wait()
				if err := w.Interrupt(t.Context(), "stop"); err != nil {
					t.Fatal(err)
				}
				close(gate)
				wantKinds(t, w, "turn.started step.completed tool.requested tool.started "+tt.want)
				w.run(say("b", "again"))
				paired(t, w.script.Requests()[1].Messages)
				if strings.Contains(w.told("c"), "late") {
					t.Error("a late result reached the model")
				}
			})
		})
	}
}

func TestD01_MalformedArguments(t *testing.T) {
	in(t, func(t *testing.T) {
		ok := tool("ok", agent.Read, nil)
		bad := `{"{"tagIds": ` + strings.Repeat("あ", 500)
		w := open(t, setup{
			steps: []agenttest.Step{calls(agenttest.Ask("c1", "ok", bad), agenttest.Ask("c2", "ok", `{"id":"x"}`)), words("done")},
			tools: []agent.Tool{ok}, policy: allow("ok"),
		})
		if r := w.run(say("a", "go")); r.Text != "done" {
			t.Errorf("it ended %+v", r)
		}
		got := w.told("c1")
		wantIn(t, got, "invalid-arguments", "not valid JSON", "You wrote")
		if len(got) > 500 {
			t.Errorf("the model was told %d bytes", len(got))
		}
		if ok.Runs() != 1 || w.told("c2") != `"ok"` {
			t.Errorf("the other call ran %d times", ok.Runs())
		}
		skipped := bodies[agent.CallDoneBody](w, agent.ToolSkipped)
		if len(skipped) != 1 || skipped[0].Error.Code != "invalid-arguments" {
			t.Errorf("the log shows %+v", skipped)
		}
	})
}

func TestD02_CancelledCallsHaveResults(t *testing.T) {
	in(t, func(t *testing.T) {
		w := open(t, setup{
			steps:  []agenttest.Step{calls(agenttest.Ask("c1", "act", ""), agenttest.Ask("c2", "act", `{"n":1}`)), words("ok")},
			policy: agent.Lists{Ask: []string{"act"}}, tools: []agent.Tool{tool("act", agent.External, nil)},
		})
		w.send(say("a", "go"))
		w.settle()
		if err := w.Interrupt(t.Context(), "stopped by op1"); err != nil {
			t.Fatal(err)
		}
		w.run(say("b", "next batch"))
		paired(t, w.script.Requests()[1].Messages)
		wantIn(t, w.told("c1"), "cancelled", "stopped by op1")
		if len(w.Snapshot().Pending) != 0 {
			t.Error("an approval of an interrupted turn waits")
		}
	})
}

func TestD03_HistoryIsSane(t *testing.T) {
	in(t, func(t *testing.T) {
		strict := agenttest.ScriptFunc(func(n int, req *agent.Request) agenttest.Step {
			for _, m := range req.Messages {
				for _, c := range m.Calls {
					if !json.Valid([]byte(c.Arguments)) {
						return agenttest.Step{Err: &agent.BackendError{Backend: "script", Code: "overloaded", Say: "500", Retryable: true}}
					}
				}
			}
			if n == 1 {
				return calls(agenttest.Ask("c1", "ok", `{"q": "unfinished`))
			}
			return words("fine")
		})
		w := open(t, setup{script: strict, tools: []agent.Tool{tool("ok", agent.Read, nil)}, policy: allow("ok")})
		for _, id := range []string{"a", "b"} {
			if r := w.run(say(id, "go")); r.Text != "fine" {
				t.Errorf("turn %s ended %+v", id, r.End)
			}
		}
		if n := len(w.script.Requests()); n != 3 {
			t.Errorf("%d requests", n)
		}
	})
	t.Run("what a backend cannot take does not stay in the history", func(t *testing.T) {
		in(t, func(t *testing.T) {
			w := open(t, setup{steps: []agenttest.Step{{Err: &agent.BackendError{Backend: "script", Code: "context-overflow", Say: "too long"}}, words("fine")}})
			w.run(say("a", "poison"))
			w.run(say("b", "next"))
			for _, m := range w.script.Requests()[1].Messages {
				if m.Text == "poison" {
					t.Error("it stayed")
				}
			}
		})
	})
}

func TestD04_Stuck(t *testing.T) {
	in(t, func(t *testing.T) {
		search := tool("search_chat", agent.Read, nil)
		w := open(t, setup{
			script: agenttest.ScriptFunc(func(n int, _ *agent.Request) agenttest.Step {
				return agenttest.Step{Calls: []agent.ToolCall{agenttest.Ask(fmt.Sprint("c", n), "search_chat", `{ "id" : "test" }`)}, Usage: &agent.Usage{Known: true, Total: 10}}
			}),
			tools: []agent.Tool{search}, policy: allow("search_chat"),
		})
		r := w.run(say("a", "go"))
		if r.Ended != agent.TurnFailed || r.End.Stop != "stuck" || r.End.Error.Code != "stuck" || r.End.Usage.Total != 40 {
			t.Errorf("it ended %s %+v", r.Ended, r.End)
		}
		if search.Runs() != 3 {
			t.Errorf("it ran %d times", search.Runs())
		}
	})
}

func TestFinalTool(t *testing.T) {
	in(t, func(t *testing.T) {
		last := tool("hand_in", agent.Draft, func(context.Context, *agent.Call) (agent.Result, error) {
			return agent.Result{Final: true, Artifacts: []agent.Artifact{{Type: "card", Data: json.RawMessage(`{}`)}}}, nil
		})
		w := open(t, setup{steps: []agenttest.Step{calls(agenttest.Ask("c", "hand_in", ""))}, tools: []agent.Tool{last}, policy: allow("hand_in")})
		r := w.run(say("a", "go"))
		if r.End.Stop != "final" || len(r.Artifacts) != 1 || r.Artifacts[0].Turn != r.Turn || r.Artifacts[0].Version != 1 || r.Artifacts[0].ID == "" {
			t.Errorf("it ended %+v", r)
		}
	})
}

func TestValidator(t *testing.T) {
	check := func(_ context.Context, text string) ([]agent.Artifact, []string, error) {
		switch text {
		case "good":
			return []agent.Artifact{{Type: "card", Data: json.RawMessage(`{"a":1}`)}}, nil, nil
		case "fault":
			return nil, nil, errBoom
		}
		return nil, []string{"evidence 3 does not exist"}, nil
	}
	for _, tt := range []struct {
		name  string
		says  []string
		kinds string
		stop  string
	}{
		{"AO-SES-03 a good answer", []string{"good"}, "step.completed message.completed artifact.created turn.completed", "end"},
		{"a repair", []string{"bad", "good"}, "step.completed output.rejected step.completed message.completed artifact.created turn.completed", "end"},
		{"one repair only", []string{"bad", "bad", "good"}, "step.completed output.rejected step.completed output.rejected turn.failed", "rejected"},
		{"a validator that breaks", []string{"fault"}, "turn.failed", "validator"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in(t, func(t *testing.T) {
				var steps []agenttest.Step
				for _, s := range tt.says {
					steps = append(steps, words(s))
				}
				script := agenttest.ScriptFunc(func(n int, _ *agent.Request) agenttest.Step {
					if n > len(steps) {
						return words("good")
					}
					return steps[n-1]
				})
				w := open(t, setup{script: script, session: agent.SessionConfig{Validate: check}})
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				go func() {
					for e := range w.Events(ctx, 0) {
						if e.Kind == agent.MessageDelta || strings.Contains(string(e.Body), `"text":"bad"`) {
							t.Errorf("%s was shown: %s", e.Kind, e.Body)
						}
					}
				}()
				synctest.Wait()
				r := w.run(say("a", "go"))
				synctest.Wait()
				if r.End.Stop != tt.stop {
					t.Errorf("it stopped with %q: %+v", r.End.Stop, r.End)
				}
				wantKinds(t, w, "turn.started "+tt.kinds)
				asked := w.script.Requests()
				if last := asked[len(asked)-1].Messages; len(asked) > 1 && last[len(last)-1].Kind != "repair" {
					t.Errorf("the repair asks %+v", last[len(last)-1])
				}
			})
		})
	}
}

func TestPolicyPanicsAndHangs(t *testing.T) {
	for name, tt := range map[string]struct {
		policy policyFunc
		told   string
	}{
		"AO-POLICY-05 an error denies": {func(context.Context) (agent.Verdict, error) { return agent.Verdict{Action: agent.Allow}, errBoom }, "could not decide"},
		"a panic denies":               {func(context.Context) (agent.Verdict, error) { panic("x") }, "could not decide"},
		"AO-POLICY-06 asking needs a reason": {func(context.Context) (agent.Verdict, error) {
			return agent.Verdict{Action: agent.Ask, Reason: " "}, nil
		}, "without a reason"},
		"AO-POLICY-06 so does denying":           {func(context.Context) (agent.Verdict, error) { return agent.Verdict{}, nil }, "without a reason"},
		"AO-POLICY-07 an unknown verdict denies": {func(context.Context) (agent.Verdict, error) { return agent.Verdict{Action: "maybe", Reason: "r"}, nil }, "denied-by-policy"},
	} {
		t.Run(name, func(t *testing.T) {
			in(t, func(t *testing.T) {
				act := tool("act", agent.Read, nil)
				w := open(t, setup{steps: []agenttest.Step{calls(agenttest.Ask("c", "act", "")), words("ok")}, tools: []agent.Tool{act}, policy: tt.policy})
				w.run(say("a", "go"))
				wantIn(t, w.told("c"), tt.told)
				if act.Runs() != 0 {
					t.Error("it ran")
				}
			})
		})
	}
	t.Run("AO-TOOL-12 a policy that never answers can be interrupted", func(t *testing.T) {
		in(t, func(t *testing.T) {
			act := tool("act", agent.Read, nil)
			w := open(t, setup{
				steps: []agenttest.Step{calls(agenttest.Ask("c", "act", ""))}, tools: []agent.Tool{act},
				policy: policyFunc(func(ctx context.Context) (agent.Verdict, error) { <-ctx.Done(); return agent.Verdict{}, ctx.Err() }),
			})
			w.send(say("a", "go"))
			synctest.Wait()
			if err := w.Interrupt(t.Context(), "stop"); err != nil || act.Runs() != 0 {
				t.Errorf("%v, ran %d", err, act.Runs())
			}
		})
	})
}

type policyFunc func(ctx context.Context) (agent.Verdict, error)

func (f policyFunc) Decide(ctx context.Context, _ *agent.Call, _ agent.PolicyInput) (agent.Verdict, error) {
	return f(ctx)
}

func TestNewRefuses(t *testing.T) {
	bad := agenttest.NewTool(agent.Spec{ID: "bad", Name: "no spaces please", Risk: 9, Effect: "twice", Parameters: json.RawMessage(`{"type":"object","minProperties":1}`)}, nil)
	_, err := agent.New(agent.Config{Tools: []agent.Tool{bad, bad, nil}, Policy: agent.Lists{Allow: []string{"typo"}}, Limits: agent.Limits{Steps: -1}})
	var all *agent.ConfigError
	if !errors.As(err, &all) {
		t.Fatalf("New says %v", err)
	}
	wantIn(t, err.Error(), "ID is required", "Brief is required", "Backend is required", "Store is required", `keyword "minProperties"`, "no spaces please", "risk 9",
		`effect "twice"`, "another tool has this id", "tool 2 is nil", `policy names tool "typo"`, "limit steps is -1")
}
