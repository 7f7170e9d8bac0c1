package agent

import (
	"slices"
	"time"
)

// phase is where a call stands. Only the log moves it.
//
//	waiting ──allowed──▶ ready ──tool.started──▶ started ──completed, failed, unknown──▶ (gone)
//	   └──denied, expired, cancelled: tool.skipped──▶ (gone)      started ──resumed, pure or keyed──▶ ready
type phase int

const (
	phaseWaiting phase = iota
	phaseReady
	phaseStarted
)

// callState is a call that has no outcome yet.
type callState struct {
	CallBody
	turn     string
	phase    phase
	approval string // the id of the approval it needed
}

// turnState is the turn that runs.
type turnState struct {
	id        string
	at        time.Time
	paused    time.Duration // spent waiting for people and while no process worked; the turn's limit does not count it
	inputs    []string
	steps     int
	calls     int
	start     int            // where it begins in the history
	slots     map[string]int // calls that the model has no result for yet, and where the result goes
	ids       map[string]bool
	same      map[string]int // how often the same call was made
	rejected  int
	scrap     []int // messages of the history that a validator refused; they leave when the turn ends
	final     bool  // a tool ended the turn
	text      string
	artifacts []Artifact
	usage     Usage
	ran       []string // tools that took effect
}

// inputDropped stands in state.seen instead of a turn.
const inputDropped = "(dropped)"

// state is the fold of a log: everything the runtime knows of a session.
type state struct {
	seq       Seq
	at        time.Time // of the last event
	started   bool
	closed    bool
	seen      map[string]string // input id → the turn that took it, "" before
	queue     []Input
	history   []Message
	marks     []int // where each turn begins in the history
	keep      int   // messages the history keeps
	turn      *turnState
	calls     []*callState
	approvals map[string]Approval
	pending   []string // ids of approvals that wait, oldest first
	turns     int
	usage     Usage
	last      TurnReport
}

func newState(keep int) *state {
	return &state{seen: map[string]string{}, approvals: map[string]Approval{}, keep: keep}
}

func (st *state) call(turn, id string) *callState {
	for _, c := range st.calls {
		if c.Call == id && c.turn == turn {
			return c
		}
	}
	return nil
}

// holds says whether the running turn must wait for this call.
func (st *state) holds(c *callState) bool {
	return st.turn != nil && c.turn == st.turn.id && !c.Detached
}

// awaiting says whether the turn only waits for people.
func (st *state) awaiting() bool {
	waits := false
	for _, c := range st.calls {
		if !st.holds(c) {
			continue
		}
		if c.phase != phaseWaiting {
			return false
		}
		waits = true
	}
	return waits
}

func (st *state) open() []Approval {
	if len(st.pending) == 0 {
		return nil
	}
	open := make([]Approval, len(st.pending))
	for i, id := range st.pending {
		open[i] = st.approvals[id]
	}
	return open
}

// owner is the call an approval is about.
func (st *state) owner(approval string) *callState {
	for _, c := range st.calls {
		if c.approval == approval {
			return c
		}
	}
	return nil
}

// nextStepInputs are those a step of the running turn takes.
func (st *state) nextStepInputs() []Input {
	var taken []Input
	for _, in := range st.queue {
		if in.When == NextStep {
			taken = append(taken, in)
		}
	}
	return taken
}

// nextTurnInputs are those a new turn takes: everything passive or for the next step, and one that waits for a turn. None, if nothing waits
// that may start one.
func (st *state) nextTurnInputs() []string {
	var taken []string
	plain, starts := false, false
	for _, in := range st.queue {
		if in.When != NextStep && !in.Passive {
			if plain {
				continue
			}
			plain = true
		}
		starts = starts || !in.Passive
		taken = append(taken, in.ID)
	}
	if !starts {
		return nil
	}
	return taken
}

// take moves inputs from the queue to the history.
func (st *state) take(ids []string, turn string) {
	for _, id := range ids {
		at := slices.IndexFunc(st.queue, func(in Input) bool { return in.ID == id })
		if at < 0 {
			continue
		}
		st.history = append(st.history, st.queue[at].messages()...)
		st.queue = slices.Delete(st.queue, at, at+1)
		st.seen[id] = turn
		st.turn.inputs = append(st.turn.inputs, id)
	}
}

// trim lets the oldest turns leave whole.
func (st *state) trim() {
	cut := 0
	for cut < len(st.marks)-1 && len(st.history)-st.marks[cut] > st.keep {
		cut++
	}
	if cut == 0 {
		return
	}
	from := st.marks[cut]
	st.history = st.history[from:] // appending moves it to new memory now and then, and lets the old go
	st.marks = st.marks[cut:]
	for i := range st.marks {
		st.marks[i] -= from
	}
}
