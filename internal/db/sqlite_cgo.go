//go:build cgo

package db

import (
	"database/sql"
	"net/url"

	_ "github.com/mattn/go-sqlite3" // registers "sqlite3"
	"gorm.io/driver/sqlite"
	"gorm.io/gorm"
)

// sqlitePool opens a pool over the C library.
func sqlitePool(path string, a access) (*sql.DB, error) {
	query := url.Values{
		"_busy_timeout": {"5000"}, "_foreign_keys": {"on"}, "_journal_mode": {"WAL"}, "_synchronous": {"FULL"},
		"_txlock": {"immediate"}, "_stmt_cache_size": {"100"},
	}
	switch a {
	case readOnly:
		query.Set("_query_only", "on")
		query.Set("_txlock", "deferred")
	case inspect:
		query = url.Values{"mode": {"ro"}, "_busy_timeout": {"5000"}}
	}
	return sql.Open("sqlite3", sqliteURI(path, query))
}

func sqliteDialector(pool *sql.DB) gorm.Dialector {
	return sqlite.New(sqlite.Config{Conn: pool})
}
