package db

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"gorm.io/gorm"

	"urakata/internal/ops"
	"urakata/internal/ops/comment"
)

// rowsAtOnce is how many comments one INSERT carries; engines bound the placeholders of a statement.
const rowsAtOnce = 200

// AddComments stores a batch: comments that the stream has already are only counted, the others take the next places and are analysed in that
// order. The analyses, the position, the counts and one change belong to the same transaction. analyse may be nil.
func (d *DB) AddComments(ctx context.Context, stream string, batch ops.CommentBatch, analyse func([]ops.Stored) []comment.Analysis) (ops.Added, error) {
	for i, c := range batch.Comments {
		if c.ID == "" {
			return ops.Added{}, fmt.Errorf("add comments to stream %s: comment %d of the batch has no id", stream, i+1)
		}
	}
	var added ops.Added
	err := d.inTx(ctx, func(t *tx) error {
		place, seq, err := t.claimPlaces(stream)
		if err != nil {
			return err
		}
		fresh, err := t.unseen(stream, batch.Comments)
		if err != nil {
			return err
		}
		added = ops.Added{Fresh: make([]ops.Stored, len(fresh)), Duplicates: len(batch.Comments) - len(fresh)}
		for i, c := range fresh {
			added.Fresh[i] = ops.Stored{Seq: place + int64(i) + 1, Comment: c}
		}
		if err := understand(added.Fresh, analyse); err != nil {
			return err
		}
		if err := t.insertComments(stream, added.Fresh); err != nil {
			return err
		}
		place += int64(len(fresh))
		if err := t.moveOn(stream, batch, place, len(fresh)); err != nil {
			return err
		}
		return t.record(stream, seq, ops.ChangeComments, strconv.FormatInt(place, 10))
	})
	if err != nil {
		return ops.Added{}, fmt.Errorf("add comments to stream %s: %w", stream, err)
	}
	return added, nil
}

// claimPlaces takes the stream's row, so that nobody else gives out places, and the change's place with it.
func (t *tx) claimPlaces(stream string) (place, seq int64, err error) {
	row, ok, err := one[struct{ Seq, Place int64 }](t.DB, "UPDATE streams SET seq = seq + 1 WHERE id = ? RETURNING seq, place", stream)
	if err != nil {
		return 0, 0, err
	}
	if !ok {
		return 0, 0, ops.ErrNotFound
	}
	return row.Place, row.Seq, nil
}

// key is what makes a comment the same as another of its stream.
type key struct{ Platform, PlatformID string }

func keyOf(c comment.Comment) key { return key{plain(string(c.Platform)), plain(c.ID)} }

// unseen keeps the comments that neither the stream nor the batch had before.
func (t *tx) unseen(stream string, batch []comment.Comment) ([]comment.Comment, error) {
	seen := make(map[key]bool, len(batch))
	for rest := batch; len(rest) > 0; rest = rest[min(len(rest), rowsAtOnce):] {
		ids := make([]string, min(len(rest), rowsAtOnce))
		for i := range ids {
			ids[i] = plain(rest[i].ID)
		}
		stored, err := pick[key](t.DB, "SELECT platform, platform_id FROM comments WHERE stream = ? AND platform_id IN ?", stream, ids)
		if err != nil {
			return nil, err
		}
		for _, k := range stored {
			seen[k] = true
		}
	}
	fresh := make([]comment.Comment, 0, len(batch))
	for _, c := range batch {
		if k := keyOf(c); !seen[k] {
			seen[k] = true
			fresh = append(fresh, c)
		}
	}
	return fresh, nil
}

// understand asks for the analyses of fresh comments and puts them beside.
func understand(fresh []ops.Stored, analyse func([]ops.Stored) []comment.Analysis) error {
	if len(fresh) == 0 || analyse == nil {
		return nil
	}
	analyses := analyse(fresh)
	if len(analyses) != len(fresh) {
		return fmt.Errorf("%d analyses were given for %d comments", len(analyses), len(fresh))
	}
	for i := range fresh {
		fresh[i].Analysis = analyses[i]
	}
	return nil
}

