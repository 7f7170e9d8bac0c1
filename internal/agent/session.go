package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Session is one log and the goroutine that owns it.
type Session struct {
	agent  *Agent
	cfg    SessionConfig
	box    *toolbox
	output *schema
	hub    hub
	mail   chan mail
	ended  chan struct{}
	left   chan struct{} // closed when its goroutines are gone too
	err    error         // why it ended; written before ended closes
	view   atomic.Pointer[Snapshot]
	work   sync.WaitGroup // goroutines that ask models, policies and tools
}

// mail is a message to the goroutine that owns the session.
type mail func(ctx context.Context, l *loop)

// ID names the session's log.
func (s *Session) ID() SessionID { return s.cfg.ID }

// tell hands the owner a message.
func (s *Session) tell(ctx context.Context, m mail) error {
	select {
	case s.mail <- m:
		return nil
	case <-s.ended:
		return s.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// report is how a worker hands in what it found. A session that has ended does not want it.
func (s *Session) report(m mail) {
	select {
	case s.mail <- m:
	case <-s.ended:
	}
}

type answered[V any] struct {
	value V
	err   error
}

// ask hands the owner a question and waits for the answer.
func ask[V any](ctx context.Context, s *Session, question func(ctx context.Context, l *loop, reply chan<- answered[V])) (V, error) {
	var none V
	reply := make(chan answered[V], 1)
	if err := s.tell(ctx, func(ctx context.Context, l *loop) { question(ctx, l, reply) }); err != nil {
		return none, err
	}
	select {
	case r := <-reply:
		return r.value, r.err
	case <-ctx.Done():
		return none, context.Cause(ctx)
	case <-s.ended:
		select {
		case r := <-reply: // it answered and ended
			return r.value, r.err
		default:
			return none, s.err
		}
	}
}

// Send hands in an input. When it returns nil the input is durable; a second Send of one ID is a no-op.
func (s *Session) Send(ctx context.Context, in Input) error {
	_, err := ask(ctx, s, func(ctx context.Context, l *loop, reply chan<- answered[string]) {
		id, err := l.accept(ctx, in)
		reply <- answered[string]{id, err}
	})
	return s.wrap("send to", err)
}

// Run is Send, and waits for the turn that took the input, whatever its ending: the report says which. When ctx ends, the turn goes on.
func (s *Session) Run(ctx context.Context, in Input) (TurnReport, error) {
	r, err := ask(ctx, s, func(ctx context.Context, l *loop, reply chan<- answered[TurnReport]) {
		id, err := l.accept(ctx, in)
		if err != nil {
			reply <- answered[TurnReport]{err: err}
			return
		}
		l.await(id, reply)
	})
	return r, s.wrap("run in", err)
}

// Resolve answers an approval. The first answer wins; the same answer again is a no-op, another one is a *DecidedError that says who decided.
func (s *Session) Resolve(ctx context.Context, approval string, d Decision) (Approval, error) {
	a, err := ask(ctx, s, func(ctx context.Context, l *loop, reply chan<- answered[Approval]) {
		a, err := l.resolve(ctx, approval, d)
		reply <- answered[Approval]{a, err}
	})
	return a, s.wrap("resolve in", err)
}

// Cancel withdraws every approval that waits, with the cause, for example "stream ended". The model is told the cause; nobody has denied.
func (s *Session) Cancel(ctx context.Context, why string) error {
	_, err := ask(ctx, s, func(ctx context.Context, l *loop, reply chan<- answered[bool]) {
		reply <- answered[bool]{err: l.cancelAll(ctx, why)}
	})
	return s.wrap("cancel in", err)
}

// Interrupt ends the running turn, if there is one, and returns when it has ended. Inputs that wait stay.
func (s *Session) Interrupt(ctx context.Context, why string) error {
	_, err := ask(ctx, s, func(_ context.Context, l *loop, reply chan<- answered[bool]) {
		if l.st.turn == nil {
			reply <- answered[bool]{}
			return
		}
		l.turnWaiters = append(l.turnWaiters, reply)
		l.interrupt(why)
	})
	return s.wrap("interrupt", err)
}

// Wait returns when nothing is left to do but await people or input. It must not be called from a tool.
func (s *Session) Wait(ctx context.Context) error {
	_, err := ask(ctx, s, func(_ context.Context, l *loop, reply chan<- answered[bool]) {
		l.settlers = append(l.settlers, reply)
	})
	return s.wrap("wait for", err)
}

// Close ends the session for good: the turn is interrupted, approvals are cancelled and inputs dropped, each with its event, then session.closed.
func (s *Session) Close(ctx context.Context, why string) error {
	_, err := ask(ctx, s, func(_ context.Context, l *loop, reply chan<- answered[bool]) {
		l.close(why, reply)
	})
	if !errors.Is(err, ErrClosed) {
		return s.wrap("close", err)
	}
	select {
	case <-s.left:
		return nil
	case <-ctx.Done():
		return s.wrap("close", context.Cause(ctx))
	}
}

// Snapshot is the session at this moment. It costs nothing and waits for nobody.
func (s *Session) Snapshot() Snapshot { return *s.view.Load() }

func (s *Session) wrap(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s %s: %w", what, s.cfg.ID, err)
}

func (s *Session) validates() bool { return s.cfg.Validate != nil || s.output != nil }

// TurnReport is how a turn ended.
type TurnReport struct {
	Turn      string
	Ended     EventKind
	End       EndBody
	Text      string
	Artifacts []Artifact
}

// Activity says what a session is doing, for a screen.
type Activity string

// Activities.
const (
	Idle     Activity = "idle"
	Thinking Activity = "thinking"
	Acting   Activity = "acting"
	Awaiting Activity = "awaiting"
	Stopped  Activity = "stopped"
)

// Snapshot is a session at a moment.
type Snapshot struct {
	ID        SessionID
	Seq       Seq
	Activity  Activity
	Turn      string
	Since     time.Time // when Activity began
	Queue     int
	Pending   []Approval
	Turns     int
	Usage     Usage
	LastEnd   *EndBody
	Backend   string
	Abandoned int // backends and handlers that ignored their cancellation
}
