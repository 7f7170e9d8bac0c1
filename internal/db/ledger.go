package db

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"gorm.io/gorm/clause"

	"urakata/internal/ops/platform"
)

type ledgerRow struct {
	Key    string `gorm:"primaryKey;column:key_id"`
	Stream string
	Action []byte
	Result []byte
	At     *int64
}

func (ledgerRow) TableName() string { return "ledger" }

func (r ledgerRow) result() (platform.Result, error) {
	result, err := fromJSON[platform.Result]("action "+r.Key+": result", string(r.Result))
	return result, err
}

// Record keeps the result of an action under its key, for good; see platform.Ledger.
func (d *DB) Record(ctx context.Context, a platform.Action, r platform.Result) (platform.Result, bool, error) {
	if a.Key == "" {
		return platform.Result{}, false, errors.New("record action: it has no key")
	}
	var stands platform.Result
	already := false
	err := d.inTx(ctx, func(t *tx) error {
		action, err := json.Marshal(a)
		if err != nil {
			return err
		}
		result, err := json.Marshal(r)
		if err != nil {
			return err
		}
		row := ledgerRow{Key: a.Key, Stream: a.Stream, Action: action, Result: result, At: nanos(t.now)}
		made := t.Clauses(clause.OnConflict{Columns: []clause.Column{{Name: "key_id"}}, DoNothing: true}).Create(&row)
		if made.Error != nil {
			return made.Error
		}
		already = made.RowsAffected == 0
		if row, _, err = one[ledgerRow](t.DB, "SELECT * FROM ledger WHERE key_id = ?", a.Key); err != nil {
			return err
		}
		stands, err = row.result()
		return err
	})
	if err != nil {
		return platform.Result{}, false, fmt.Errorf("record action %s: %w", a.Key, err)
	}
	return stands, already, nil
}

// Recorded answers the result that stands under a key.
func (d *DB) Recorded(ctx context.Context, key string) (platform.Result, bool, error) {
	row, ok, err := one[ledgerRow](d.read.WithContext(ctx), "SELECT * FROM ledger WHERE key_id = ?", key)
	if err != nil || !ok {
		if err != nil {
			err = fmt.Errorf("recorded action %s: %w", key, err)
		}
		return platform.Result{}, false, err
	}
	result, err := row.result()
	return result, err == nil, err
}
