package db

import (
	"context"
	"errors"
	"fmt"

	"gorm.io/gorm"

	"urakata/internal/ops"
)

// characterRow is one version of a character. Versions are only added, so the history is the table.
type characterRow struct {
	ID        string `gorm:"primaryKey"`
	Version   int    `gorm:"primaryKey;autoIncrement:false"`
	Name      string
	Job       string
	Brief     string
	Language  string
	Backend   string
	Model     string
	Art       string
	Tools     string
	Paused    bool
	Updated   *int64 `gorm:"column:updated_at"`
	UpdatedBy string
}

func (characterRow) TableName() string { return "characters" }

func rowOfCharacter(c ops.Character) characterRow {
	row := characterRow{
		ID: c.ID, Version: c.Version, Name: plain(c.Name), Job: c.Job, Brief: plain(c.Brief), Language: c.Language, Backend: c.Backend, Model: plain(c.Model),
		Art: c.Art, Paused: c.Paused, Updated: nanos(c.UpdatedAt), UpdatedBy: plain(c.UpdatedBy),
	}
	if len(c.Tools) > 0 {
		row.Tools = toJSON(c.Tools)
	}
	return row
}

func (r characterRow) character() (ops.Character, error) {
	tools, err := fromJSON[map[string]ops.ToolRule]("character "+r.ID+": tools", r.Tools)
	return ops.Character{
		ID: r.ID, Name: r.Name, Job: r.Job, Brief: r.Brief, Language: r.Language, Backend: r.Backend, Model: r.Model, Art: r.Art,
		Tools: tools, Paused: r.Paused, Version: r.Version, UpdatedAt: moment(r.Updated), UpdatedBy: r.UpdatedBy,
	}, err
}

// SaveCharacter stores the next version of a character when c.Version is the one that stands, 0 for a new character; else *ops.Stale.
func (d *DB) SaveCharacter(ctx context.Context, c ops.Character) (ops.Character, error) {
	if c.ID == "" {
		return ops.Character{}, errors.New("save character: it has no id")
	}
	var saved ops.Character
	err := d.inTx(ctx, func(t *tx) error {
		current, err := characterIn(t.DB, c.ID)
		if err != nil && !(errors.Is(err, ops.ErrNotFound) && c.Version == 0) {
			return err
		}
		if current.Version != c.Version {
			return &ops.Stale{Current: current}
		}
		c.Version++
		c.UpdatedAt = t.orNow(c.UpdatedAt)
		row := rowOfCharacter(c)
		if err := t.Create(&row).Error; err != nil {
			return fmt.Errorf("save character %s: %w", c.ID, err)
		}
		if saved, err = row.character(); err != nil {
			return err
		}
		return t.changed("", ops.ChangeCharacter, c.ID)
	})
	if errors.Is(err, gorm.ErrDuplicatedKey) { // Postgres: somebody stored this version between the look and the insert
		if current, err := characterIn(d.write.WithContext(ctx), c.ID); err == nil {
			return ops.Character{}, &ops.Stale{Current: current}
		}
	}
	if err != nil {
		return ops.Character{}, err
	}
	return saved, nil
}

// Character finds the version of a character that stands.
func (d *DB) Character(ctx context.Context, id string) (ops.Character, error) {
	return characterIn(d.read.WithContext(ctx), id)
}

func characterIn(g *gorm.DB, id string) (ops.Character, error) {
	row, ok, err := one[characterRow](g, "SELECT * FROM characters WHERE id = ? ORDER BY version DESC LIMIT 1", id)
	if err == nil && !ok {
		err = ops.ErrNotFound
	}
	if err != nil {
		return ops.Character{}, fmt.Errorf("character %s: %w", id, err)
	}
	return row.character()
}

// Characters lists the version of each that stands, by id.
func (d *DB) Characters(ctx context.Context) ([]ops.Character, error) {
	rows, err := pick[characterRow](d.read.WithContext(ctx), `SELECT * FROM characters AS c
		WHERE version = (SELECT MAX(version) FROM characters WHERE id = c.id) ORDER BY id LIMIT 500`)
	if err != nil {
		return nil, fmt.Errorf("characters: %w", err)
	}
	return mapped(rows, characterRow.character)
}

// Versions lists the versions of a character, newest first, 500 at most.
func (d *DB) Versions(ctx context.Context, id string) ([]ops.Character, error) {
	rows, err := pick[characterRow](d.read.WithContext(ctx), "SELECT * FROM characters WHERE id = ? ORDER BY version DESC LIMIT 500", id)
	if err != nil {
		return nil, fmt.Errorf("versions of character %s: %w", id, err)
	}
	return mapped(rows, characterRow.character)
}
