package agenttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"

	"urakata/internal/agent"
)

// Memory is a store in memory that keeps the whole contract, approval rows included.
type Memory struct {
	mu   sync.Mutex // guards logs and rows
	logs map[agent.SessionID][]agent.Event
	rows map[string]agent.Approval
}

// NewMemory is an empty store.
func NewMemory() *Memory {
	return &Memory{logs: map[agent.SessionID][]agent.Event{}, rows: map[string]agent.Approval{}}
}

// Append stores events after a place, all or none.
func (m *Memory) Append(ctx context.Context, id agent.SessionID, after agent.Seq, events ...agent.Event) (agent.Seq, error) {
	if err := ctx.Err(); err != nil {
		return 0, context.Cause(ctx)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	log := m.logs[id]
	if after != agent.Seq(len(log)) {
		return 0, fmt.Errorf("append to %s after %d, it is at %d: %w", id, after, len(log), agent.ErrConflict)
	}
	moved, err := m.moved(events)
	if err != nil {
		return 0, err
	}
	for i, e := range events {
		e.Seq = after + agent.Seq(i+1)
		e.Body = slices.Clone(e.Body)
		log = append(log, e)
	}
	m.logs[id] = log
	for key, a := range moved {
		m.rows[key] = a
	}
	return agent.Seq(len(log)), nil
}

// moved says how approval rows stand after the events.
func (m *Memory) moved(events []agent.Event) (map[string]agent.Approval, error) {
	var rows map[string]agent.Approval
	for _, e := range events {
		if e.Kind != agent.ApprovalRequested && e.Kind != agent.ApprovalResolved && e.Kind != agent.ApprovalExpired {
			continue
		}
		var b agent.ApprovalBody
		if err := json.Unmarshal(e.Body, &b); err != nil {
			return nil, fmt.Errorf("read %s: %w", e.Kind, err)
		}
		row, there := rows[b.Approval.ID]
		if !there {
			row, there = m.rows[b.Approval.ID]
		}
		switch {
		case e.Kind == agent.ApprovalRequested && there:
			return nil, fmt.Errorf("approval %s is there already", row.ID)
		case e.Kind != agent.ApprovalRequested && !there:
			return nil, fmt.Errorf("approval %s: %w", b.Approval.ID, agent.ErrNotFound)
		case there && row.State != agent.Pending:
			return nil, &agent.DecidedError{Approval: row}
		}
		if rows == nil {
			rows = map[string]agent.Approval{}
		}
		rows[b.Approval.ID] = b.Approval
	}
	return rows, nil
}

// Read yields the events after a place.
func (m *Memory) Read(ctx context.Context, id agent.SessionID, from agent.Seq) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		m.mu.Lock()
		log := m.logs[id]
		m.mu.Unlock()
		for _, e := range log[min(int(max(from, 0)), len(log)):] {
			if ctx.Err() != nil {
				yield(agent.Event{}, context.Cause(ctx))
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// Log gives the whole log of a session.
func (m *Memory) Log(id agent.SessionID) []agent.Event {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.logs[id])
}

// Approval gives the row of an approval.
func (m *Memory) Approval(id string) (agent.Approval, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	a, ok := m.rows[id]
	return a, ok
}

// ErrCut is what a Cut store answers once it is cut.
var ErrCut = errors.New("the process has died")

// Cut is a store that dies: after a number of appends it refuses everything, as a killed process would.
type Cut struct {
	agent.Store
	mu   sync.Mutex // guards left
	left int
}

// NewCut lets so many appends through.
func NewCut(s agent.Store, appends int) *Cut { return &Cut{Store: s, left: appends} }

// Append passes on, or refuses.
func (c *Cut) Append(ctx context.Context, id agent.SessionID, after agent.Seq, events ...agent.Event) (agent.Seq, error) {
	c.mu.Lock()
	alive := c.left > 0
	c.left--
	c.mu.Unlock()
	if !alive {
		return 0, ErrCut
	}
	return c.Store.Append(ctx, id, after, events...)
}
