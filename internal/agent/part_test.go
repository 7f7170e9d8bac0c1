package agent_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"urakata/internal/agent"
	"urakata/internal/agent/agenttest"
)

func TestRisk(t *testing.T) {
	order := []agent.Risk{agent.Read, agent.Draft, agent.Write, agent.External, agent.Destructive}
	for i, r := range order {
		for j, o := range order {
			if r.AtLeast(o) != (i >= j) {
				t.Errorf("AO-POLICY-08: %s at least %s is %v", r, o, r.AtLeast(o))
			}
		}
		raw, err := json.Marshal(r)
		var back agent.Risk
		if err != nil || json.Unmarshal(raw, &back) != nil || back != r {
			t.Errorf("%s became %s and then %s", r, raw, back)
		}
	}
	if !agent.Risk(99).AtLeast(agent.Destructive) {
		t.Error("what is no risk of ours is not the worst")
	}
	if err := json.Unmarshal([]byte(`"harmless"`), new(agent.Risk)); err == nil {
		t.Error("an unknown word was read")
	}
}

func TestLists(t *testing.T) {
	write := agent.Write
	for _, tt := range []struct {
		name  string
		lists agent.Lists
		risk  agent.Risk
		want  agent.VerdictAction
	}{
		{"AO-POLICY-01 deny wins over everything", agent.Lists{Deny: []string{"x"}, Ask: []string{"x"}, Allow: []string{"x"}}, agent.Read, agent.Deny},
		{"AO-POLICY-02 asking comes before allowing", agent.Lists{Ask: []string{"x"}, Allow: []string{"x"}}, agent.Read, agent.Ask},
		{"AO-POLICY-02 by risk too", agent.Lists{AskRiskAtLeast: &write, Allow: []string{"x"}}, agent.External, agent.Ask},
		{"AO-POLICY-03 below that risk the allow list counts", agent.Lists{AskRiskAtLeast: &write, Allow: []string{"x"}}, agent.Draft, agent.Allow},
		{"AO-POLICY-04 the default denies", agent.Lists{}, agent.Read, agent.Deny},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, err := tt.lists.Decide(t.Context(), nil, agent.PolicyInput{Spec: agent.Spec{ID: "x", Risk: tt.risk}})
			if err != nil || v.Action != tt.want || v.Action != agent.Allow && v.Reason == "" {
				t.Errorf("it says %+v, %v", v, err)
			}
		})
	}
}

func TestSchemaSubset(t *testing.T) {
	for _, tt := range []struct {
		name, schema string
		issues       []string
	}{
		{"a good one", `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string","enum":["x"]}}},"required":["a"],"additionalProperties":false}`, nil},
		{"AO-SCHEMA-01 an object at the top", `{"type":"string"}`, []string{`(top): type must be "object"`}},
		{"AO-SCHEMA-02 arrays need items", `{"type":"object","properties":{"a":{"type":"array"}}}`, []string{"a: an array needs items"}},
		{"AO-SCHEMA-03 required is declared", `{"type":"object","required":["b"]}`, []string{"(top): required names b, which is not a property"}},
		{"AO-SCHEMA-04 enum of primitives", `{"type":"object","properties":{"a":{"type":"string","enum":[]}}}`, []string{"a: enum must list one or more texts, numbers, booleans or null"}},
		{"AO-SCHEMA-05 additionalProperties", `{"type":"object","additionalProperties":{}}`, []string{"(top): additionalProperties must be true or false"}},
		{"all at once, deep", `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":["string"]},"c":{"type":"string","pattern":"x"}}}}}`, []string{
			"a.b: type must be one of array, boolean, integer, null, number, object, string", `a.c: keyword "pattern" is not supported`,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.issues, agent.Subset([]byte(tt.schema))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSchemaIssues(t *testing.T) {
	schema := `{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"n":{"type":"integer"},"k":{"type":"string","enum":["x","y"]}},"required":["n"],"additionalProperties":false}}},"required":["a"]}`
	got, err := agent.CheckSchema(schema, `{"a":[{"n":1.5,"k":"z","more":1},{"k":"x"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"a.0.k: value must be one of 'x', 'y'", "a.0.n: got number, want integer", "a.0: additional properties 'more' not allowed", "a.1: missing property 'n'",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("AO-SCHEMA-06: %s", diff)
	}
	if got, err := agent.CheckSchema(schema, `{"a":[{"n":2.0}]}`); err != nil || len(got) != 0 {
		t.Errorf("an integral number says %v, %v", got, err)
	}
}

func TestRedact(t *testing.T) {
	for _, tt := range []struct{ name, raw, want string }{
		{"AO-REDACT-01 nested", `{"auth":{"token":"abcd"},"x":1}`, `{"auth":{"token":"[REDACTED]"},"x":1}`},
		{"AO-REDACT-02 what is not there", `{"x":1.50}`, `{"x":1.50}`},
		{"AO-REDACT-03 inside arrays, which the reference leaks", `[{"auth":[{"token":"abcd"},{"token":["efgh"]}]}]`, `[{"auth":[{"token":"[REDACTED]"},{"token":"[REDACTED]"}]}]`},
		{"the value elsewhere", `{"auth":{"token":"abcd"},"note":"use abcd"}`, `{"auth":{"token":"[REDACTED]"},"note":"use [REDACTED]"}`},
		{"not JSON", `{"auth`, `"[REDACTED]"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := agent.Redact(tt.raw, "auth.token"); got != tt.want {
				t.Errorf("it became %s", got)
			}
		})
	}
}

func TestErrorsAreRedacted(t *testing.T) {
	in(t, func(t *testing.T) {
		act := agenttest.NewTool(agent.Spec{
			ID: "act", Risk: agent.Read, Sensitive: []string{"tokens"},
			Parameters: json.RawMessage(`{"type":"object","properties":{"tokens":{"type":"array","items":{"type":"string"}}}}`),
		}, func(context.Context, *agent.Call) (agent.Result, error) {
			return agent.Result{}, &agent.ToolError{Code: "no", Say: "hush-hush is wrong", Details: map[string]any{"tokens": "other", "seen": "hush-hush"}}
		})
		w := open(t, setup{steps: []agenttest.Step{calls(agenttest.Ask("c", "act", `{"tokens":["hush-hush"]}`)), words("ok")}, tools: []agent.Tool{act}, policy: allow("act")})
		w.run(say("a", "go"))
		for e, err := range w.Events(endsAtOnce(t), 0) {
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(e.Body), "hush-hush") {
				t.Errorf("AO-TOOL-06: %s shows %s", e.Kind, e.Body)
			}
		}
	})
}

// endsAtOnce is a context that ends when the bubble has come to rest.
func endsAtOnce(t *testing.T) context.Context {
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		synctest.Wait()
		stop()
	}()
	return ctx
}

