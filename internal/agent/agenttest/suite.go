package agenttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"urakata/internal/agent"
)

// StoreSuite is what every store must do. open gives an empty store, or one whose sessions and approvals have other ids than the suite's.
func StoreSuite(t *testing.T, open func(t *testing.T) agent.Store) {
	t.Helper()
	for _, one := range []struct {
		name string
		do   func(t *testing.T, s agent.Store)
	}{
		{"events come back in order with their places", readsBack},
		{"every kind comes back with its body", everyKind},
		{"reading begins after a place and may be left early", readsFrom},
		{"an append after the wrong place is a conflict", conflicts},
		{"one of many writers at one place wins", oneWins},
		{"many writers lose nothing", manyWriters},
		{"logs do not see each other", apart},
		{"an approval is answered once", decidedOnce},
		{"an expired approval cannot be answered", expiredOnce},
		{"a refused append leaves nothing", allOrNone},
	} {
		t.Run(one.name, func(t *testing.T) { one.do(t, open(t)) })
	}
}

var suiteCount atomic.Int64 // makes ids of one process differ, for stores that are shared between tests

func fresh(prefix string) string { return fmt.Sprintf("suite-%s-%d", prefix, suiteCount.Add(1)) }

func freshSession() agent.SessionID { return agent.SessionID(fresh("session")) }

func event(id agent.SessionID, kind agent.EventKind, body any) agent.Event {
	raw, err := json.Marshal(body)
	if err != nil {
		panic(err) // a fault of the suite
	}
	return agent.Event{
		ID: fresh("event"), Kind: kind, At: time.Date(2026, 5, 4, 3, 2, 1, 123456789, time.UTC), Agent: "suite", Session: id, Turn: "turn-1", Body: raw,
	}
}

func note(id agent.SessionID) agent.Event {
	return event(id, agent.MessageCompleted, agent.MessageBody{Text: "配信 <b>&</b> \u2028 “ok”"})
}

func mustAppend(t *testing.T, s agent.Store, id agent.SessionID, after agent.Seq, events ...agent.Event) agent.Seq {
	t.Helper()
	seq, err := s.Append(t.Context(), id, after, events...)
	if err != nil {
		t.Fatalf("append after %d: %v", after, err)
	}
	if want := after + agent.Seq(len(events)); seq != want {
		t.Fatalf("append after %d says %d, want %d", after, seq, want)
	}
	return seq
}

func readAll(t *testing.T, s agent.Store, id agent.SessionID, from agent.Seq) []agent.Event {
	t.Helper()
	var all []agent.Event
	for e, err := range s.Read(t.Context(), id, from) {
		if err != nil {
			t.Fatalf("read from %d: %v", from, err)
		}
		all = append(all, e)
	}
	return all
}

func sameEvents(t *testing.T, got, want []agent.Event) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("read %d events, want %d", len(got), len(want))
	}
	for i := range want {
		g, w := got[i], want[i]
		if g.Seq != agent.Seq(i+1) {
			t.Errorf("event %d has place %d", i, g.Seq)
		}
		if g.ID != w.ID || g.Kind != w.Kind || g.Agent != w.Agent || g.Session != w.Session || g.Turn != w.Turn || !g.At.Equal(w.At) {
			t.Errorf("event %d is %+v, want %+v", i, g, w)
		}
		var gb, wb any
		if err := json.Unmarshal(g.Body, &gb); err != nil {
			t.Errorf("event %d %s: body is not JSON: %v", i, g.Kind, err)
			continue
		}
		if err := json.Unmarshal(w.Body, &wb); err == nil && !reflect.DeepEqual(gb, wb) {
			t.Errorf("event %d %s: body is %s, want %s", i, g.Kind, g.Body, w.Body)
		}
	}
}

func readsBack(t *testing.T, s agent.Store) {
	id := freshSession()
	if got := readAll(t, s, id, 0); len(got) != 0 {
		t.Fatalf("a new log has %d events", len(got))
	}
	events := []agent.Event{note(id), note(id), note(id)}
	seq := mustAppend(t, s, id, 0, events[0])
	mustAppend(t, s, id, seq, events[1:]...)
	sameEvents(t, readAll(t, s, id, 0), events)
}

func everyKind(t *testing.T, s agent.Store) {
	id := freshSession()
	var events []agent.Event
	for _, b := range everyBody(id) {
		events = append(events, event(id, b.kind, b.body))
	}
	seq := agent.Seq(0)
	for _, e := range events {
		seq = mustAppend(t, s, id, seq, e)
	}
	sameEvents(t, readAll(t, s, id, 0), events)
}

func readsFrom(t *testing.T, s agent.Store) {
	id := freshSession()
	var seq agent.Seq
	for range 5 {
		seq = mustAppend(t, s, id, seq, note(id))
	}
	if got := readAll(t, s, id, 3); len(got) != 2 || got[0].Seq != 4 {
		t.Errorf("reading after 3 gives %d events", len(got))
	}
	if got := readAll(t, s, id, 5); len(got) != 0 {
		t.Errorf("reading after the end gives %d events", len(got))
	}
	for _, err := range s.Read(t.Context(), id, 0) {
		if err != nil {
			t.Error(err)
		}
		break
	}
	mustAppend(t, s, id, seq, note(id)) // whoever leaves early holds nothing
}

func conflicts(t *testing.T, s agent.Store) {
	id := freshSession()
	seq := mustAppend(t, s, id, 0, note(id), note(id))
	for _, after := range []agent.Seq{0, 1, 3} {
		if _, err := s.Append(t.Context(), id, after, note(id)); !errors.Is(err, agent.ErrConflict) {
			t.Errorf("append after %d of %d: %v, want ErrConflict", after, seq, err)
		}
	}
	if got := readAll(t, s, id, 0); len(got) != 2 {
		t.Errorf("a conflict left %d events", len(got)-2)
	}
}

func oneWins(t *testing.T, s agent.Store) {
	id := freshSession()
	seq := mustAppend(t, s, id, 0, note(id))
	var won atomic.Int64
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			switch _, err := s.Append(context.WithoutCancel(t.Context()), id, seq, note(id)); {
			case err == nil:
				won.Add(1)
			case !errors.Is(err, agent.ErrConflict):
				t.Errorf("append: %v", err)
			}
		})
	}
	all.Wait()
	if won.Load() != 1 {
		t.Errorf("%d writers won", won.Load())
	}
}

func manyWriters(t *testing.T, s agent.Store) {
	id := freshSession()
	const writers, each = 6, 8
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			for range each {
				for { // until it is in
					head := agent.Seq(len(readAll(t, s, id, 0)))
					_, err := s.Append(t.Context(), id, head, note(id))
					if err == nil {
						break
					}
					if !errors.Is(err, agent.ErrConflict) {
						t.Errorf("append: %v", err)
						return
					}
				}
			}
		})
	}
	all.Wait()
	seen := map[string]bool{}
	for i, e := range readAll(t, s, id, 0) {
		if e.Seq != agent.Seq(i+1) || seen[e.ID] {
			t.Fatalf("event %d has place %d, seen before: %v", i, e.Seq, seen[e.ID])
		}
		seen[e.ID] = true
	}
	if len(seen) != writers*each {
		t.Errorf("%d events are there, want %d", len(seen), writers*each)
	}
}

func apart(t *testing.T, s agent.Store) {
	a, b := freshSession(), freshSession()
	mustAppend(t, s, a, 0, note(a), note(a))
	mustAppend(t, s, b, 0, note(b))
	if got := readAll(t, s, b, 0); len(got) != 1 || got[0].Session != b {
		t.Errorf("log b has %d events", len(got))
	}
}
