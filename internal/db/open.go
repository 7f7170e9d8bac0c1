package db

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// Config says which database to open.
type Config struct {
	DSN string // a file's path, or postgres://…
	Log *slog.Logger
	Now func() time.Time
	// Shared opens a SQLite file that a server may be using, for one short command: the lock is held only while the schema is brought up to
	// date, which happens only when no server holds it, and what is written rings no bell in the server.
	Shared bool
}

// What Open's caller decides on.
var (
	ErrInUse = errors.New("the database is in use by another process")
	ErrNewer = errors.New("the database was written by a newer version of this program")
)

// DB is the database: all stores at once.
type DB struct {
	engine engine
	path   string // SQLite: the file
	made   bool   // SQLite: a short command found no file and made one
	write  *gorm.DB
	read   *gorm.DB
	queue  *queue // nil: the engine takes writers side by side
	bell   bell
	log    *slog.Logger
	now    func() time.Time
	shut   []io.Closer // closed in reverse order
}

// engine is which of the two databases it is.
type engine string

const (
	sqliteEngine   engine = "sqlite"
	postgresEngine engine = "postgres"
)

// Open opens a database and brings its schema up to date.
func Open(ctx context.Context, c Config) (*DB, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.DSN == "" {
		return nil, errors.New("open database: no path was given")
	}
	d := &DB{log: c.Log, now: c.Now, bell: newBell()}
	var err error
	if isPostgres(c.DSN) {
		err = d.openPostgres(ctx, c)
	} else {
		err = d.openSQLite(ctx, c)
	}
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

func isPostgres(dsn string) bool {
	return strings.HasPrefix(dsn, "postgres://") || strings.HasPrefix(dsn, "postgresql://")
}

// Close closes the database. Writes that wait are finished first by their callers; later ones fail.
func (d *DB) Close() error {
	var errs []error
	for _, c := range slices.Backward(d.shut) {
		errs = append(errs, c.Close())
	}
	d.shut = nil
	return errors.Join(errs...)
}

// Ping says whether the database answers, for a health check.
func (d *DB) Ping(ctx context.Context) error {
	if _, _, err := one[int](d.read.WithContext(ctx), "SELECT 1"); err != nil {
		return fmt.Errorf("ping database: %w", err)
	}
	return nil
}

// gormOver puts GORM over an open pool. GORM's own logger prints values, viewer text among them, so it stays silent.
func gormOver(d gorm.Dialector) (*gorm.DB, error) {
	return gorm.Open(d, &gorm.Config{
		SkipDefaultTransaction: true,
		TranslateError:         true,
		DisableAutomaticPing:   true,
		Logger:                 logger.Discard,
	})
}
