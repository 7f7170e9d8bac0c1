package db

import (
	"context"
	"fmt"
	"strconv"

	"urakata/internal/ops"
)

type auditRow struct {
	Seq    int64 `gorm:"primaryKey"`
	At     *int64
	Who    string
	Action string
	Stream string
	Ref    string
	Detail string
}

func (auditRow) TableName() string { return "audit" }

func (r auditRow) entry() (ops.AuditEntry, error) {
	return ops.AuditEntry{
		Seq: r.Seq, At: moment(r.At), By: r.Who, Action: r.Action, Stream: r.Stream, Ref: r.Ref, Detail: r.Detail,
	}, nil
}

// Audit writes who did what. Nothing changes or removes it.
func (d *DB) Audit(ctx context.Context, e ops.AuditEntry) error {
	return d.inTx(ctx, func(t *tx) error {
		row := auditRow{
			At: nanos(t.orNow(e.At)), Who: plain(e.By), Action: e.Action, Stream: e.Stream, Ref: e.Ref, Detail: plain(e.Detail),
		}
		if err := t.Create(&row).Error; err != nil {
			return fmt.Errorf("audit %s: %w", e.Action, err)
		}
		return nil
	})
}

// AuditEntries lists entries of a stream, or with "" of everything, newest first. Page.After is an entry's Seq.
func (d *DB) AuditEntries(ctx context.Context, stream string, p ops.Page) ([]ops.AuditEntry, error) {
	query, args := "SELECT * FROM audit WHERE 1 = 1", []any{}
	if stream != "" {
		query, args = query+" AND stream = ?", append(args, stream)
	}
	if p.After != "" {
		after, err := strconv.ParseInt(p.After, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("audit entries after %q: that is no place in the audit", p.After)
		}
		query, args = query+" AND seq < ?", append(args, after)
	}
	rows, err := pick[auditRow](d.read.WithContext(ctx), query+" ORDER BY seq DESC LIMIT ?", append(args, pageLimit(p))...)
	if err != nil {
		return nil, fmt.Errorf("audit entries: %w", err)
	}
	return mapped(rows, auditRow.entry)
}
