package agent

import (
	"context"
	"encoding/json"
	"iter"
	"sync"
)

// hub hands events to those who listen. It never waits for them: a slow one loses deltas and reads stored events again by cursor.
type hub struct {
	mu        sync.Mutex // guards listeners and over
	listeners map[*listener]struct{}
	over      bool
}

// mailboxSize is how many events wait for a listener before it falls back to reading the store.
const mailboxSize = 256

type listener struct {
	waiting []Event // guarded by the hub's mutex
	lagging bool    // stored events were not kept in waiting
	bell    chan struct{}
}

func (h *hub) join() *listener {
	l := &listener{bell: make(chan struct{}, 1)}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.listeners == nil {
		h.listeners = map[*listener]struct{}{}
	}
	h.listeners[l] = struct{}{}
	return l
}

func (h *hub) leave(l *listener) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.listeners, l)
}

func (h *hub) publish(events ...Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for l := range h.listeners {
		for _, e := range events {
			l.offer(e)
		}
		l.ring()
	}
}

// delta publishes an ephemeral event while its source is live. The source is disarmed under the same lock, so nothing follows an end.
func (h *hub) delta(live *bool, e func() Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !*live || len(h.listeners) == 0 {
		return
	}
	event := e()
	for l := range h.listeners {
		l.offer(event)
		l.ring()
	}
}

func (h *hub) disarm(live *bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	*live = false
}

func (h *hub) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.over = true
	for l := range h.listeners {
		l.ring()
	}
}

func (l *listener) offer(e Event) {
	switch {
	case len(l.waiting) < mailboxSize && (!l.lagging || e.Seq == 0):
		l.waiting = append(l.waiting, e)
	case e.Seq > 0:
		l.lagging = true
	}
}

func (l *listener) ring() {
	select {
	case l.bell <- struct{}{}:
	default:
	}
}

func (h *hub) collect(l *listener) (events []Event, lagging, over bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	events, lagging, over = l.waiting, l.lagging, h.over
	l.waiting, l.lagging = nil, false
	return events, lagging, over
}

// Events yields what happened after a place in the log, then what happens, deltas included. It ends with ctx and with the session. Events are
// the copies for screens ([Event.Shown]).
func (s *Session) Events(ctx context.Context, from Seq) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		l := s.hub.join() // before reading, so that nothing falls between
		defer s.hub.leave(l)
		if !s.stored(ctx, &from, yield) {
			return
		}
		for ctx.Err() == nil {
			events, lagging, over := s.hub.collect(l)
			for _, e := range events {
				if e.Seq > 0 && e.Seq <= from {
					continue
				}
				if e.Seq > 0 {
					from = e.Seq
				}
				if !yield(e.Shown(), nil) {
					return
				}
			}
			if lagging && !s.stored(ctx, &from, yield) || over && len(events) == 0 && !lagging {
				return
			}
			if len(events) > 0 || lagging {
				continue
			}
			select {
			case <-l.bell:
			case <-ctx.Done():
				return
			}
		}
	}
}

// stored yields from the store and moves the cursor. It says whether to go on.
func (s *Session) stored(ctx context.Context, from *Seq, yield func(Event, error) bool) bool {
	for e, err := range s.agent.cfg.Store.Read(ctx, s.cfg.ID, *from) {
		if ctx.Err() != nil {
			return false
		}
		if err != nil {
			yield(Event{}, err)
			return false
		}
		*from = e.Seq
		if !yield(e.Shown(), nil) {
			return false
		}
	}
	return true
}

// Shown is the copy of an event that may be shown: without frozen arguments, without what only the model is told, and without a step's raw words
// and arguments, which no validator and no redaction has seen. message.completed has the words that count.
func (e Event) Shown() Event {
	switch e.Kind {
	case ToolRequested:
		return shown(e, func(b *CallBody) { b.Frozen = nil })
	case ToolCompleted, ToolFailed:
		return shown(e, func(b *CallDoneBody) { b.Result = "" })
	case StepCompleted:
		return shown(e, func(b *StepBody) {
			b.Message.Text = ""
			for i := range b.Message.Calls {
				b.Message.Calls[i].Arguments = ""
			}
		})
	default:
		return e
	}
}

func shown[B any](e Event, hide func(*B)) Event {
	var b B
	if err := json.Unmarshal(e.Body, &b); err != nil {
		e.Body = nil // what cannot be read cannot be shown
		return e
	}
	hide(&b)
	e.Body = json.RawMessage(compact(b))
	return e
}
