package db

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// An event, a change and an audit entry are facts. No statement of this package, in Go or in a migration, may update or delete one.
func TestHistoriesAreOnlyAddedTo(t *testing.T) {
	t.Parallel()
	found := map[string]int{}
	for name, text := range statements(t) {
		for table, what := range rewritten(text) {
			t.Errorf("%s: %s of %s: %s", name, what, table, text)
		}
		for _, table := range histories {
			if strings.Contains(text, table) {
				found[table]++
			}
		}
	}
	for _, table := range histories {
		if found[table] == 0 {
			t.Errorf("no statement names %s: this test looks in the wrong place", table)
		}
	}
}

var histories = []string{"events", "changes", "audit"}

// rewrites is every way of SQL to change or remove rows.
var rewrites = regexp.MustCompile("(?is)\\b(update|delete\\s+from|replace\\s+into|truncate(?:\\s+table)?|drop\\s+table(?:\\s+if\\s+exists)?|alter\\s+table)\\s+(?:or\\s+\\w+\\s+)?(?:only\\s+)?[\"`]?(\\w+)")

func rewritten(text string) map[string]string {
	out := map[string]string{}
	for _, m := range rewrites.FindAllStringSubmatch(text, -1) {
		for _, table := range histories {
			if strings.EqualFold(m[2], table) {
				out[table] = strings.ToLower(m[1])
			}
		}
	}
	return out
}

// statements is every string of the package's code and every migration. It also insists that GORM's own updates and deletes name another row.
func statements(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no code", err)
	}
	set := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BasicLit:
				if n.Kind == token.STRING {
					text, _ := strconv.Unquote(n.Value)
					out[set.Position(n.Pos()).String()] = text
				}
			case *ast.SelectorExpr:
				switch n.Sel.Name {
				case "Save", "Delete", "Update", "UpdateColumn", "UpdateColumns", "FirstOrCreate", "UpdateAll", "AutoMigrate":
					if of, ok := n.X.(*ast.Ident); !ok || of.Name != "slices" {
						t.Errorf("%s: GORM's %s hides which rows it changes: write SQL", set.Position(n.Pos()), n.Sel.Name)
					}
				case "Updates":
					if name != "card.go" {
						t.Errorf("%s: only cards are updated by GORM: write SQL", set.Position(n.Pos()))
					}
				}
			}
			return true
		})
	}
	err = fs.WalkDir(migrations, ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := migrations.ReadFile(path)
		for i, s := range strings.Split(string(b), ";") {
			out[path+" "+strconv.Itoa(i+1)] = s
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTheAppendOnlyTestSeesRewrites(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		"UPDATE events SET seq = 1", "delete  from `changes` where seq < ?", "UPDATE OR IGNORE audit SET who = ''", "REPLACE INTO events VALUES (1)",
		"TRUNCATE changes", "DROP TABLE IF EXISTS audit", "SELECT 1; DELETE FROM \"events\"",
	} {
		if len(rewritten(bad)) == 0 {
			t.Errorf("%q was let through", bad)
		}
	}
	for _, good := range []string{"INSERT INTO events (seq) VALUES (?)", "UPDATE streams SET seq = 1", "DELETE FROM logins WHERE digest = ?"} {
		if len(rewritten(good)) != 0 {
			t.Errorf("%q was found", good)
		}
	}
}

// Both engines have the same tables with the same columns.
func TestEnginesHaveTheSameSchema(t *testing.T) {
	t.Parallel()
	same := strings.NewReplacer("BYTEA", "BLOB", "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY", "INTEGER PRIMARY KEY AUTOINCREMENT", " WITHOUT ROWID", "")
	names, err := fs.Glob(migrations, "migrations/sqlite/*.sql")
	if err != nil || len(names) == 0 {
		t.Fatal("no migrations", err)
	}
	others, err := fs.Glob(migrations, "migrations/postgres/*.sql")
	if err != nil || len(others) != len(names) {
		t.Fatalf("%d migrations for SQLite and %d for Postgres, %v", len(names), len(others), err)
	}
	for i := range names {
		a, _ := migrations.ReadFile(names[i])
		b, _ := migrations.ReadFile(others[i])
		if same.Replace(string(a)) != same.Replace(string(b)) || filepath.Base(names[i]) != filepath.Base(others[i]) {
			t.Errorf("%s and %s differ in more than types", names[i], others[i])
		}
	}
}
