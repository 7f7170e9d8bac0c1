package db

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"

	"gorm.io/gorm"

	"urakata/internal/ops"
)

// tx is one write: a transaction, or a savepoint in one that several writes share.
type tx struct {
	*gorm.DB
	now    time.Time
	topics []string // rung after the commit
}

// inTx makes one write, all or nothing, and rings its bells after the commit. f may run only statements of t.
func (d *DB) inTx(ctx context.Context, f func(t *tx) error) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if d.queue != nil {
		return d.queue.do(ctx, f, d.commit)
	}
	t := &tx{now: d.now().UTC()}
	err := d.write.WithContext(ctx).Transaction(func(g *gorm.DB) error {
		t.DB = g
		return guard(t, f)
	})
	if err != nil {
		return err
	}
	d.bell.ring(t.topics...)
	return nil
}

// guard turns a panic into an error: the transaction belongs to other writes too.
func guard(t *tx, f func(*tx) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("write panicked: %v\n%s", p, debug.Stack())
		}
	}()
	return f(t)
}

// ring rings a topic once the write is committed.
func (t *tx) ring(topics ...string) { t.topics = append(t.topics, topics...) }

// exec runs a statement and tells how many rows it touched.
func (t *tx) exec(query string, args ...any) (int64, error) {
	r := t.Exec(query, args...)
	return r.RowsAffected, r.Error
}

// changed writes where to look: a change of a stream, or of what every page follows when stream is "".
func (t *tx) changed(stream string, kind ops.ChangeKind, ref string) error {
	query, args := "UPDATE streams SET seq = seq + 1 WHERE id = ? RETURNING seq", []any{stream}
	if stream == "" {
		query, args = "UPDATE console SET seq = seq + 1 RETURNING seq", nil
	}
	seq, ok, err := one[int64](t.DB, query, args...)
	if err != nil {
		return fmt.Errorf("count change of %q: %w", stream, err)
	}
	if !ok {
		return fmt.Errorf("stream %s: %w", stream, ops.ErrNotFound)
	}
	return t.record(stream, seq, kind, ref)
}

// record writes a change whose place was taken already.
func (t *tx) record(stream string, seq int64, kind ops.ChangeKind, ref string) error {
	row := changeRow{Stream: stream, Seq: seq, Kind: string(kind), Ref: ref, At: nanos(t.now)}
	if err := t.Create(&row).Error; err != nil {
		return fmt.Errorf("record change %d of %q: %w", seq, stream, err)
	}
	if stream == "" {
		t.ring("console")
	} else {
		t.ring("stream/" + stream)
	}
	return nil
}
