package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A step is asked at most this often; only a BackendError that says so is asked again.
const maxTries = 3

// modelRun is the model call that runs, and then the judging of what it said.
type modelRun struct {
	cancel  context.CancelCauseFunc
	live    bool // guarded by the hub: its deltas may be shown
	told    bool // it has answered
	inputs  []string
	started time.Time
}

// took says whether the running step has told the model this input.
func (r *modelRun) took(input string) bool { return r != nil && slices.Contains(r.inputs, input) }

// answer is what a model said in one step.
type answer struct {
	text  string
	calls []ToolCall
	usage Usage
	model string
	stop  StopReason
}

func (l *loop) callModel(ctx context.Context) {
	ctx, cancel := context.WithCancelCause(ctx)
	inputs := l.st.nextStepInputs()
	run := &modelRun{cancel: cancel, live: !l.s.validates(), started: l.now()}
	for _, in := range inputs {
		run.inputs = append(run.inputs, in.ID)
	}
	l.model = run
	req := l.request(inputs)
	l.s.work.Go(func() { l.s.think(ctx, run, req) })
}

// request is what the backend may know.
func (l *loop) request(inputs []Input) *Request {
	cfg, t := l.s.agent.cfg, l.st.turn
	messages := l.st.history[:len(l.st.history):len(l.st.history)]
	if open := l.st.open(); len(open) > 0 {
		messages = slices.Insert(slices.Clone(messages), t.start, sayPending(open))
	}
	for _, in := range inputs {
		messages = append(messages, in.messages()...)
	}
	return &Request{
		Agent: cfg.ID, Turn: t.id, Session: l.s.cfg.ID, Step: t.steps + 1, Purpose: l.s.cfg.Purpose, Audience: l.s.cfg.Audience,
		Trust: l.s.cfg.Trust, System: cfg.Brief, Messages: messages, Tools: l.s.box.defs(), Output: l.s.cfg.Output, Language: l.s.cfg.Language,
	}
}

// think asks the backend, again when it says that this may help, and reports.
func (s *Session) think(ctx context.Context, run *modelRun, req *Request) {
	for try := 1; ; try++ {
		err := s.stream(ctx, run, req)
		if err == nil {
			return
		}
		var fault *BackendError
		again := errors.As(err, &fault) && fault.Retryable && try < maxTries && ctx.Err() == nil
		if !again {
			s.report(func(ctx context.Context, l *loop) { l.heard(ctx, run, answer{}, err) })
			return
		}
		s.agent.cfg.Log.Warn("asking the backend again", "session", s.cfg.ID, "try", try, "code", fault.Code)
		select {
		case <-time.After(time.Duration(1<<(try-1)) * time.Second):
		case <-ctx.Done():
		}
		s.delta(run, req.Turn, MessageBody{Restart: true})
	}
}

// stream reads one answer and reports it at the word that ends it: a backend that lingers after that holds nobody up.
func (s *Session) stream(ctx context.Context, run *modelRun, req *Request) (err error) {
	told := false
	defer func() {
		if r := recover(); r != nil && !told {
			err = &BackendError{Backend: s.agent.cfg.Backend.Name(), Code: CodePanic, Say: fmt.Sprintf("the backend panicked: %T", r)}
		}
	}()
	var a answer
	var text strings.Builder
	for d, err := range s.agent.cfg.Backend.Stream(ctx, req) {
		if err != nil {
			return err
		}
		if d.Text != "" {
			text.WriteString(d.Text)
			s.delta(run, req.Turn, MessageBody{Text: d.Text})
		}
		if d.Call != nil {
			a.calls = append(a.calls, *d.Call)
		}
		if d.Usage != nil {
			a.usage = *d.Usage
		}
		a.model = orElse(d.Model, a.model)
		if d.Stop != "" {
			a.stop, a.text = d.Stop, text.String()
			told = true
			s.report(func(ctx context.Context, l *loop) { l.heard(ctx, run, a, nil) })
			return nil
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &BackendError{Backend: s.agent.cfg.Backend.Name(), Code: "protocol", Say: "the answer ended without saying why"}
}

func (s *Session) delta(run *modelRun, turn string, body MessageBody) {
	s.hub.delta(&run.live, func() Event {
		cfg := s.agent.cfg
		return Event{
			ID: cfg.NewID("event"), Kind: MessageDelta, At: cfg.Now().UTC().Round(0), Agent: cfg.ID, Session: s.cfg.ID, Turn: turn,
			Body: []byte(compact(body)),
		}
	})
}

// heard takes an answer from the model. One that comes late is nobody's.
func (l *loop) heard(ctx context.Context, run *modelRun, a answer, err error) {
	if l.model != run || run.told {
		return
	}
	run.told = true
	l.s.hub.disarm(&run.live)
	run.cancel(nil)
	if l.ending != nil || !l.halt.IsZero() {
		l.model = nil
		return
	}
	if err != nil {
		l.model = nil
		l.broke(backendFault(err))
		return
	}
	step := StepBody{
		Step: l.st.turn.steps + 1, Usage: a.usage, Backend: l.s.agent.cfg.Backend.Name(), Model: a.model, Inputs: run.inputs,
		LatencyMS: l.now().Sub(run.started).Milliseconds(),
	}
	calls := l.emitted(a.calls)
	step.Message = Message{Role: RoleAssistant, Text: a.text}
	for _, c := range calls {
		step.Message.Calls = append(step.Message.Calls, c.clean)
	}
	if len(calls) == 0 && !l.s.validates() {
		l.model = nil
		l.said(ctx, step, a.stop, nil)
		return
	}
	l.examine(ctx, run, step, a.stop, calls)
}

// said ends the turn with its final message.
func (l *loop) said(ctx context.Context, step StepBody, stop StopReason, artifacts []Artifact) {
	turn := l.st.turn.id
	events := []Event{l.event(StepCompleted, turn, step), l.event(MessageCompleted, turn, MessageBody{Text: step.Message.Text})}
	for _, a := range artifacts {
		events = append(events, l.event(ArtifactCreated, turn, ArtifactBody{Artifact: l.filled(a)}))
	}
	l.must(ctx, append(events, l.event(TurnCompleted, turn, l.endBody(string(stop), nil, &step)))...)
}

// filled gives an artifact what only the runtime knows.
func (l *loop) filled(a Artifact) Artifact {
	a.ID = orElse(a.ID, l.s.agent.cfg.NewID("artifact"))
	a.Version = max(a.Version, 1)
	a.At, a.Agent, a.Session = l.now(), l.s.agent.cfg.ID, l.s.cfg.ID
	if a.Turn == "" && l.st.turn != nil {
		a.Turn = l.st.turn.id
	}
	return a
}

func backendFault(err error) *ErrorBody {
	var fault *BackendError
	if errors.As(err, &fault) {
		return &ErrorBody{Code: orElse(fault.Code, "backend"), Message: fault.Say, Details: map[string]any{"backend": fault.Backend}}
	}
	return &ErrorBody{Code: "backend", Message: "the backend did not answer"}
}