func (t *tx) insertComments(stream string, fresh []ops.Stored) error {
	for rest := fresh; len(rest) > 0; rest = rest[min(len(rest), rowsAtOnce):] {
		rows := make([]commentRow, min(len(rest), rowsAtOnce))
		for i := range rows {
			rows[i] = rowOfComment(stream, rest[i])
		}
		if err := t.Create(&rows).Error; err != nil {
			return err
		}
	}
	return nil
}

// moveOn moves what the stream's row says of its comments.
func (t *tx) moveOn(stream string, batch ops.CommentBatch, place int64, fresh int) error {
	query, args := "UPDATE streams SET place = ?, comments = comments + ?", []any{place, fresh}
	if batch.Position != "" {
		query, args = query+", position = ?", append(args, batch.Position)
	}
	if batch.Counts != nil {
		query, args = query+", counts = ?", append(args, toJSON(batch.Counts))
	}
	_, err := t.exec(query+" WHERE id = ?", append(args, stream)...)
	return err
}

// Comments lists a stream's comments by place, 500 of them when the range has no limit and never more than 5,000.
func (d *DB) Comments(ctx context.Context, stream string, r ops.Range) ([]ops.Stored, error) {
	q, err := inRange(d.read.WithContext(ctx).Where("stream = ?", stream), r)
	if err != nil {
		return nil, fmt.Errorf("comments of stream %s: %w", stream, err)
	}
	order := "seq"
	if r.Newest {
		order = "seq DESC"
	}
	var rows []commentRow
	if err := q.Order(order).Limit(bounded(r.Limit, 500, 5000)).Find(&rows).Error; err != nil {
		return nil, fmt.Errorf("comments of stream %s: %w", stream, err)
	}
	return mapped(rows, commentRow.stored)
}

func inRange(q *gorm.DB, r ops.Range) (*gorm.DB, error) {
	if r.After != 0 {
		q = q.Where("seq > ?", r.After)
	}
	if r.Before != 0 {
		q = q.Where("seq < ?", r.Before)
	}
	if r.From != nil {
		q = q.Where("offset_ns >= ?", r.From.Nanoseconds())
	}
	if r.To != nil {
		q = q.Where("offset_ns <= ?", r.To.Nanoseconds())
	}
	if r.Author != "" {
		q = q.Where("author_id = ?", plain(r.Author))
	}
	if r.Group != "" {
		q = q.Where("(grp = ? AND grp <> '' OR wave = ? AND wave <> '')", r.Group, r.Group)
	}
	if r.Subject != "" {
		q = q.Where("subject = ?", string(r.Subject))
	}
	if r.Subject != "" {
		q = q.Where("subject = ?", string(r.Subject))
	}
	if len(r.IDs) > 0 {
		ids := make([]string, min(len(r.IDs), 5000))
		for i := range ids {
			ids[i] = plain(r.IDs[i])
		}
		q = q.Where("platform_id IN ?", ids)
	}
	switch r.Filter {
	case "":
	case "questions":
		q = q.Where("question")
	case "safety":
		q = q.Where("action IN ('withhold', 'escalate')")
	case "paid":
		q = q.Where("micros IS NOT NULL")
	default:
		return nil, fmt.Errorf("no filter is named %q", r.Filter)
	}
	return q, nil
}

// MarkComment notes what happened to a comment after it was written. The change that it writes points at the comment's place.
func (d *DB) MarkComment(ctx context.Context, stream, id string, state ops.CommentState, by string) error {
	err := d.inTx(ctx, func(t *tx) error {
		places, err := pick[int64](t.DB, "UPDATE comments SET state = ?, state_by = ? WHERE stream = ? AND platform_id = ? RETURNING seq",
			string(state), plain(by), stream, plain(id))
		if err == nil && len(places) == 0 {
			err = ops.ErrNotFound
		}
		for _, place := range places {
			err = errors.Join(err, t.changed(stream, ops.ChangeComments, strconv.FormatInt(place, 10)))
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("mark comment of stream %s: %w", stream, err)
	}
	return nil
}
