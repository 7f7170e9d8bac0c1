package db

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"urakata/internal/ops"
)

type inboxRow struct {
	ID         string `gorm:"primaryKey"`
	Kind       string
	Stream     string
	Session    string
	Character  string
	Turn       string
	Call       string
	Tool       string
	Risk       string
	Urgency    int
	Arguments  []byte
	Digest     string
	Reason     string
	Question   string
	Choices    string
	Evidence   string
	At         *int64
	Deadline   *int64
	State      string
	DecidedBy  string
	Decided    *int64 `gorm:"column:decided_at"`
	Note       string
	Answer     string
	Why        string
	Outcome    string
	OutcomeSay string
	Rehearsed  bool
}

func (inboxRow) TableName() string { return "inbox" }

func rowOfItem(it ops.Item) inboxRow {
	return inboxRow{
		ID: it.ID, Kind: string(it.Kind), Stream: it.Stream, Session: it.Session, Character: it.Character, Tool: it.Tool,
		Risk: it.Risk, Urgency: urgency(it.Risk), Arguments: []byte(it.Arguments), Reason: plain(it.Reason), Question: plain(it.Question),
		Choices: listJSON(it.Choices), Evidence: listJSON(it.Evidence), At: nanos(it.At), Deadline: nanos(it.Deadline), State: string(it.State),
		DecidedBy: plain(it.DecidedBy), Decided: nanos(it.DecidedAt), Note: plain(it.Note), Answer: plain(it.Answer), Why: plain(it.Why),
		Outcome: string(it.Outcome), OutcomeSay: plain(it.OutcomeSay), Rehearsed: it.Rehearsed,
	}
}

func (r inboxRow) item() (ops.Item, error) {
	choices, err := fromJSON[[]string]("item "+r.ID+": choices", r.Choices)
	if err != nil {
		return ops.Item{}, err
	}
	evidence, err := fromJSON[[]string]("item "+r.ID+": evidence", r.Evidence)
	if err != nil {
		return ops.Item{}, err
	}
	return ops.Item{
		ID: r.ID, Kind: ops.ItemKind(r.Kind), Stream: r.Stream, Session: r.Session, Character: r.Character, Tool: r.Tool, Risk: r.Risk,
		Arguments: json.RawMessage(r.Arguments), Reason: r.Reason, Question: r.Question, Choices: choices, Evidence: evidence,
		At: moment(r.At), Deadline: moment(r.Deadline), State: ops.ItemState(r.State), DecidedBy: r.DecidedBy, DecidedAt: moment(r.Decided),
		Note: r.Note, Answer: r.Answer, Why: r.Why, Outcome: ops.OutcomeState(r.Outcome), OutcomeSay: r.OutcomeSay, Rehearsed: r.Rehearsed,
	}, nil
}

// Item finds one item of the inbox.
func (d *DB) Item(ctx context.Context, id string) (ops.Item, error) {
	row, err := inboxIn(d.read.WithContext(ctx), id)
	if err != nil {
		return ops.Item{}, err
	}
	return row.item()
}

func inboxIn(g *gorm.DB, id string) (inboxRow, error) {
	row, ok, err := one[inboxRow](g, "SELECT * FROM inbox WHERE id = ?", id)
	if err == nil && !ok {
		err = ops.ErrNotFound
	}
	if err != nil {
		return inboxRow{}, fmt.Errorf("inbox item %s: %w", id, err)
	}
	return row, nil
}

