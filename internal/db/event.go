package db

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"

	"gorm.io/gorm"

	"urakata/internal/agent"
	"urakata/internal/ops"
)

type eventRow struct {
	Session string `gorm:"primaryKey"`
	Seq     int64  `gorm:"primaryKey;autoIncrement:false"`
	ID      string
	Kind    string
	At      *int64
	Agent   string
	Turn    string
	Body    []byte
}

func (eventRow) TableName() string { return "events" }

func rowOfEvent(e agent.Event) eventRow {
	return eventRow{
		Session: string(e.Session), Seq: int64(e.Seq), ID: e.ID, Kind: string(e.Kind), At: nanos(e.At), Agent: e.Agent, Turn: e.Turn, Body: []byte(e.Body),
	}
}

func (r eventRow) event() agent.Event {
	return agent.Event{
		Seq: agent.Seq(r.Seq), ID: r.ID, Kind: agent.EventKind(r.Kind), At: moment(r.At), Agent: r.Agent, Session: agent.SessionID(r.Session),
		Turn: r.Turn, Body: json.RawMessage(r.Body),
	}
}

// Append stores events after the place named; see agent.Store. What the events say of approvals moves the inbox in the same transaction.
func (d *DB) Append(ctx context.Context, id agent.SessionID, after agent.Seq, events ...agent.Event) (agent.Seq, error) {
	err := d.inTx(ctx, func(t *tx) error {
		head, _, err := one[int64](t.DB, "SELECT COALESCE(MAX(seq), 0) FROM events WHERE session = ?", string(id))
		if err != nil {
			return err
		}
		if agent.Seq(head) != after {
			return fmt.Errorf("after %d, but it is at %d: %w", after, head, agent.ErrConflict)
		}
		if len(events) == 0 {
			return nil
		}
		if err := t.insertEvents(id, after, events); err != nil {
			return err
		}
		return t.tellOf(id, events)
	})
	if err != nil {
		return 0, fmt.Errorf("append to session %s: %w", id, err)
	}
	return after + agent.Seq(len(events)), nil
}

func (t *tx) insertEvents(id agent.SessionID, after agent.Seq, events []agent.Event) error {
	for start := 0; start < len(events); start += rowsAtOnce {
		rows := make([]eventRow, min(len(events)-start, rowsAtOnce))
		for i := range rows {
			e := events[start+i]
			e.Session, e.Seq = id, after+agent.Seq(start+i)+1
			rows[i] = rowOfEvent(e)
		}
		err := t.Create(&rows).Error
		if errors.Is(err, gorm.ErrDuplicatedKey) { // Postgres: another writer took the place between the look and the insert
			return agent.ErrConflict
		}
		if err != nil {
			return err
		}
	}
	t.ring("session/" + string(id))
	return nil
}

// tellOf carries what the events say into the inbox, and tells the stream that its session's log grew, once.
func (t *tx) tellOf(id agent.SessionID, events []agent.Event) error {
	stream, _, err := one[string](t.DB, "SELECT stream FROM sessions WHERE id = ?", string(id))
	if err != nil {
		return err
	}
	for _, e := range events {
		e.Session = id
		switch e.Kind {
		case agent.ApprovalRequested:
			err = t.requestApproval(stream, e)
		case agent.ApprovalResolved, agent.ApprovalExpired:
			err = t.resolveApproval(e)
		case agent.ToolStarted, agent.ToolCompleted, agent.ToolFailed, agent.ToolSkipped, agent.ToolUnknown:
			err = t.noteOutcome(e)
		}
		if err != nil {
			return err
		}
	}
	if stream == "" {
		return nil
	}
	return t.changed(stream, ops.ChangeSession, string(id))
}

// eventsAtOnce is how many events Read holds. No connection is held while the caller looks at them, so he may write.
const eventsAtOnce = 500

// Read yields a session's events after from, in order; see agent.Store.
func (d *DB) Read(ctx context.Context, id agent.SessionID, from agent.Seq) iter.Seq2[agent.Event, error] {
	return func(yield func(agent.Event, error) bool) {
		for {
			rows, err := pick[eventRow](d.read.WithContext(ctx), "SELECT * FROM events WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?",
				string(id), int64(from), eventsAtOnce)
			if err != nil {
				yield(agent.Event{}, fmt.Errorf("read session %s after %d: %w", id, from, err))
				return
			}
			for _, r := range rows {
				if !yield(r.event(), nil) {
					return
				}
				from = agent.Seq(r.Seq)
			}
			if len(rows) < eventsAtOnce {
				return
			}
		}
	}
}
