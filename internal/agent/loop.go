package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// loop is what the goroutine that owns a session knows: the fold of the log, and what runs in this process.
type loop struct {
	s       *Session
	st      *state
	model   *modelRun
	runs    map[string]*handlerRun // by turn and call
	ending  *ending
	closing *closing
	halt    time.Time // stop has been asked; when to leave at the latest
	over    bool
	err     error // why the session stopped

	turnWaiters []chan<- answered[bool]
	settlers    []chan<- answered[bool]
	runners     map[string][]chan<- answered[TurnReport] // by input
	activity    Activity
	since       time.Time
	abandoned   int
}

// ending is a turn that is being ended: what runs has been cancelled and gets until then.
type ending struct {
	kind  EventKind
	stop  string
	why   string
	err   *ErrorBody
	until time.Time
}

type closing struct {
	why   string
	until time.Time
	reply []chan<- answered[bool]
}

func (l *loop) now() time.Time { return l.s.agent.cfg.Now().UTC().Round(0) }

func (l *loop) limits() Limits { return l.s.agent.cfg.Limits }

// run owns the session until it ends.
func (l *loop) run(ctx context.Context) {
	defer l.leave()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		until := l.settle(ctx)
		l.show()
		if l.over {
			return
		}
		timer.Stop()
		if !until.IsZero() {
			timer.Reset(max(until.Sub(l.now()), 0))
		}
		select {
		case m := <-l.s.mail:
			m(ctx, l)
		case <-timer.C:
		}
	}
}

// settle asks what is next and does it, until there is something to wait for, and says until when.
func (l *loop) settle(ctx context.Context) time.Time {
	for l.err == nil {
		if l.over {
			return time.Time{}
		}
		if !l.halt.IsZero() || l.ending != nil || l.closing != nil {
			if until, wait := l.leaving(ctx); wait {
				return until
			}
			continue
		}
		m := next(l.st, l.now(), l.limits())
		switch m.do {
		case idle, await:
			l.settled()
			return m.until
		case expire:
			l.expire(ctx, m.lapsed)
		case runTools:
			l.begin(ctx, m.calls)
		case startTurn:
			turn := l.s.agent.cfg.NewID("turn")
			l.must(ctx, l.event(TurnStarted, turn, TurnStartedBody{Inputs: m.inputs}))
		case callModel:
			if l.model != nil {
				return m.until
			}
			l.callModel(ctx)
		case finish:
			l.finish(m)
		}
	}
	l.over = true
	return time.Time{}
}

// leaving deals with what has been asked to end: the turn, the session, the process. It says whether to wait.
func (l *loop) leaving(ctx context.Context) (until time.Time, wait bool) {
	now := l.now()
	switch {
	case !l.halt.IsZero():
		l.over = len(l.runs) == 0 && l.model == nil || !now.Before(l.halt)
		return l.halt, !l.over
	case l.ending != nil:
		if l.working() && now.Before(l.ending.until) {
			return l.ending.until, true
		}
		l.endTurn(ctx)
	case l.closing != nil && l.st.turn != nil:
		l.interrupt(l.closing.why)
	case l.closing != nil:
		if len(l.runs) > 0 && now.Before(l.closing.until) {
			return l.closing.until, true
		}
		l.closeLog(ctx)
	}
	return time.Time{}, false
}

// working says whether something of the running turn still works in this process.
func (l *loop) working() bool {
	if l.model != nil {
		return true
	}
	for _, r := range l.runs {
		if !r.detached {
			return true
		}
	}
	return false
}

// leave tells everybody that the session has ended, and waits for its workers as long as the grace period.
func (l *loop) leave() {
	l.cancelWork(errStopping)
	if l.err == nil {
		l.err = ErrClosed
	}
	l.s.err = l.err
	if l.closing != nil {
		for _, r := range l.closing.reply {
			r <- answered[bool]{err: l.err}
		}
	}
	l.s.agent.release(l.s.cfg.ID)
	close(l.s.ended)
	l.s.hub.close()
	done := make(chan struct{})
	go func() { l.s.work.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(l.limits().Grace): // what ignores its cancellation is abandoned
	}
	close(l.s.left)
}

