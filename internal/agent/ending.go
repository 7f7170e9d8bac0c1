package agent

import (
	"context"
	"errors"
	"fmt"
)

// interrupt begins to end the running turn.
func (l *loop) interrupt(why string) {
	why = orElse(why, "interrupted")
	l.end(&ending{kind: TurnInterrupted, stop: "interrupted", why: why, err: &ErrorBody{Code: CodeInterrupted, Message: why}}, errInterrupted)
}

// finish ends the turn as next decided.
func (l *loop) finish(m move) {
	e := &ending{kind: m.kind, stop: m.stop, why: "the turn ended"}
	var cause error
	switch m.stop {
	case "timeout":
		cause = errTurnTimeout
		e.err = &ErrorBody{Code: CodeTimeout, Message: fmt.Sprintf("the turn worked longer than %s", l.limits().Turn)}
	case "steps":
		e.err = &ErrorBody{Code: "step-limit", Message: fmt.Sprintf("the turn took %d steps", l.limits().Steps)}
	}
	l.end(e, cause)
}

// broke ends the turn because its backend or validator did not do its part.
func (l *loop) broke(fault *ErrorBody) {
	l.end(&ending{kind: TurnFailed, stop: fault.Code, why: "the turn failed", err: fault}, errInterrupted)
}

// end cancels what the turn has running and gives it the grace period. The first reason stays.
func (l *loop) end(e *ending, cause error) {
	if l.ending != nil {
		return
	}
	e.until = l.now().Add(l.limits().Grace)
	l.ending = e
	l.dropModel(cause)
	for _, r := range l.runs {
		if !r.detached {
			r.cancel(cause)
		}
	}
}

func (l *loop) dropModel(cause error) {
	if l.model == nil {
		return
	}
	l.s.hub.disarm(&l.model.live)
	l.model.cancel(cause)
}

// endTurn writes how the turn ended. Every call of it gets an outcome first, worded by cause.
func (l *loop) endTurn(ctx context.Context) {
	e := l.ending
	l.ending = nil
	if l.model != nil {
		l.model = nil
		l.abandoned++
	}
	turn := l.st.turn
	if turn == nil {
		return
	}
	var events []Event
	for _, c := range l.st.calls {
		if l.st.holds(c) {
			events = append(events, l.leftOver(c, e.why)...)
		}
	}
	l.must(ctx, append(events, l.event(e.kind, turn.id, l.endBody(e.stop, e.err, nil)))...)
}

// leftOver ends a call that the turn, or the session, does not wait for any longer.
func (l *loop) leftOver(c *callState, why string) []Event {
	switch c.phase {
	case phaseWaiting:
		return l.cancelled(l.st.approvals[c.approval], why)
	case phaseReady:
		return []Event{l.event(ToolSkipped, c.turn, failedCall(c, CodeAborted, "this call was not run: "+why))}
	case phaseStarted:
	}
	key := runKey(c.turn, c.Call)
	if r := l.runs[key]; r != nil {
		r.cancel(errInterrupted)
		delete(l.runs, key)
		l.abandoned++
	}
	if c.Effect == Once {
		return []Event{l.event(ToolUnknown, c.turn, failedCall(c, CodeUnknownEffect, "this call was begun and did not stop when the turn ended; whether it took effect is not known"))}
	}
	return []Event{l.event(ToolFailed, c.turn, failedCall(c, CodeInterrupted, "this call was interrupted: "+why))}
}

func failedCall(c *callState, code, message string) CallDoneBody {
	return CallDoneBody{
		Call: c.Call, Tool: c.Tool, Error: &ErrorBody{Code: code, Message: message}, Result: sayError(code, message, nil),
	}
}

// endBody sums the turn up, with a step that is appended beside it.
func (l *loop) endBody(stop string, fault *ErrorBody, step *StepBody) EndBody {
	t := l.st.turn
	b := EndBody{Stop: stop, Error: fault, Usage: t.usage, Steps: t.steps, Calls: t.calls, MS: l.now().Sub(t.at).Milliseconds()}
	if step != nil {
		b.Usage = t.usage.plus(step.Usage, t.steps == 0)
		b.Steps++
		b.Calls += len(step.Message.Calls)
	}
	return b
}

// close begins to end the session for good.
func (l *loop) close(why string, reply chan<- answered[bool]) {
	if l.closing == nil {
		l.closing = &closing{why: orElse(why, "closed"), until: l.now().Add(l.limits().Grace)}
		for _, r := range l.runs {
			r.cancel(errInterrupted)
		}
	}
	l.closing.reply = append(l.closing.reply, reply)
}

// closeLog writes the session's last events.
func (l *loop) closeLog(ctx context.Context) {
	var events []Event
	for _, c := range l.st.calls {
		events = append(events, l.leftOver(c, l.closing.why)...)
	}
	for _, in := range l.st.queue {
		events = append(events, l.event(InputDropped, "", ClosedBody{Reason: l.closing.why, Input: in.ID}))
	}
	l.must(ctx, append(events, l.event(SessionClosed, "", ClosedBody{Reason: l.closing.why}))...)
	l.over = true
}

// stop begins to leave the process: the log stays open.
func (l *loop) stop() {
	if !l.halt.IsZero() {
		return
	}
	l.halt = l.now().Add(l.limits().Grace)
	l.cancelWork(errStopping)
}

func (l *loop) cancelWork(cause error) {
	l.dropModel(cause)
	for _, r := range l.runs {
		r.cancel(cause)
	}
}

// recover reads the log and prepares the loop: a new session begins, an old one is resumed.
func (s *Session) recover(ctx context.Context) (*loop, error) {
	st := newState(s.agent.cfg.Limits.History)
	for e, err := range s.agent.cfg.Store.Read(ctx, s.cfg.ID, 0) {
		if err != nil {
			return nil, err
		}
		if err := st.apply(e); err != nil {
			return nil, err
		}
	}
	if st.closed {
		return nil, ErrClosed
	}
	l := &loop{
		s: s, st: st, runs: map[string]*handlerRun{}, runners: map[string][]chan<- answered[TurnReport]{}, activity: Idle,
	}
	kind := SessionStarted
	if st.started {
		kind = SessionResumed
	}
	begun := StartedBody{
		Purpose: s.cfg.Purpose, Audience: s.cfg.Audience, Trust: s.cfg.Trust, Tools: append([]string{}, s.cfg.Tools...), Backend: s.agent.cfg.Backend.Name(),
	}
	err := l.append(context.WithoutCancel(ctx), append([]Event{l.event(kind, "", begun)}, l.lost()...)...)
	return l, errors.Join(err, l.err)
}

// lost gives an honest end to once calls that had begun when the last process died. Pure and keyed ones run again.
func (l *loop) lost() []Event {
	var events []Event
	for _, c := range l.st.calls {
		if c.phase != phaseStarted || c.Effect != Once {
			continue
		}
		b := failedCall(c, CodeUnknownEffect, "this call had begun when the process stopped; whether it took effect is not known. Do not repeat it before somebody has looked")
		events = append(events, l.event(ToolUnknown, c.turn, b))
		if c.Detached {
			events = append(events, l.late(c, toolResult{Outcome: "unknown", Error: b.Error}))
		}
	}
	return events
}
