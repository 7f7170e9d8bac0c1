//go:build !cgo

package db

import (
	"database/sql"
	"errors"
	"net/url"
	"strings"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"
	"gorm.io/gorm"
	"gorm.io/gorm/callbacks"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
	"gorm.io/gorm/migrator"
	"gorm.io/gorm/schema"
)

// sqlitePool opens a pool over the library in Go.
func sqlitePool(path string, a access) (*sql.DB, error) {
	query := url.Values{"_txlock": {"immediate"}, "_pragma": {
		"busy_timeout(5000)", "journal_mode(wal)", "synchronous(full)", "foreign_keys(on)",
	}}
	switch a {
	case readOnly:
		query.Add("_pragma", "query_only(on)")
		query.Set("_txlock", "deferred")
	case inspect:
		query = url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(5000)"}}
	}
	return driver.Open(sqliteURI(path, query))
}

// pure is GORM's view of SQLite without the C library. The usual dialect cannot be used: it registers a stub under the name of the real driver,
// and the program would stop at once. It is small because this package makes its schema in SQL.
type pure struct{ pool *sql.DB }

func sqliteDialector(pool *sql.DB) gorm.Dialector { return pure{pool} }

// Name is what GORM calls the engine.
func (pure) Name() string { return "sqlite" }

// Initialize names the clauses that SQLite knows.
func (p pure) Initialize(g *gorm.DB) error {
	g.ConnPool = p.pool
	callbacks.RegisterDefaultCallbacks(g, &callbacks.Config{
		CreateClauses:        []string{"INSERT", "VALUES", "ON CONFLICT", "RETURNING"},
		UpdateClauses:        []string{"UPDATE", "SET", "FROM", "WHERE", "RETURNING"},
		DeleteClauses:        []string{"DELETE", "FROM", "WHERE", "RETURNING"},
		LastInsertIDReversed: true,
	})
	return p.pool.Ping() //nolint:noctx // GORM hands no context to a dialect that starts
}

// Migrator is never asked: goose makes the schema.
func (p pure) Migrator(g *gorm.DB) gorm.Migrator {
	return migrator.Migrator{Config: migrator.Config{DB: g, Dialector: p}}
}

// DataTypeOf is never asked either.
func (pure) DataTypeOf(f *schema.Field) string { return string(f.DataType) }

// DefaultValueOf is what an automatic number is inserted as.
func (pure) DefaultValueOf(*schema.Field) clause.Expression { return clause.Expr{SQL: "NULL"} }

// BindVarTo writes a placeholder.
func (pure) BindVarTo(w clause.Writer, _ *gorm.Statement, _ any) { _ = w.WriteByte('?') }

// QuoteTo quotes a name, part by part.
func (pure) QuoteTo(w clause.Writer, name string) {
	_, _ = w.WriteString("`" + strings.ReplaceAll(strings.ReplaceAll(name, "`", "``"), ".", "`.`") + "`")
}

// Explain writes a statement with its values.
func (pure) Explain(query string, values ...any) string {
	return logger.ExplainSQL(query, nil, `"`, values...)
}

// Translate makes the driver's errors GORM's.
func (pure) Translate(err error) error {
	switch {
	case errors.Is(err, sqlite3.CONSTRAINT_UNIQUE), errors.Is(err, sqlite3.CONSTRAINT_PRIMARYKEY):
		return gorm.ErrDuplicatedKey
	case errors.Is(err, sqlite3.CONSTRAINT_FOREIGNKEY):
		return gorm.ErrForeignKeyViolated
	}
	return err
}