// event makes an event of the session. A body that is not JSON is a fault of ours and stops the session.
func (l *loop) event(kind EventKind, turn string, body any) Event {
	raw, err := json.Marshal(body)
	if err != nil {
		l.fail(fmt.Errorf("write %s: %w", kind, err))
	}
	cfg := l.s.agent.cfg
	return Event{
		ID: cfg.NewID("event"), Kind: kind, At: l.now(), Agent: cfg.ID, Session: l.s.cfg.ID, Turn: turn, Body: raw,
	}
}

// append makes facts durable, folds them and tells those who listen. Nothing has happened when it returns an error.
func (l *loop) append(ctx context.Context, events ...Event) error {
	if l.err != nil {
		return l.err
	}
	after := l.st.seq
	seq, err := l.s.agent.cfg.Store.Append(ctx, l.s.cfg.ID, after, events...)
	if err == nil && seq != after+Seq(len(events)) {
		err = fmt.Errorf("the store says %d after %d events from %d: %w", seq, len(events), after, ErrConflict)
	}
	if errors.Is(err, ErrConflict) {
		l.fail(err)
	}
	if err != nil {
		return err
	}
	for i := range events {
		events[i].Seq = after + Seq(i+1)
		if err := l.st.apply(events[i]); err != nil {
			l.fail(err)
			return err
		}
	}
	l.show()
	l.s.hub.publish(events...)
	l.notify(events)
	return nil
}

// must appends what the session cannot go on without.
func (l *loop) must(ctx context.Context, events ...Event) bool {
	if err := l.append(ctx, events...); err != nil {
		l.fail(err)
		return false
	}
	return true
}

// fail stops the session for good; its log is whole and can be opened again.
func (l *loop) fail(err error) {
	if l.err != nil {
		return
	}
	l.err = err
	l.s.agent.cfg.Log.Error("session stopped", "session", l.s.cfg.ID, "error", err)
}

// notify answers those who wait for what these events say.
func (l *loop) notify(events []Event) {
	for _, e := range events {
		switch e.Kind {
		case InputDropped:
			_ = with(e, func(b ClosedBody) {
				for _, r := range l.runners[b.Input] {
					r <- answered[TurnReport]{err: fmt.Errorf("%s: %w", b.Reason, ErrDropped)}
				}
				delete(l.runners, b.Input)
			})
		case TurnCompleted, TurnInterrupted, TurnFailed:
			for id, waiting := range l.runners {
				if l.st.seen[id] != e.Turn {
					continue
				}
				for _, r := range waiting {
					r <- answered[TurnReport]{value: l.st.last}
				}
				delete(l.runners, id)
			}
			for _, r := range l.turnWaiters {
				r <- answered[bool]{}
			}
			l.turnWaiters = nil
		default:
		}
	}
}

func (l *loop) settled() {
	if l.model != nil || len(l.runs) > 0 {
		return
	}
	l.show()
	for _, r := range l.settlers {
		r <- answered[bool]{}
	}
	l.settlers = nil
}

// show publishes the snapshot.
func (l *loop) show() {
	now := l.doing()
	old := l.s.view.Load()
	if now != l.activity || old == nil {
		l.activity, l.since = now, l.now()
	}
	if old != nil && old.Seq == l.st.seq && old.Activity == now {
		return
	}
	v := Snapshot{
		ID: l.s.cfg.ID, Seq: l.st.seq, Activity: now, Since: l.since, Queue: len(l.st.queue), Pending: l.st.open(),
		Turns: l.st.turns, Usage: l.st.usage, Backend: l.s.agent.cfg.Backend.Name(), Abandoned: l.abandoned,
	}
	if l.st.turn != nil {
		v.Turn = l.st.turn.id
	}
	if l.st.last.Turn != "" {
		end := l.st.last.End
		v.LastEnd = &end
	}
	l.s.view.Store(&v)
}

func (l *loop) doing() Activity {
	switch {
	case l.over || l.err != nil:
		return Stopped
	case l.model != nil:
		return Thinking
	case len(l.runs) > 0:
		return Acting
	case l.st.turn != nil:
		return Awaiting
	}
	return Idle
}
