package dbtest

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"urakata/internal/db"
)

// Each runs a test on every engine. Without Postgres on the machine its part is skipped, and fails where CI=true.
func Each(t *testing.T, test func(t *testing.T, d *db.DB)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, Open(t))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, OpenPostgres(t))
	})
}

// Open gives a test a SQLite database of its own, already migrated.
func Open(t testing.TB) *db.DB {
	t.Helper()
	return open(t, db.Config{DSN: Path(t)})
}

// OpenAt is Open with a clock.
func OpenAt(t testing.TB, now func() time.Time) *db.DB {
	t.Helper()
	return open(t, db.Config{DSN: Path(t), Now: now})
}

func open(t testing.TB, c db.Config) *db.DB {
	t.Helper()
	d, err := db.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// Path gives a test the path of a migrated SQLite file that nobody has open.
func Path(t testing.TB) string {
	t.Helper()
	blank, err := template()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "urakata.db")
	if err := os.WriteFile(path, blank, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// template is a migrated, empty SQLite file, made once per process.
var template = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "urakata-dbtest-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it is the system's temporary folder
	path := filepath.Join(dir, "blank.db")
	d, err := db.Open(context.Background(), db.Config{DSN: path})
	if err != nil {
		return nil, err
	}
	if err := d.Close(); err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	return io.ReadAll(f)
})
