package db

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"

	"urakata/internal/ops"
)

type cardRow struct {
	ID        string `gorm:"primaryKey"`
	Stream    string
	Incident  string
	Kind      string
	Severity  string
	Observed  string
	Suggested string
	Evidence  string
	Offset    int64 `gorm:"column:offset_ns"`
	Character string
	Session   string
	Turn      string
	State     string
	Note      string
	MovedBy   string
	Updates   int
	At        *int64
	Updated   *int64 `gorm:"column:updated_at"`
}

func (cardRow) TableName() string { return "cards" }

func rowOfCard(c ops.Card) cardRow {
	return cardRow{
		ID: c.ID, Stream: c.Stream, Incident: c.Incident, Kind: string(c.Kind), Severity: string(c.Severity),
		Observed: plain(c.Observed), Suggested: plain(c.Suggested), Evidence: listJSON(c.Evidence), Offset: c.Offset.Nanoseconds(),
		Character: c.Character, Session: c.Session, Turn: c.Turn, State: string(c.State), Note: plain(c.Note), MovedBy: plain(c.By),
		Updates: c.Updates, At: nanos(c.At), Updated: nanos(c.UpdatedAt),
	}
}

func (r cardRow) card() (ops.Card, error) {
	evidence, err := fromJSON[[]string]("card "+r.ID+": evidence", r.Evidence)
	return ops.Card{
		ID: r.ID, Stream: r.Stream, Incident: r.Incident, Kind: ops.CardKind(r.Kind), Severity: ops.Severity(r.Severity),
		Observed: r.Observed, Suggested: r.Suggested, Evidence: evidence, Offset: time.Duration(r.Offset),
		Character: r.Character, Session: r.Session, Turn: r.Turn, State: ops.CardState(r.State), Note: r.Note, By: r.MovedBy,
		Updates: r.Updates, At: moment(r.At), UpdatedAt: moment(r.Updated),
	}, err
}

// SaveCard stores a card, or joins it to the one of the same stream and incident, and moves the cursor with it. A cursor that is not after the
// stored one means that this was done before: nothing is saved and the card that stands is returned.
func (d *DB) SaveCard(ctx context.Context, c ops.Card, at ops.Cursor) (ops.Card, error) {
	if c.ID == "" || c.Incident == "" {
		return ops.Card{}, fmt.Errorf("save card %q of incident %q: a card needs both", c.ID, c.Incident)
	}
	var saved ops.Card
	err := d.inTx(ctx, func(t *tx) error {
		forward, err := t.follow(at)
		if err != nil {
			return err
		}
		row, stands, err := one[cardRow](t.DB, "SELECT * FROM cards WHERE stream = ? AND incident = ?", c.Stream, c.Incident)
		if err != nil {
			return err
		}
		switch {
		case !forward && !stands:
			return ops.ErrNotFound
		case !forward:
			saved, err = row.card()
			return err
		case stands:
			saved, err = t.joinCard(row, c)
		default:
			saved, err = t.newCard(c)
		}
		if err != nil {
			return err
		}
		return t.changed(c.Stream, ops.ChangeCard, saved.ID)
	})
	if err != nil {
		return ops.Card{}, fmt.Errorf("save card %s: %w", c.Incident, err)
	}
	return saved, nil
}

func (t *tx) newCard(c ops.Card) (ops.Card, error) {
	if c.State == "" {
		c.State = ops.CardOpen
	}
	c.At = t.orNow(c.At)
	if c.UpdatedAt.IsZero() {
		c.UpdatedAt = c.At
	}
	row := rowOfCard(c)
	n, err := t.exec("UPDATE streams SET cards = cards + 1 WHERE id = ?", c.Stream) // first: it also says whether the stream is there
	if err == nil && n == 0 {
		err = fmt.Errorf("stream %s: %w", c.Stream, ops.ErrNotFound)
	}
	if err != nil {
		return ops.Card{}, err
	}
	if err := t.Create(&row).Error; err != nil {
		if errors.Is(err, gorm.ErrDuplicatedKey) {
			err = fmt.Errorf("card %s: %w", c.ID, ops.ErrTaken)
		}
		return ops.Card{}, err
	}
	return row.card()
}

