package dbtest_test

import (
	"testing"

	"urakata/internal/db"
	"urakata/internal/db/dbtest"
)

func TestEachEngineAnswers(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		if err := d.Ping(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
