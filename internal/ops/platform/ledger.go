package platform

import (
	"context"
	"slices"
	"sync"
)

// Memory is a Ledger that forgets when the process ends. The zero value is ready.
type Memory struct {
	mu      sync.Mutex // guards both below
	results map[string]Result
	actions []Action
}

// Record keeps the first result of a key.
func (m *Memory) Record(_ context.Context, a Action, r Result) (Result, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if have, ok := m.results[a.Key]; ok {
		return have, true, nil
	}
	if m.results == nil {
		m.results = map[string]Result{}
	}
	m.results[a.Key] = r
	m.actions = append(m.actions, a)
	return r, false, nil
}

// Recorded answers the result of a key.
func (m *Memory) Recorded(_ context.Context, key string) (Result, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.results[key]
	return r, ok, nil
}

// Actions are the actions that were recorded, in order, without the marks that Rehearsal leaves on targets.
func (m *Memory) Actions() []Action {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(m.actions), func(a Action) bool { return isMark(a.Key) })
}