type lookInput struct {
	Platform string   `json:"platform" jsonschema:"enum=youtube,enum=twitch,description=Where"`
	Days     int      `json:"days,omitempty"`
	Tags     []string `json:"tags,omitempty"`
	Inner    struct {
		A *float64 `json:"a,omitempty"`
	} `json:"inner"`
}

func TestFunc(t *testing.T) {
	look, err := agent.Func(agent.Spec{ID: "channel.look"}, func(_ context.Context, _ *agent.Call, in lookInput) (map[string]any, error) {
		return map[string]any{"days": in.Days}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var got, want any
	if err := json.Unmarshal(look.Spec().Parameters, &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(`{"type":"object","additionalProperties":false,"required":["platform","inner"],"properties":{
		"platform":{"type":"string","enum":["youtube","twitch"],"description":"Where"},"days":{"type":"integer"},"tags":{"type":"array","items":{"type":"string"}},
		"inner":{"type":"object","additionalProperties":false,"properties":{"a":{"type":"number"}}}}}`), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	r, err := look.Run(t.Context(), &agent.Call{Arguments: json.RawMessage(`{"platform":"youtube","days":3,"inner":{}}`)})
	if err != nil || string(r.Output) != `{"days":3}` {
		t.Errorf("it gave %s, %v", r.Output, err)
	}
	type loose struct {
		M map[string]int `json:"m"`
	}
	if _, err := agent.Func(agent.Spec{ID: "loose"}, func(context.Context, *agent.Call, loose) (int, error) { return 0, nil }); err == nil {
		t.Error("an open map was taken")
	}
}

func TestSlowListener(t *testing.T) {
	in(t, func(t *testing.T) {
		many := make([]string, 2000)
		for i := range many {
			many[i] = "x"
		}
		w := open(t, setup{script: agenttest.ScriptFunc(func(int, *agent.Request) agenttest.Step { return agenttest.Step{Deltas: many} })})
		ctx, stop := context.WithCancel(t.Context())
		gate, done := make(chan struct{}), make(chan struct{})
		var stored []agent.Seq
		deltas := 0
		go func() {
			defer close(done)
			for e := range w.Events(ctx, 0) {
				<-gate
				if e.Seq == 0 {
					deltas++
					continue
				}
				stored = append(stored, e.Seq)
			}
		}()
		synctest.Wait()
		for range 100 {
			w.run(agent.Input{Instruction: "go"})
		}
		close(gate)
		synctest.Wait()
		stop()
		<-done
		for i, seq := range stored {
			if seq != agent.Seq(i+1) {
				t.Fatalf("event %d came in place %d", seq, i)
			}
		}
		if want := int(w.Snapshot().Seq); len(stored) != want || deltas >= 2000*100 {
			t.Errorf("%d of %d stored events came, and %d deltas", len(stored), want, deltas)
		}
	})
}

func TestHistoryIsBounded(t *testing.T) {
	in(t, func(t *testing.T) {
		w := open(t, setup{script: agenttest.ScriptFunc(func(int, *agent.Request) agenttest.Step { return words("ok") }), limits: agent.Limits{History: 6}})
		for range 20 {
			w.run(agent.Input{Instruction: "go"})
		}
		asked := w.script.Requests()
		if n := len(asked[19].Messages); n > 8 || asked[19].Messages[0].Role != agent.RoleInstruction {
			t.Errorf("the last request has %d messages", n)
		}
	})
}
