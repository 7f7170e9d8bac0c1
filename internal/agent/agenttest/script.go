package agenttest

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"sync"
	"sync/atomic"

	"urakata/internal/agent"
)

// Step is one scripted answer. The zero value answers nothing and stops.
type Step struct {
	Text   string
	Deltas []string // instead of Text, in pieces
	Calls  []agent.ToolCall
	Usage  *agent.Usage
	Stop   agent.StopReason // empty: StopCalls with calls, StopEnd without
	Err    error            // after the pieces, instead of a stop
	Cut    bool             // ends without a stop
	Panic  string           // after the pieces
	Hang   bool             // after the pieces, until the context ends
	Deaf   <-chan struct{}  // after the pieces, until this closes, whatever the context does
	Linger <-chan struct{}  // after the stop, until this closes
}

// Script is a backend that answers from a list or a function and remembers what it was asked.
type Script struct {
	answer func(n int, req *agent.Request) Step

	mu       sync.Mutex // guards requests
	requests []*agent.Request
}

// NewScript answers with the steps in order. When they are used up it says so as an error that is not retryable.
func NewScript(steps ...Step) *Script {
	return ScriptFunc(func(n int, _ *agent.Request) Step {
		if n > len(steps) {
			return Step{Err: &agent.BackendError{Backend: "script", Code: "script-over", Say: fmt.Sprintf("there is no step %d", n)}}
		}
		return steps[n-1]
	})
}

// ScriptFunc answers with a function; n counts the requests from 1.
func ScriptFunc(answer func(n int, req *agent.Request) Step) *Script { return &Script{answer: answer} }

// Name is "script".
func (s *Script) Name() string { return "script" }

// Capabilities has text, streaming, tools and interruption.
func (s *Script) Capabilities() agent.Capabilities {
	return agent.Capabilities{Text: true, Streaming: true, Tools: true, Interruption: true, Offline: true}
}

// Requests gives what was asked so far.
func (s *Script) Requests() []*agent.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*agent.Request(nil), s.requests...)
}

// Stream answers one step.
func (s *Script) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Delta, error] {
	s.mu.Lock()
	s.requests = append(s.requests, req)
	n := len(s.requests)
	s.mu.Unlock()
	step := s.answer(n, req)
	return func(yield func(agent.Delta, error) bool) { step.play(ctx, yield) }
}

func (s Step) play(ctx context.Context, yield func(agent.Delta, error) bool) {
	pieces := s.Deltas
	if s.Text != "" {
		pieces = []string{s.Text}
	}
	for _, p := range pieces {
		if !yield(agent.Delta{Text: p}, nil) {
			return
		}
	}
	for i := range s.Calls {
		if !yield(agent.Delta{Call: &s.Calls[i]}, nil) {
			return
		}
	}
	switch {
	case s.Panic != "":
		panic(s.Panic)
	case s.Hang:
		<-ctx.Done()
		yield(agent.Delta{}, context.Cause(ctx))
		return
	case s.Deaf != nil:
		<-s.Deaf
	case s.Err != nil:
		yield(agent.Delta{}, s.Err)
		return
	case s.Cut:
		return
	}
	stop := s.Stop
	if stop == "" {
		stop = agent.StopEnd
		if len(s.Calls) > 0 {
			stop = agent.StopCalls
		}
	}
	yield(agent.Delta{Stop: stop, Usage: s.Usage, Model: "script-1"}, nil)
	if s.Linger != nil {
		<-s.Linger
	}
}

// Ask makes a call for a Step.
func Ask(id, tool, arguments string) agent.ToolCall {
	return agent.ToolCall{ID: id, Tool: tool, Arguments: arguments}
}

// IDs makes ids that count: "turn_1", "event_7". Safe for many goroutines.
func IDs() func(prefix string) string {
	var mu sync.Mutex
	count := map[string]int{}
	return func(prefix string) string {
		mu.Lock()
		defer mu.Unlock()
		count[prefix]++
		return prefix + "_" + strconv.Itoa(count[prefix])
	}
}

// Tool is a tool from a spec and a function, which counts its runs.
type Tool struct {
	spec agent.Spec
	run  func(ctx context.Context, c *agent.Call) (agent.Result, error)
	runs atomic.Int64
}

// NewTool makes a tool. A nil run answers "ok".
func NewTool(spec agent.Spec, run func(ctx context.Context, c *agent.Call) (agent.Result, error)) *Tool {
	if run == nil {
		run = func(context.Context, *agent.Call) (agent.Result, error) {
			return agent.Result{Output: []byte(`"ok"`)}, nil
		}
	}
	return &Tool{spec: spec, run: run}
}

// Spec is the spec.
func (t *Tool) Spec() agent.Spec { return t.spec }

// Run counts and runs.
func (t *Tool) Run(ctx context.Context, c *agent.Call) (agent.Result, error) {
	t.runs.Add(1)
	return t.run(ctx, c)
}

// Runs says how often the tool was run.
func (t *Tool) Runs() int { return int(t.runs.Load()) }
