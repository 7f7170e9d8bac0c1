package db

import (
	"context"
	"database/sql"
	"fmt"

	_ "github.com/jackc/pgx/v5/stdlib" // registers "pgx"
	"gorm.io/driver/postgres"
)

// openPostgres opens one pool for everything: Postgres takes writers side by side.
func (d *DB) openPostgres(ctx context.Context, c Config) error {
	pool, err := sql.Open("pgx", c.DSN)
	if err != nil {
		return fmt.Errorf("open %s: %w", redactDSN(c.DSN), err)
	}
	d.engine = postgresEngine
	d.shut = append(d.shut, pool)
	pool.SetMaxOpenConns(16)
	pool.SetMaxIdleConns(16)
	if err := pool.PingContext(ctx); err != nil {
		return fmt.Errorf("reach %s: %w", redactDSN(c.DSN), err)
	}
	if err := d.migrate(ctx, pool, false); err != nil {
		return fmt.Errorf("open %s: %w", redactDSN(c.DSN), err)
	}
	if d.write, err = gormOver(postgres.New(postgres.Config{Conn: pool})); err != nil {
		return fmt.Errorf("open %s: %w", redactDSN(c.DSN), err)
	}
	d.read = d.write
	return nil
}
