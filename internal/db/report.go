package db

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"gorm.io/gorm/clause"

	"urakata/internal/ops"
)

type reportRow struct {
	ID        string `gorm:"primaryKey"`
	Stream    string
	Version   int
	Title     string
	Character string
	At        *int64
	Data      []byte
}

func (reportRow) TableName() string { return "reports" }

func (r reportRow) report() (ops.Report, error) {
	return ops.Report{
		ID: r.ID, Stream: r.Stream, Version: r.Version, Title: r.Title, Character: r.Character, At: moment(r.At), Data: json.RawMessage(r.Data),
	}, nil
}

// SaveReport stores a report and ends its stream. The second report of one stream and version is not stored; the first is returned. A stream
// that is neither ending nor ended has no report yet: ops.ErrState.
func (d *DB) SaveReport(ctx context.Context, r ops.Report) (ops.Report, error) {
	if r.ID == "" {
		return ops.Report{}, errors.New("save report: it has no id")
	}
	var saved ops.Report
	err := d.inTx(ctx, func(t *tx) error {
		r.At = t.orNow(r.At)
		moved, err := t.moveStream(r.Stream, []string{string(ops.StreamEnding)}, ops.StreamEnded, r.At, "")
		if err != nil {
			return err
		}
		s, err := streamIn(t.DB, r.Stream)
		if err != nil {
			return err
		}
		if s.State != ops.StreamEnded {
			return fmt.Errorf("stream %s is %s: %w", r.Stream, s.State, ops.ErrState)
		}
		row := reportRow{ID: r.ID, Stream: r.Stream, Version: r.Version, Title: plain(r.Title), Character: r.Character, At: nanos(r.At), Data: []byte(r.Data)}
		made := t.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "stream"}, {Name: "version"}}, DoNothing: true}).Create(&row)
		if made.Error != nil {
			return made.Error
		}
		stands, _, err := one[reportRow](t.DB, "SELECT * FROM reports WHERE stream = ? AND version = ?", r.Stream, r.Version)
		if err != nil {
			return err
		}
		if saved, err = stands.report(); err != nil {
			return err
		}
		if moved > 0 {
			err = t.streamChanged(r.Stream)
		}
		if err == nil && made.RowsAffected > 0 {
			err = errors.Join(t.changed(r.Stream, ops.ChangeReport, r.ID), t.changed("", ops.ChangeReport, r.ID))
		}
		return err
	})
	if err != nil {
		return ops.Report{}, fmt.Errorf("save report %s: %w", r.ID, err)
	}
	return saved, nil
}

// Report finds one report.
func (d *DB) Report(ctx context.Context, id string) (ops.Report, error) {
	return d.oneReport(ctx, "report "+id, "SELECT * FROM reports WHERE id = ?", id)
}

// ReportOf finds the newest report of a stream.
func (d *DB) ReportOf(ctx context.Context, stream string) (ops.Report, error) {
	return d.oneReport(ctx, "report of stream "+stream, "SELECT * FROM reports WHERE stream = ? ORDER BY version DESC LIMIT 1", stream)
}

func (d *DB) oneReport(ctx context.Context, what, query, id string) (ops.Report, error) {
	row, ok, err := one[reportRow](d.read.WithContext(ctx), query, id)
	if err == nil && !ok {
		err = ops.ErrNotFound
	}
	if err != nil {
		return ops.Report{}, fmt.Errorf("%s: %w", what, err)
	}
	return row.report()
}

// Reports lists reports, newest first. Page.After is a report's id.
func (d *DB) Reports(ctx context.Context, p ops.Page) ([]ops.Report, error) {
	where, args := "", []any{}
	if p.After != "" {
		where, args = "WHERE (at, id) < (SELECT at, id FROM reports WHERE id = ?)", []any{p.After}
	}
	rows, err := pick[reportRow](d.read.WithContext(ctx), "SELECT * FROM reports "+where+" ORDER BY at DESC, id DESC LIMIT ?", append(args, pageLimit(p))...)
	if err != nil {
		return nil, fmt.Errorf("reports: %w", err)
	}
	return mapped(rows, reportRow.report)
}
