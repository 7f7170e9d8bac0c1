package db

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm/clause"

	"urakata/internal/ops"
)

type sessionRow struct {
	ID        string `gorm:"primaryKey"`
	Stream    string
	Character string
	Version   int
	Purpose   string
	Created   *int64 `gorm:"column:created_at"`
	Closed    *int64 `gorm:"column:closed_at"`
}

func (sessionRow) TableName() string { return "sessions" }

func (r sessionRow) session() (ops.SessionRow, error) {
	return ops.SessionRow{
		ID: r.ID, Stream: r.Stream, Character: r.Character, Version: r.Version, Purpose: r.Purpose,
		CreatedAt: moment(r.Created), ClosedAt: moment(r.Closed),
	}, nil
}

// SaveSession stores which session works which stream, or stores it anew.
func (d *DB) SaveSession(ctx context.Context, s ops.SessionRow) error {
	if s.ID == "" {
		return errors.New("save session: it has no id")
	}
	return d.inTx(ctx, func(t *tx) error {
		row := sessionRow{
			ID: s.ID, Stream: s.Stream, Character: s.Character, Version: s.Version, Purpose: s.Purpose,
			Created: nanos(t.orNow(s.CreatedAt)), Closed: nanos(s.ClosedAt),
		}
		again := clause.OnConflict{
			Columns:   []clause.Column{{Name: "id"}},
			DoUpdates: clause.AssignmentColumns([]string{"stream", "character", "version", "purpose", "closed_at"}),
		}
		if err := t.Clauses(again).Create(&row).Error; err != nil {
			return fmt.Errorf("save session %s: %w", s.ID, err)
		}
		t.ring("session/" + s.ID)
		if s.Stream == "" {
			return nil
		}
		return t.changed(s.Stream, ops.ChangeSession, s.ID)
	})
}

// SessionsOf lists the sessions that worked a stream, oldest first.
func (d *DB) SessionsOf(ctx context.Context, stream string) ([]ops.SessionRow, error) {
	rows, err := pick[sessionRow](d.read.WithContext(ctx), "SELECT * FROM sessions WHERE stream = ? ORDER BY created_at, id LIMIT 500", stream)
	if err != nil {
		return nil, fmt.Errorf("sessions of stream %s: %w", stream, err)
	}
	return mapped(rows, sessionRow.session)
}

type cursorRow struct {
	Session string
	Seq     int64
	Part    int
}

// Cursor says how far a session's log was followed; zero when it never was.
func (d *DB) Cursor(ctx context.Context, session string) (ops.Cursor, error) {
	row, ok, err := one[cursorRow](d.read.WithContext(ctx), "SELECT session, seq, part FROM cursors WHERE session = ?", session)
	if err != nil {
		return ops.Cursor{}, fmt.Errorf("cursor of session %s: %w", session, err)
	}
	if !ok {
		return ops.Cursor{}, nil
	}
	return ops.Cursor(row), nil
}

// MoveCursor moves a cursor forward; one that would go back or stand still changes nothing.
func (d *DB) MoveCursor(ctx context.Context, at ops.Cursor) error {
	return d.inTx(ctx, func(t *tx) error {
		_, err := t.follow(at)
		return err
	})
}

// follow moves a cursor and says whether it went forward. No session means that nothing is followed, which is always forward.
func (t *tx) follow(at ops.Cursor) (bool, error) {
	if at.Session == "" {
		return true, nil
	}
	if at.Seq <= 0 && at.Part <= 0 {
		return false, nil
	}
	n, err := t.exec(`INSERT INTO cursors (session, seq, part) VALUES (?, ?, ?)
		ON CONFLICT (session) DO UPDATE SET seq = excluded.seq, part = excluded.part
		WHERE (excluded.seq, excluded.part) > (cursors.seq, cursors.part)`, at.Session, at.Seq, at.Part)
	if err != nil {
		return false, fmt.Errorf("move cursor of session %s: %w", at.Session, err)
	}
	return n > 0, nil
}
