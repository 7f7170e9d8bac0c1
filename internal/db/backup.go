package db

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Backup writes a whole, consistent copy of the database to a new file while everybody goes on working. A file that exists is never overwritten.
func (d *DB) Backup(ctx context.Context, path string) error {
	if d.engine != sqliteEngine {
		return errors.New("backup: this database is Postgres; use pg_dump")
	}
	if d.made {
		return fmt.Errorf("backup: there was no database at %s", d.path)
	}
	if err := absent(path); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	part, err := partFile(path)
	if err != nil {
		return fmt.Errorf("backup to %s: %w", path, err)
	}
	defer os.Remove(part) //nolint:errcheck // only its other name is meant to stay
	// A connection of its own: the writer's is for writes, and the readers' may not create files.
	pool, err := sqlitePool(d.path, readWrite)
	if err != nil {
		return fmt.Errorf("backup to %s: %w", path, err)
	}
	defer pool.Close() //nolint:errcheck // nothing was written through it
	if _, err := pool.ExecContext(ctx, "VACUUM INTO ?", part); err != nil {
		return fmt.Errorf("backup to %s: %w", path, err)
	}
	if err := place(part, path); err != nil {
		return fmt.Errorf("backup to %s: %w", path, err)
	}
	return nil
}

// Restore puts a backup in the place of a database that does not exist yet, after checking that it is whole and that this program can read it.
func Restore(ctx context.Context, from, to string) error {
	if err := absent(to); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	if _, err := os.Stat(from); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	if err := writable(to); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	lock, err := lockFile(to + ".lock")
	if err != nil {
		return fmt.Errorf("restore to %s: %w", to, err)
	}
	defer lock.Close() //nolint:errcheck // the copy is complete or not there at all
	part, err := partFile(to)
	if err != nil {
		return fmt.Errorf("restore to %s: %w", to, err)
	}
	defer os.Remove(part) //nolint:errcheck // only its other name is meant to stay
	if err := checkedCopy(ctx, from, part); err != nil {
		return fmt.Errorf("restore from %s: %w", from, err)
	}
	if err := place(part, to); err != nil {
		return fmt.Errorf("restore to %s: %w", to, err)
	}
	return nil
}

// checkedCopy copies a database that is whole and ours.
func checkedCopy(ctx context.Context, from, to string) error {
	from, err := filepath.Abs(from)
	if err != nil {
		return err
	}
	pool, err := sqlitePool(from, inspect)
	if err != nil {
		return err
	}
	defer pool.Close() //nolint:errcheck // nothing was written through it
	pool.SetMaxOpenConns(1)
	if err := sound(ctx, pool); err != nil {
		return err
	}
	m, err := schemaOf(sqliteEngine, pool)
	if err != nil {
		return err
	}
	var ours int
	if err := pool.QueryRowContext(ctx, "SELECT COUNT(*) FROM sqlite_master WHERE name IN ('goose_db_version', 'streams', 'events')").Scan(&ours); err != nil {
		return err
	}
	if ours < 3 {
		return errors.New("it is a database, but not one of this program")
	}
	current, target, err := m.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read the schema's version: %w", err)
	}
	if current > target {
		return fmt.Errorf("%w: its schema is %d, this program knows %d", ErrNewer, current, target)
	}
	_, err = pool.ExecContext(ctx, "VACUUM INTO ?", to)
	return err
}

// sound asks SQLite whether every page and every reference is right.
func sound(ctx context.Context, pool *sql.DB) error {
	var says string
	if err := pool.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&says); err != nil {
		return fmt.Errorf("it cannot be read as a database: %w", err)
	}
	if says != "ok" {
		return fmt.Errorf("it is damaged: %s", says)
	}
	rows, err := pool.QueryContext(ctx, "PRAGMA foreign_key_check")
	if err != nil {
		return fmt.Errorf("check references: %w", err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err says it
	if rows.Next() {
		return errors.New("it is damaged: a row points at one that is missing")
	}
	return rows.Err()
}

// absent says whether a name is free.
func absent(path string) error {
	_, err := os.Lstat(path)
	if err == nil {
		return fmt.Errorf("%s is there already; move it away or name another file", path)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// partFile makes an empty file beside the one to come, readable by its owner only: SQLite fills an empty file but not another.
func partFile(path string) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".part-*")
	if err != nil {
		return "", err
	}
	return f.Name(), f.Close()
}

// place gives a finished file its name, on the disk and without overwriting: either all of it is there, or nothing.
func place(part, path string) error {
	f, err := os.OpenFile(part, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Link(part, path) // unlike a rename, a link never replaces what somebody else put there meanwhile
}
