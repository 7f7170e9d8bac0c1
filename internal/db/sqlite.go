package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// access says what a pool of SQLite connections is for.
type access int

const (
	readOnly access = iota
	readWrite
	inspect // a file that is not ours yet: nothing may be written, not even a journal mode
)

// openSQLite takes the file's lock, migrates, and opens one connection that writes and a few that read.
func (d *DB) openSQLite(ctx context.Context, c Config) error {
	path, err := sqlitePath(c)
	if err != nil {
		return err
	}
	d.engine, d.path, d.queue = sqliteEngine, path, newQueue()
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		d.made = c.Shared
	}
	lock, err := lockFile(path + ".lock")
	aside := c.Shared && errors.Is(err, ErrInUse)
	if err != nil && !aside {
		return fmt.Errorf("open %s: %w", path, err)
	}
	if !aside {
		d.shut = append(d.shut, lock)
	}
	write, err := sqlitePool(path, readWrite)
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	write.SetMaxOpenConns(1)
	d.shut = append(d.shut, write)
	if err := d.migrate(ctx, write, aside); err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	if c.Shared && !aside {
		d.shut = d.shut[1:]
		if err := lock.Close(); err != nil { // a server may start while this command runs
			return fmt.Errorf("open %s: %w", path, err)
		}
	}
	read, err := sqlitePool(path, readOnly)
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	readers := max(4, runtime.GOMAXPROCS(0))
	read.SetMaxOpenConns(readers)
	read.SetMaxIdleConns(readers)
	d.shut = append(d.shut, read)
	if d.write, err = gormOver(sqliteDialector(write)); err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	if d.read, err = gormOver(sqliteDialector(read)); err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	return nil
}

// sqlitePath checks the path before SQLite sees it, because SQLite's words for a folder that cannot be written help nobody.
func sqlitePath(c Config) (string, error) {
	if strings.Contains(c.DSN, ":memory:") || strings.HasPrefix(c.DSN, "file:") || strings.Contains(c.DSN, "://") {
		return "", fmt.Errorf("open database %q: give a file's path or a postgres:// address", redactDSN(c.DSN))
	}
	path, err := filepath.Abs(c.DSN)
	if err != nil {
		return "", fmt.Errorf("open database: %w", err)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return "", fmt.Errorf("open database: %s is a folder; name a file in it", path)
	}
	if err := writable(path); err != nil {
		return "", err
	}
	return path, nil
}

// writable makes the folder if it is missing and tries to write in it.
func writable(path string) error {
	dir := filepath.Dir(path)
	err := os.MkdirAll(dir, 0o750)
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(dir, ".urakata-*"); err == nil {
			return errors.Join(f.Close(), os.Remove(f.Name()))
		}
	}
	return fmt.Errorf("cannot write %s (uid %d): %w; make it belong to that user, or choose another folder", dir, os.Getuid(), err)
}

// sqliteURI writes a path so that SQLite's URI parser reads it back unchanged.
func sqliteURI(path string, query url.Values) string {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a drive letter
	}
	u := url.URL{Path: slashed}
	return "file:" + strings.ReplaceAll(u.EscapedPath(), "?", "%3F") + "?" + query.Encode()
}

// redactDSN keeps a password out of an error.
func redactDSN(dsn string) string {
	if u, err := url.Parse(dsn); err == nil {
		return u.Redacted()
	}
	return "(unreadable)"
}
