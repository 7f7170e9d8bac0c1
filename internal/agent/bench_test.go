package agent_test

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"testing"

	"urakata/internal/agent"
	"urakata/internal/agent/agenttest"
)

// benchmark opens sessions of one agent whose model calls a tool first, if one is named.
func benchmark(b *testing.B, name string, policy agent.Policy, sessions int) []*agent.Session {
	b.Helper()
	script := quiet{func(r *agent.Request) agenttest.Step {
		if name != "" && r.Step == 1 {
			return calls(agenttest.Ask("c", name, ""))
		}
		return words("ok")
	}}
	a, err := agent.New(agent.Config{
		ID: "mika", Brief: "b", Backend: script, Tools: []agent.Tool{tool("act", agent.Read, nil)}, Policy: policy, Store: agenttest.NewMemory(),
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := a.Close(context.Background()); err != nil {
			b.Error(err)
		}
	})
	var all []*agent.Session
	for i := range sessions {
		s, err := a.Open(b.Context(), agent.SessionConfig{
			ID: agent.SessionID(fmt.Sprint("s", i)), Purpose: "p", Audience: agent.Operator, Trust: agent.Trusted, Tools: []string{"act"},
		})
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

// quiet is a backend that forgets what it was asked.
type quiet struct {
	answer func(req *agent.Request) agenttest.Step
}

func (q quiet) Name() string { return "quiet" }

func (q quiet) Capabilities() agent.Capabilities { return agent.Capabilities{Text: true, Tools: true} }

func (q quiet) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Delta, error] {
	return agenttest.NewScript(q.answer(req)).Stream(ctx, req)
}

func turn(b *testing.B, s *agent.Session) {
	r, err := s.Run(b.Context(), agent.Input{Instruction: "go"})
	if err != nil || r.Ended != agent.TurnCompleted {
		b.Error(r, err)
	}
}

func BenchmarkPlainTurn(b *testing.B) {
	s := benchmark(b, "", nil, 1)[0]
	b.ReportAllocs()
	for b.Loop() {
		turn(b, s)
	}
}

func BenchmarkOneToolTurn(b *testing.B) {
	s := benchmark(b, "act", agent.Lists{Allow: []string{"act"}}, 1)[0]
	b.ReportAllocs()
	for b.Loop() {
		turn(b, s)
	}
}

func BenchmarkApprovedTurn(b *testing.B) {
	s := benchmark(b, "act", agent.Lists{Ask: []string{"act"}}, 1)[0]
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Send(b.Context(), agent.Input{Instruction: "go"}); err != nil {
			b.Fatal(err)
		}
		if err := s.Wait(b.Context()); err != nil {
			b.Fatal(err)
		}
		if _, err := s.Resolve(b.Context(), s.Snapshot().Pending[0].ID, agent.Decision{Allow: true}); err != nil {
			b.Fatal(err)
		}
		if err := s.Wait(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

func Benchmark200Sessions(b *testing.B) {
	all := benchmark(b, "act", agent.Lists{Allow: []string{"act"}}, 200)
	b.ReportAllocs()
	for b.Loop() {
		var group sync.WaitGroup
		for _, s := range all {
			group.Go(func() { turn(b, s) })
		}
		group.Wait()
	}
}
