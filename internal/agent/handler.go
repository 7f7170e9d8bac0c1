package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// handlerRun is a handler that runs in this process.
type handlerRun struct {
	cancel   context.CancelCauseFunc
	detached bool
}

func runKey(turn, call string) string { return turn + " " + call }

// begin makes it durable that calls begin, and only then runs them.
func (l *loop) begin(ctx context.Context, ready []*callState) {
	var events []Event
	var good []*callState
	for _, c := range ready {
		if code, message := l.unfit(c); code != "" {
			events = append(events, l.outcome(c, ToolSkipped, failedCall(c, code, message))...)
			continue
		}
		events = append(events, l.event(ToolStarted, c.turn, CallDoneBody{Call: c.Call, Tool: c.Tool}))
		good = append(good, c)
	}
	if !l.must(ctx, events...) {
		return
	}
	for _, c := range good {
		l.handle(ctx, c)
	}
}

// unfit says why an allowed call cannot run: what was approved must be exactly what runs.
func (l *loop) unfit(c *callState) (code, message string) {
	a, asked := l.st.approvals[c.approval]
	switch {
	case !l.s.box.has(c.Tool):
		return CodeUnknownTool, "this tool is not here any more; nothing was done"
	case digest(c.Frozen) != c.Digest, asked && a.Digest != c.Digest:
		return CodeInvalid, "the arguments are not those that were decided on; nothing was done"
	case c.Verdict != Allow && (!asked || a.State != Allowed):
		return CodePolicy, "nobody allowed this; nothing was done"
	}
	return "", ""
}

func (l *loop) handle(ctx context.Context, c *callState) {
	ctx, cancel := context.WithCancelCause(ctx)
	run := &handlerRun{cancel: cancel, detached: c.Detached}
	l.runs[runKey(c.turn, c.Call)] = run
	frozen := &Call{
		ID: c.Call, Key: c.Key, Tool: c.Tool, Agent: l.s.agent.cfg.ID, Session: l.s.cfg.ID, Turn: c.turn,
		Arguments: append(json.RawMessage(nil), c.Frozen...),
	}
	if a, asked := l.st.approvals[c.approval]; asked {
		frozen.Approval = &a
	}
	s, tool, key := l.s, l.s.box.byID[c.Tool], runKey(c.turn, c.Call)
	s.work.Go(func() {
		defer cancel(nil)
		d := s.perform(ctx, tool, frozen)
		s.report(func(ctx context.Context, l *loop) { l.handled(ctx, run, key, d) })
	})
}

// done is how a handler ended.
type done struct {
	result    Result
	err       error
	cause     error // why its context was cancelled, if it was
	abandoned bool  // it did not come back
}

// perform runs a handler with its time limit. One that ignores the end of its context is left alone after the grace period.
func (s *Session) perform(ctx context.Context, tool *registered, c *Call) done {
	ctx, cancel := context.WithTimeoutCause(ctx, tool.Timeout, errToolTimeout)
	defer cancel()
	back := make(chan done, 1)
	go func() { back <- guarded(ctx, tool.tool, c) }() // not waited for beyond grace: Go cannot stop it
	select {
	case d := <-back:
		d.cause = context.Cause(ctx)
		return d
	case <-ctx.Done():
	}
	grace := time.NewTimer(s.agent.cfg.Limits.Grace)
	defer grace.Stop()
	select {
	case d := <-back:
		d.cause = context.Cause(ctx)
		return d
	case <-grace.C:
		return done{err: context.Cause(ctx), cause: context.Cause(ctx), abandoned: true}
	}
}

var errPanic = errors.New("the handler panicked")

func guarded(ctx context.Context, t Tool, c *Call) (d done) {
	defer func() {
		if r := recover(); r != nil {
			d = done{err: fmt.Errorf("%w: %T", errPanic, r)}
		}
	}()
	r, err := t.Run(ctx, c)
	return done{result: r, err: err}
}

