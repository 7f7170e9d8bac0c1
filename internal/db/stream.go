package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gorm.io/gorm"

	"urakata/internal/ops"
	"urakata/internal/ops/source"
)

type streamRow struct {
	ID        string `gorm:"primaryKey"`
	Title     string
	Topic     string
	Language  string
	State     string
	Character string
	Source    string
	Token     string
	Rehearsal bool
	Example   bool
	Created   *int64 `gorm:"column:created_at"`
	Started   *int64 `gorm:"column:started_at"`
	Ended     *int64 `gorm:"column:ended_at"`
	Position  string
	Counts    string
	Comments  int64
	Cards     int64
	Place     int64
	Seq       int64
	Err       string
}

func (streamRow) TableName() string { return "streams" }

func rowOfStream(s ops.Stream) streamRow {
	return streamRow{
		ID: s.ID, Title: plain(s.Title), Topic: plain(s.Topic), Language: s.Language, State: string(s.State), Character: s.Character,
		Source: toJSON(s.Source), Token: s.Source.Token, Rehearsal: s.Rehearsal, Example: s.Example,
		Created: nanos(s.CreatedAt), Started: nanos(s.StartedAt), Ended: nanos(s.EndedAt),
		Position: s.Position, Counts: toJSON(s.Counts), Err: plain(s.Err),
	}
}

func (r streamRow) stream() (ops.Stream, error) {
	spec, err := fromJSON[ops.SourceSpec]("stream "+r.ID+": source", r.Source)
	if err != nil {
		return ops.Stream{}, err
	}
	spec.Token = r.Token
	counts, err := fromJSON[source.Counts]("stream "+r.ID+": counts", r.Counts)
	if err != nil {
		return ops.Stream{}, err
	}
	return ops.Stream{
		ID: r.ID, Title: r.Title, Topic: r.Topic, Language: r.Language, State: ops.StreamState(r.State), Character: r.Character,
		Source: spec, Rehearsal: r.Rehearsal, Example: r.Example,
		CreatedAt: moment(r.Created), StartedAt: moment(r.Started), EndedAt: moment(r.Ended),
		Position: r.Position, Counts: counts, Comments: r.Comments, Cards: r.Cards, Seq: r.Seq, Err: r.Err,
	}, nil
}

// CreateStream stores a new stream; an id that is there already is ops.ErrTaken. The counters of a new stream start at zero.
func (d *DB) CreateStream(ctx context.Context, s ops.Stream) error {
	if s.ID == "" {
		return errors.New("create stream: it has no id")
	}
	return d.inTx(ctx, func(t *tx) error {
		row := rowOfStream(s)
		row.Created = nanos(t.orNow(s.CreatedAt))
		err := t.Create(&row).Error
		if errors.Is(err, gorm.ErrDuplicatedKey) {
			return fmt.Errorf("create stream %s: %w", s.ID, ops.ErrTaken)
		}
		if err != nil {
			return fmt.Errorf("create stream %s: %w", s.ID, err)
		}
		return t.streamChanged(s.ID)
	})
}

// streamChanged tells those who follow the stream and those who follow all of them.
func (t *tx) streamChanged(id string) error {
	return errors.Join(t.changed(id, ops.ChangeStream, id), t.changed("", ops.ChangeStream, id))
}

// Stream finds one stream.
func (d *DB) Stream(ctx context.Context, id string) (ops.Stream, error) {
	return streamIn(d.read.WithContext(ctx), id)
}

func streamIn(g *gorm.DB, id string) (ops.Stream, error) {
	row, ok, err := one[streamRow](g, "SELECT * FROM streams WHERE id = ?", id)
	if err != nil {
		return ops.Stream{}, fmt.Errorf("stream %s: %w", id, err)
	}
	if !ok {
		return ops.Stream{}, fmt.Errorf("stream %s: %w", id, ops.ErrNotFound)
	}
	return row.stream()
}

// Streams lists streams, newest first. Page.After is a stream's id.
func (d *DB) Streams(ctx context.Context, p ops.Page) ([]ops.Stream, error) {
	where, args := "", []any{}
	if p.After != "" {
		where, args = "WHERE (created_at, id) < (SELECT created_at, id FROM streams WHERE id = ?)", []any{p.After}
	}
	rows, err := pick[streamRow](d.read.WithContext(ctx),
		"SELECT * FROM streams "+where+" ORDER BY created_at DESC, id DESC LIMIT ?", append(args, pageLimit(p))...)
	if err != nil {
		return nil, fmt.Errorf("streams: %w", err)
	}
	return mapped(rows, streamRow.stream)
}

// MoveStream changes a stream's state from one of those named; why becomes its error for a person. When it is in none of them the answer is
// ops.ErrState with the stream as it is.
func (d *DB) MoveStream(ctx context.Context, id string, from []ops.StreamState, to ops.StreamState, at time.Time, why string) (ops.Stream, error) {
	var moved ops.Stream
	states := make([]string, len(from))
	for i, s := range from {
		states[i] = string(s)
	}
	if len(states) == 0 {
		states = []string{""} // no state at all, rather than broken SQL
	}
	err := d.inTx(ctx, func(t *tx) error {
		n, err := t.moveStream(id, states, to, at, why)
		if err == nil && n > 0 {
			err = t.streamChanged(id)
		}
		if err != nil {
			return err
		}
		if moved, err = streamIn(t.DB, id); err == nil && n == 0 {
			err = fmt.Errorf("move stream %s from %s to %s: %w", id, moved.State, to, ops.ErrState)
		}
		return err
	})
	return moved, err
}

// moveStream is the compare-and-set of a stream's state. The first start and the end are kept.
func (t *tx) moveStream(id string, from []string, to ops.StreamState, at time.Time, why string) (int64, error) {
	when := nanos(t.orNow(at))
	var started, ended *int64
	switch to {
	case ops.StreamLive:
		started = when
	case ops.StreamEnded:
		ended = when
	}
	n, err := t.exec(`UPDATE streams SET state = ?, err = ?, started_at = COALESCE(started_at, ?), ended_at = COALESCE(ended_at, ?)
		WHERE id = ? AND state IN ?`, string(to), plain(why), started, ended, id, from)
	if err != nil {
		return 0, fmt.Errorf("move stream %s to %s: %w", id, to, err)
	}
	return n, nil
}
