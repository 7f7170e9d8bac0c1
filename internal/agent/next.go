package agent

import "time"

// action is what a session does next.
type action int

const (
	idle action = iota
	await
	expire
	runTools
	callModel
	startTurn
	finish
)

// move is an action and what it is about.
type move struct {
	do     action
	until  time.Time    // await: when to ask again; zero: only when something happens
	calls  []*callState // runTools
	lapsed []Approval   // expire
	inputs []string     // startTurn
	kind   EventKind    // finish
	stop   string       // finish
}

// next says what a session does now. It is pure: it looks at the fold, the clock and the limits, and changes nothing. What already runs in this
// process is the shell's business.
func next(st *state, now time.Time, lim Limits) move {
	if st.closed {
		return move{do: idle}
	}
	until, lapsed := deadlines(st, now)
	if len(lapsed) > 0 {
		return move{do: expire, lapsed: lapsed}
	}
	limit := turnLimit(st, lim)
	if !limit.IsZero() && !now.Before(limit) {
		return move{do: finish, kind: TurnFailed, stop: "timeout"}
	}
	if ready := runnable(st); len(ready) > 0 {
		return move{do: runTools, calls: ready}
	}
	if st.turn == nil {
		if inputs := st.nextTurnInputs(); len(inputs) > 0 {
			return move{do: startTurn, inputs: inputs}
		}
		return waiting(until)
	}
	for _, c := range st.calls {
		if st.holds(c) {
			return move{do: await, until: soonest(until, limit)}
		}
	}
	switch {
	case st.turn.final:
		return move{do: finish, kind: TurnCompleted, stop: "final"}
	case st.turn.steps >= lim.Steps:
		return move{do: finish, kind: TurnFailed, stop: "steps"}
	}
	return move{do: callModel, until: soonest(until, limit)}
}

func waiting(until time.Time) move {
	if until.IsZero() {
		return move{do: idle}
	}
	return move{do: await, until: until}
}

// deadlines gives the first one that is still to come, and the approvals whose time is over.
func deadlines(st *state, now time.Time) (first time.Time, lapsed []Approval) {
	for _, id := range st.pending {
		a := st.approvals[id]
		if !now.Before(a.Deadline) {
			lapsed = append(lapsed, a)
			continue
		}
		first = soonest(first, a.Deadline)
	}
	return first, lapsed
}

// turnLimit is when the turn has worked too long: zero while it only waits for people.
func turnLimit(st *state, lim Limits) time.Time {
	if st.turn == nil || st.awaiting() {
		return time.Time{}
	}
	return st.turn.at.Add(lim.Turn + st.turn.paused)
}

// runnable gives the calls that may begin: those that share side by side, one that is exclusive alone.
func runnable(st *state) []*callState {
	var ready []*callState
	started := false
	for _, c := range st.calls {
		switch {
		case c.phase == phaseStarted && c.Exclusive:
			return nil
		case c.phase == phaseStarted:
			started = true
		case c.phase == phaseReady:
			ready = append(ready, c)
		}
	}
	for i, c := range ready {
		if !c.Exclusive {
			continue
		}
		if i > 0 {
			return ready[:i]
		}
		if started {
			return nil
		}
		return ready[:1]
	}
	return ready
}

func soonest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
