package db

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

//go:embed migrations/sqlite/*.sql migrations/postgres/*.sql
var migrations embed.FS

// schemaOf is goose over one engine's folder. On Postgres an advisory lock lets several machines start at once.
func schemaOf(e engine, pool *sql.DB) (*goose.Provider, error) {
	folder, err := fs.Sub(migrations, "migrations/"+string(e))
	if err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	if e == sqliteEngine {
		return goose.NewProvider(goose.DialectSQLite3, pool, folder, goose.WithDisableGlobalRegistry(true))
	}
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	return goose.NewProvider(goose.DialectPostgres, pool, folder, goose.WithDisableGlobalRegistry(true), goose.WithSessionLocker(locker))
}

// migrate brings the schema up to date, or with checkOnly insists that it is.
func (d *DB) migrate(ctx context.Context, pool *sql.DB, checkOnly bool) error {
	m, err := schemaOf(d.engine, pool)
	if err != nil {
		return err
	}
	current, target, err := m.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read the schema's version: %w", err)
	}
	switch {
	case current > target:
		return fmt.Errorf("%w: its schema is %d, this program knows %d", ErrNewer, current, target)
	case current == target:
		return nil
	case checkOnly:
		return fmt.Errorf("the schema is %d and this program needs %d: start the server once to bring it up to date", current, target)
	}
	done, err := m.Up(ctx)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	d.log.InfoContext(ctx, "schema brought up to date", "from", current, "to", target, "steps", len(done))
	return nil
}