// Items lists what waits, soonest deadline first and of those the most severe, or what is done, newest decision first. Page.After is an id.
func (d *DB) Items(ctx context.Context, q ops.ItemQuery) ([]ops.Item, error) {
	g := d.read.WithContext(ctx)
	query, order, args := "SELECT * FROM inbox WHERE state = 'pending'", "deadline IS NULL, deadline, urgency, at, id", []any{}
	if q.Done {
		query, order = "SELECT * FROM inbox WHERE state <> 'pending'", "decided_at DESC, id DESC"
	}
	if q.Stream != "" {
		query, args = query+" AND stream = ?", append(args, q.Stream)
	}
	if q.Page.After != "" {
		last, err := inboxIn(g, q.Page.After)
		if err != nil {
			return nil, err
		}
		if q.Done {
			query, args = query+" AND (decided_at, id) < (?, ?)", append(args, last.Decided, last.ID)
		} else {
			never := int64(math.MaxInt64)
			if last.Deadline == nil {
				last.Deadline = &never
			}
			query += " AND (COALESCE(deadline, ?), urgency, at, id) > (?, ?, ?, ?)"
			args = append(args, never, last.Deadline, last.Urgency, last.At, last.ID)
		}
	}
	rows, err := pick[inboxRow](g, query+" ORDER BY "+order+" LIMIT ?", append(args, pageLimit(q.Page))...)
	if err != nil {
		return nil, fmt.Errorf("inbox items: %w", err)
	}
	return mapped(rows, inboxRow.item)
}

// AskQuestion puts a question into the inbox and moves the cursor with it. A second question of one id, or one that the cursor has passed, is
// not asked again.
func (d *DB) AskQuestion(ctx context.Context, it ops.Item, at ops.Cursor) error {
	if it.ID == "" || it.Kind == ops.ItemApproval {
		return fmt.Errorf("ask question %q of kind %q: an approval comes only by the log of its session, and every item has an id", it.ID, it.Kind)
	}
	return d.inTx(ctx, func(t *tx) error {
		forward, err := t.follow(at)
		if err != nil || !forward {
			return err
		}
		if it.Kind == "" {
			it.Kind = ops.ItemQuestion
		}
		if it.State == "" {
			it.State = ops.ItemPending
		}
		it.At = t.orNow(it.At)
		row := rowOfItem(it)
		r := t.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "id"}}, DoNothing: true}).Create(&row)
		if r.Error != nil {
			return fmt.Errorf("ask question %s: %w", it.ID, r.Error)
		}
		if r.RowsAffected == 0 {
			return nil
		}
		return t.inboxChanged(it.Stream, it.ID)
	})
}

// inboxChanged tells those who follow the stream and those who follow the whole inbox.
func (t *tx) inboxChanged(stream, id string) error {
	t.ring("approval/" + id)
	if stream != "" {
		if err := t.changed(stream, ops.ChangeInbox, id); err != nil {
			return err
		}
	}
	return t.changed("", ops.ChangeInbox, id)
}

// MoveQuestion answers or cancels a question that waits; text is the answer, or why it was cancelled. *ops.Decided tells who was first.
func (d *DB) MoveQuestion(ctx context.Context, id string, to ops.ItemState, by, text string, at time.Time) (ops.Item, error) {
	column := map[ops.ItemState]string{ops.ItemAnswered: "answer", ops.ItemCancelled: "why"}[to]
	if column == "" {
		return ops.Item{}, fmt.Errorf("move question %s to %q: %w", id, to, ops.ErrState)
	}
	var moved ops.Item
	err := d.inTx(ctx, func(t *tx) error {
		n, err := t.exec("UPDATE inbox SET state = ?, decided_by = ?, decided_at = ?, "+column+" = ? WHERE id = ? AND kind <> 'approval' AND state = 'pending'",
			string(to), plain(by), nanos(t.orNow(at)), plain(text), id)
		if err != nil {
			return fmt.Errorf("move question %s: %w", id, err)
		}
		row, err := inboxIn(t.DB, id)
		if err != nil {
			return err
		}
		if moved, err = row.item(); err != nil {
			return err
		}
		switch {
		case row.Kind == string(ops.ItemApproval):
			return fmt.Errorf("move question %s: it is an approval: %w", id, ops.ErrState)
		case n == 0:
			return &ops.Decided{Item: moved}
		}
		return t.inboxChanged(moved.Stream, id)
	})
	return moved, err
}
