package db

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"urakata/internal/ops"
)

type operatorRow struct {
	ID       string `gorm:"primaryKey"`
	Name     string
	Folded   string
	Role     string
	Hash     string
	Language string
	Created  *int64 `gorm:"column:created_at"`
}

func (operatorRow) TableName() string { return "operators" }

func (r operatorRow) operator() (ops.OperatorAccount, error) {
	return ops.OperatorAccount{
		ID: r.ID, Name: r.Name, Role: ops.OperatorRole(r.Role), Hash: r.Hash, Language: r.Language, CreatedAt: moment(r.Created),
	}, nil
}

// folded is what makes two spellings of a name one: width, composition and case do not matter.
func folded(name string) string {
	return norm.NFKC.String(cases.Fold().String(norm.NFKC.String(plain(name))))
}

// SaveOperator stores an operator by id; a name that another one has is ops.ErrTaken.
func (d *DB) SaveOperator(ctx context.Context, o ops.OperatorAccount) error {
	if o.ID == "" {
		return errors.New("save operator: there is no id")
	}
	return d.inTx(ctx, func(t *tx) error {
		row := operatorRow{
			ID: o.ID, Name: plain(o.Name), Folded: folded(o.Name), Role: string(o.Role), Hash: o.Hash, Language: o.Language,
			Created: nanos(t.orNow(o.CreatedAt)),
		}
		again := clause.OnConflict{
			Columns:   []clause.Column{{Name: "id"}},
			DoUpdates: clause.AssignmentColumns([]string{"name", "folded", "role", "hash", "language"}),
		}
		err := t.Clauses(again).Create(&row).Error
		if errors.Is(err, gorm.ErrDuplicatedKey) {
			err = ops.ErrTaken
		}
		if err != nil {
			return fmt.Errorf("save operator %s: %w", o.ID, err)
		}
		return nil
	})
}

// OperatorByName finds an operator, however the name is spelt.
func (d *DB) OperatorByName(ctx context.Context, name string) (ops.OperatorAccount, error) {
	return d.oneOperator(ctx, "SELECT * FROM operators WHERE folded = ?", folded(name))
}

// Operator finds an operator by id.
func (d *DB) Operator(ctx context.Context, id string) (ops.OperatorAccount, error) {
	return d.oneOperator(ctx, "SELECT * FROM operators WHERE id = ?", id)
}

func (d *DB) oneOperator(ctx context.Context, query, arg string) (ops.OperatorAccount, error) {
	row, ok, err := one[operatorRow](d.read.WithContext(ctx), query, arg)
	if err == nil && !ok {
		err = ops.ErrNotFound
	}
	if err != nil {
		return ops.OperatorAccount{}, fmt.Errorf("operator: %w", err)
	}
	return row.operator()
}

// Operators lists all of them, by name, 500 at most.
func (d *DB) Operators(ctx context.Context) ([]ops.OperatorAccount, error) {
	rows, err := pick[operatorRow](d.read.WithContext(ctx), "SELECT * FROM operators ORDER BY folded LIMIT 500")
	if err != nil {
		return nil, fmt.Errorf("operators: %w", err)
	}
	return mapped(rows, operatorRow.operator)
}
