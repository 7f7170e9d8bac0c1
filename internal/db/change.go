package db

import (
	"context"
	"fmt"

	"urakata/internal/ops"
)

type changeRow struct {
	Stream string `gorm:"primaryKey"`
	Seq    int64  `gorm:"primaryKey;autoIncrement:false"`
	Kind   string
	Ref    string
	At     *int64
}

func (changeRow) TableName() string { return "changes" }

func (r changeRow) change() (ops.Change, error) {
	return ops.Change{Seq: r.Seq, Stream: r.Stream, Kind: ops.ChangeKind(r.Kind), Ref: r.Ref, At: moment(r.At)}, nil
}

// Changes lists a stream's changes after a place, in order, 500 of them when limit is 0 and never more than 5,000. Places are taken inside the
// transactions that they belong to, so whoever reads on from the last place that he saw misses none.
func (d *DB) Changes(ctx context.Context, stream string, after int64, limit int) ([]ops.Change, error) {
	rows, err := pick[changeRow](d.read.WithContext(ctx), "SELECT * FROM changes WHERE stream = ? AND seq > ? ORDER BY seq LIMIT ?",
		stream, after, bounded(limit, 500, 5000))
	if err != nil {
		return nil, fmt.Errorf("changes of %q: %w", stream, err)
	}
	return mapped(rows, changeRow.change)
}

// LastChange is the place of a stream's last change, 0 when there is none.
func (d *DB) LastChange(ctx context.Context, stream string) (int64, error) {
	seq, _, err := one[int64](d.read.WithContext(ctx), "SELECT COALESCE(MAX(seq), 0) FROM changes WHERE stream = ?", stream)
	if err != nil {
		return 0, fmt.Errorf("last change of %q: %w", stream, err)
	}
	return seq, nil
}