// handled takes a handler's outcome. One that comes after its turn is nobody's.
func (l *loop) handled(ctx context.Context, run *handlerRun, key string, d done) {
	if l.runs[key] != run {
		l.s.agent.cfg.Log.Warn("a late tool result was left out", "session", l.s.cfg.ID)
		return
	}
	delete(l.runs, key)
	if d.abandoned {
		l.abandoned++
	}
	var refusal *ToolError
	if errors.Is(d.cause, errStopping) && d.err != nil && !errors.As(d.err, &refusal) {
		return // not known: the log says begun, and the next process decides
	}
	var c *callState
	for _, one := range l.st.calls {
		if runKey(one.turn, one.Call) == key {
			c = one
		}
	}
	if c == nil {
		return
	}
	l.must(ctx, l.ended(c, d)...)
}

// ended words a handler's outcome.
func (l *loop) ended(c *callState, d done) []Event {
	hide := newRedactor(l.s.box.byID[c.Tool].Sensitive)
	hide.json(c.Frozen) // learns the values that an error must not repeat
	if len(d.result.Output) == 0 {
		d.result.Output = json.RawMessage("null")
	}
	if d.err == nil && (!json.Valid(d.result.Output) || badArtifacts(d.result.Artifacts) != "") {
		d.err = &ToolError{Code: CodeBadResult, Say: "the tool ran, but its result cannot be read"}
	}
	if d.err == nil {
		events := l.outcome(c, ToolCompleted, CallDoneBody{
			Call: c.Call, Tool: c.Tool, Output: hide.json(d.result.Output), Result: string(d.result.Output), Final: d.result.Final,
		})
		for _, a := range d.result.Artifacts {
			a.Turn = c.turn
			events = append(events, l.event(ArtifactCreated, c.turn, ArtifactBody{Artifact: l.filled(a)}))
		}
		return events
	}
	kind, fault := failure(c, d)
	if !errors.As(d.err, new(*ToolError)) {
		l.s.agent.cfg.Log.Warn("a tool failed", "session", l.s.cfg.ID, "tool", c.Tool, "code", fault.Code, "kind", fmt.Sprintf("%T", d.err))
	}
	return l.outcome(c, kind, CallDoneBody{
		Call: c.Call, Tool: c.Tool, Error: hide.error(fault), Result: sayError(fault.Code, fault.Message, fault.Details),
	})
}

// failure says what the model may know of an error: a refusal in its own words, anything else by its class.
func failure(c *callState, d done) (EventKind, *ErrorBody) {
	kind, unsure := ToolFailed, ""
	if c.Effect != Pure {
		unsure = "; whether it took effect is not known"
	}
	if d.abandoned && c.Effect == Once {
		kind = ToolUnknown
	}
	var refusal *ToolError
	switch {
	case errors.As(d.err, &refusal):
		return ToolFailed, &ErrorBody{Code: orElse(refusal.Code, CodeFailed), Message: refusal.Say, Details: refusal.Details}
	case errors.Is(d.err, errPanic):
		return ToolFailed, &ErrorBody{Code: CodePanic, Message: "the tool broke down" + unsure}
	case errors.Is(d.cause, errToolTimeout):
		return kind, &ErrorBody{Code: CodeTimeout, Message: "the tool ran out of time" + unsure, Details: map[string]any{"reason": "timeout"}}
	case d.cause != nil:
		return kind, &ErrorBody{Code: CodeInterrupted, Message: "the tool was interrupted" + unsure}
	}
	return ToolFailed, &ErrorBody{Code: CodeFailed, Message: "the tool failed" + unsure}
}

// outcome is the end of a call that was allowed; a detached one also tells the model.
func (l *loop) outcome(c *callState, kind EventKind, b CallDoneBody) []Event {
	events := []Event{l.event(kind, c.turn, b)}
	if !c.Detached || c.approval == "" || l.closing != nil {
		return events
	}
	r := toolResult{Outcome: "failed", Error: b.Error}
	switch kind {
	case ToolCompleted:
		r.Outcome, r.Output = "done", json.RawMessage(b.Result)
	case ToolUnknown:
		r.Outcome = "unknown"
	default:
	}
	return append(events, l.late(c, r))
}