// joinCard tells the card that stands what was seen since. A dismissed card stays dismissed; a handled one opens again when it became worse.
func (t *tx) joinCard(row cardRow, c ops.Card) (ops.Card, error) {
	was, err := row.card()
	if err != nil {
		return ops.Card{}, err
	}
	c.ID, c.At, c.Updates = was.ID, was.At, was.Updates+1
	c.State, c.Note, c.By = was.State, was.Note, was.By
	if weight(c.Severity) > weight(was.Severity) {
		if was.State == ops.CardHandled {
			c.State = ops.CardOpen
		}
	} else {
		c.Severity = was.Severity
	}
	if c.Evidence, err = t.joinEvidence(c.Stream, was.Evidence, c.Evidence); err != nil {
		return ops.Card{}, err
	}
	c.Offset = max(c.Offset, was.Offset)
	c.UpdatedAt = t.orNow(c.UpdatedAt)
	if c.UpdatedAt.Before(was.UpdatedAt) {
		c.UpdatedAt = was.UpdatedAt
	}
	joined := rowOfCard(c)
	if err := t.Model(&joined).Select("*").Updates(&joined).Error; err != nil {
		return ops.Card{}, err
	}
	return joined.card()
}

// joinEvidence is both lists without repetition, oldest comment first.
func (t *tx) joinEvidence(stream string, was, more []string) ([]string, error) {
	all := slices.Clone(was)
	for _, id := range more {
		if !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	if len(all) == len(was) {
		return all, nil
	}
	type placed struct {
		PlatformID string
		Seq        int64
	}
	rows, err := pick[placed](t.DB, "SELECT platform_id, seq FROM comments WHERE stream = ? AND platform_id IN ?", stream, all)
	if err != nil {
		return nil, err
	}
	place := make(map[string]int64, len(rows))
	for _, r := range rows {
		place[r.PlatformID] = r.Seq
	}
	if len(place) == len(all) { // else the order that they came in is the best there is
		slices.SortStableFunc(all, func(a, b string) int { return int(place[a] - place[b]) })
	}
	return all, nil
}

func weight(s ops.Severity) int {
	return slices.Index([]ops.Severity{ops.Low, ops.Medium, ops.High}, s)
}

// Card finds one card.
func (d *DB) Card(ctx context.Context, id string) (ops.Card, error) {
	return cardIn(d.read.WithContext(ctx), id)
}

func cardIn(g *gorm.DB, id string) (ops.Card, error) {
	row, ok, err := one[cardRow](g, "SELECT * FROM cards WHERE id = ?", id)
	if err != nil {
		return ops.Card{}, fmt.Errorf("card %s: %w", id, err)
	}
	if !ok {
		return ops.Card{}, fmt.Errorf("card %s: %w", id, ops.ErrNotFound)
	}
	return row.card()
}

// Cards lists a stream's cards, or with "" those of all streams, newest change first. Page.After is a card's id.
func (d *DB) Cards(ctx context.Context, stream string, p ops.Page) ([]ops.Card, error) {
	query, args := "SELECT * FROM cards WHERE 1 = 1", []any{}
	if stream != "" {
		query, args = query+" AND stream = ?", append(args, stream)
	}
	if p.After != "" {
		query, args = query+" AND (updated_at, id) < (SELECT updated_at, id FROM cards WHERE id = ?)", append(args, p.After)
	}
	rows, err := pick[cardRow](d.read.WithContext(ctx), query+" ORDER BY updated_at DESC, id DESC LIMIT ?", append(args, pageLimit(p))...)
	if err != nil {
		return nil, fmt.Errorf("cards of stream %q: %w", stream, err)
	}
	return mapped(rows, cardRow.card)
}

// MoveCard notes what a person did with a card.
func (d *DB) MoveCard(ctx context.Context, id string, to ops.CardState, by, note string, at time.Time) (ops.Card, error) {
	var moved ops.Card
	err := d.inTx(ctx, func(t *tx) error {
		_, err := t.exec("UPDATE cards SET state = ?, moved_by = ?, note = ?, updated_at = ? WHERE id = ?",
			string(to), plain(by), plain(note), nanos(t.orNow(at)), id)
		if err != nil {
			return fmt.Errorf("move card %s: %w", id, err)
		}
		if moved, err = cardIn(t.DB, id); err != nil {
			return err
		}
		return t.changed(moved.Stream, ops.ChangeCard, id)
	})
	if err != nil {
		return ops.Card{}, err
	}
	return moved, nil
}
