package agent_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"urakata/internal/agent"
	"urakata/internal/agent/agenttest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestGoldenLogs folds logs event by event and compares what next says after each, with the log itself, to a file that a reviewer reads.
func TestGoldenLogs(t *testing.T) {
	act := func() agent.Tool { return tool("act", agent.External, nil) }
	for name, play := range map[string]func(t *testing.T) *world{
		"plain": func(t *testing.T) *world {
			w := open(t, setup{steps: []agenttest.Step{words("hello")}})
			w.run(say("a", "greet"))
			return w
		},
		"approved": func(t *testing.T) *world {
			w, a := asking(t, act(), words("done"))
			w.resolve(a.ID, agent.Decision{Allow: true, By: "op1"})
			w.settle()
			return w
		},
		"expired": func(t *testing.T) *world {
			w, a := asking(t, act(), words("ok"))
			time.Sleep(time.Until(a.Deadline))
			w.settle()
			return w
		},
		"detached": func(t *testing.T) *world {
			w := open(t, setup{
				steps:  []agenttest.Step{calls(agenttest.Ask("c", "act", "")), words("proposed"), words("heard")},
				tools:  []agent.Tool{agenttest.NewTool(agent.Spec{ID: "act", Risk: agent.External, Detached: true}, nil)},
				policy: ask,
			})
			w.run(say("a", "go"))
			w.resolve(w.pending().ID, agent.Decision{Allow: true, By: "op1"})
			w.settle()
			return w
		},
		"rejected": func(t *testing.T) *world {
			refuse := func(context.Context, string) ([]agent.Artifact, []string, error) { return nil, []string{"no"}, nil }
			w := open(t, setup{steps: []agenttest.Step{words("x"), words("y")}, session: agent.SessionConfig{Validate: refuse}})
			w.run(say("a", "go"))
			return w
		},
		"interrupted": func(t *testing.T) *world {
			w, _ := asking(t, act(), words("ok"))
			if err := w.Interrupt(t.Context(), "stop"); err != nil {
				t.Fatal(err)
			}
			return w
		},
	} {
		t.Run(name, func(t *testing.T) {
			in(t, func(t *testing.T) {
				w := play(t)
				log := w.store.Log("s1")
				lines, err := agent.NextAfter(log, agent.Limits{})
				if err != nil {
					t.Fatal(err)
				}
				var b strings.Builder
				for i, e := range log {
					b.WriteString(lines[i] + "\n      " + string(e.Body) + "\n")
				}
				golden(t, filepath.Join("testdata", name+".log"), b.String())
			})
		})
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
