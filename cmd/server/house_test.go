package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// root is the repository as seen from this package.
const root = "../.."

// floor is one row of the house: the packages it holds and what they may import of ours. A prefix ending in "/…" covers the rooms below it.
type floor struct {
	rooms []string
	may   []string
}

// The floors of ARCHITECTURE.md. The first floor whose room matches a package counts.
var floors = []floor{
	{[]string{"cmd/…", "examples/…", "tools/…"}, []string{"…"}},
	{[]string{"web/…"}, []string{"views/…", "static", "internal/ops/…", "internal/agent", "internal/lang"}},
	{[]string{"views/ui"}, []string{"internal/lang"}},
	{[]string{"views/…"}, []string{"views/…", "static", "internal/ops/…", "internal/agent", "internal/lang"}},
	{[]string{"static"}, nil},
	{[]string{"internal/db/…"}, []string{"internal/db/…", "internal/ops/…", "internal/agent"}},
	{[]string{"internal/agent/backend/rules"}, []string{"internal/agent", "internal/lang"}},
	{[]string{"internal/agent/backend/…"}, []string{"internal/agent", "internal/agent/backend/stdio"}},
	{[]string{"internal/agent/agenttest"}, []string{"internal/agent"}},
	{[]string{"internal/ops"}, []string{"internal/ops/comment", "internal/ops/source", "internal/ops/platform", "internal/ops/viewer", "internal/ops/strategy", "internal/agent", "internal/lang"}},
	{[]string{"internal/ops/source/…"}, []string{"internal/ops/comment", "internal/ops/source"}},
	{[]string{"internal/ops/viewer"}, []string{"internal/ops/comment"}},
	{[]string{"internal/ops/…"}, nil},
	{[]string{"internal/agent"}, nil},
	{[]string{"internal/lang"}, nil},
}

func covers(pattern, pkg string) bool {
	if pattern == "…" {
		return true
	}
	if room, ok := strings.CutSuffix(pattern, "/…"); ok {
		return pkg == room || strings.HasPrefix(pkg, room+"/")
	}
	return pkg == pattern
}

func coversAny(patterns []string, pkg string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return covers(p, pkg) })
}

// source is one file of the tree, parsed.
type sourceFile struct {
	path, pkg string
	lines     int
	tree      *ast.File
	fset      *token.FileSet
	generated bool
	test      bool
}

func sourceFiles(t *testing.T) []sourceFile {
	t.Helper()
	var out []sourceFile
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules" || name == "data") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		tree, err := parser.ParseFile(fset, path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		out = append(out, sourceFile{
			path: filepath.ToSlash(rel), pkg: filepath.ToSlash(filepath.Dir(rel)), lines: strings.Count(string(text), "\n"), tree: tree, fset: fset,
			generated: ast.IsGenerated(tree), test: strings.HasSuffix(name, "_test.go"),
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestImportsRunDownward(t *testing.T) {
	t.Parallel()
	for _, f := range sourceFiles(t) {
		if f.test {
			continue // tests may reach across: they are no part of the program
		}
		at := slices.IndexFunc(floors, func(fl floor) bool { return coversAny(fl.rooms, f.pkg) })
		if at < 0 {
			t.Errorf("%s: the package %s has no floor in the house", f.path, f.pkg)
			continue
		}
		for _, imp := range f.tree.Imports {
			path, err := strconv.Unquote(imp.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			ours, ok := strings.CutPrefix(path, "urakata/")
			if !ok {
				checkForeign(t, f, path)
				continue
			}
			support := strings.HasSuffix(f.pkg, "test") // backendtest, dbtest, agenttest, sourcetest
			if !coversAny(floors[at].may, ours) && !support {
				t.Errorf("%s: %s may not import %s", f.path, f.pkg, ours)
			}
		}
	}
}

// checkForeign holds the libraries that only one room may know.
func checkForeign(t *testing.T, f sourceFile, path string) {
	t.Helper()
	for _, only := range []struct{ library, room string }{
		{"github.com/labstack/echo/v4", "web/…"},
		{"gorm.io/gorm", "internal/db/…"},
		{"database/sql", "internal/db/…"},
		{"github.com/openai/openai-go/v3", "internal/agent/backend/…"},
		{"github.com/nicksnyder/go-i18n/v2", "internal/lang"},
	} {
		if (path == only.library || strings.HasPrefix(path, only.library+"/")) && !covers(only.room, f.pkg) {
			t.Errorf("%s: only %s may import %s", f.path, only.room, path)
		}
	}
	if path == "os" && f.pkg != "cmd/server" && !strings.HasSuffix(f.pkg, "test") {
		ast.Inspect(f.tree, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == "os" && slices.Contains([]string{"Getenv", "LookupEnv", "Environ", "Exit", "Args"}, sel.Sel.Name) {
				t.Errorf("%s: os.%s belongs to cmd/server", f.fset.Position(n.Pos()), sel.Sel.Name)
			}
			return true
		})
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	perPackage := map[string]int{}
	for _, f := range sourceFiles(t) {
		if f.generated {
			continue
		}
		if !f.test {
			perPackage[f.pkg]++
		}
		if f.lines > 500 {
			t.Errorf("%s: %d lines, at most 500", f.path, f.lines)
		}
		if !f.test {
			checkDecls(t, f)
		}
	}
	for pkg, n := range perPackage {
		most := 25
		if pkg == "internal/db" {
			most = 30
		}
		if n > most {
			t.Errorf("%s: %d files, at most %d", pkg, n, most)
		}
	}
	err := filepath.WalkDir(filepath.Join(root, "views"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".templ") {
			return err
		}
		text, err := os.ReadFile(path)
		if n := strings.Count(string(text), "\n"); n > 250 {
			t.Errorf("%s: %d lines, at most 250", path, n)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func checkDecls(t *testing.T, f sourceFile) {
	t.Helper()
	ast.Inspect(f.tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			lines := f.fset.Position(n.End()).Line - f.fset.Position(n.Pos()).Line + 1
			most := 80
			if f.pkg == "web" && takesEcho(n) {
				most = 40
			}
			if lines > most {
				t.Errorf("%s: %s has %d lines, at most %d", f.path, n.Name.Name, lines, most)
			}
			if n.Recv == nil && n.Name.Name == "init" {
				t.Errorf("%s: no init", f.path)
			}
		case *ast.TypeSpec:
			if i, ok := n.Type.(*ast.InterfaceType); ok {
				if m := methods(i); m > 4 {
					t.Errorf("%s: interface %s has %d methods, at most 4", f.path, n.Name.Name, m)
				}
			}
		}
		return true
	})
}

// methods counts what an interface declares itself; embedding small ones is how a wide store is named.
func methods(i *ast.InterfaceType) int {
	n := 0
	for _, m := range i.Methods.List {
		n += len(m.Names)
	}
	return n
}

func takesEcho(fn *ast.FuncDecl) bool {
	for _, p := range fn.Type.Params.List {
		if fmt.Sprint(p.Type) == "&{echo Context}" {
			return true
		}
	}
	return false
}

func TestPackagesTellTheirStory(t *testing.T) {
	t.Parallel()
	story, all := map[string]bool{}, map[string]bool{}
	for _, f := range sourceFiles(t) {
		if f.test {
			continue
		}
		all[f.pkg] = true
		if f.tree.Doc != nil {
			story[f.pkg] = true
		}
		if base := filepath.Base(f.pkg); slices.Contains([]string{"util", "utils", "common", "models", "types", "helpers"}, base) {
			t.Errorf("%s: a package is named for what it is about", f.pkg)
		}
	}
	for pkg := range all {
		if !story[pkg] {
			t.Errorf("%s has no package comment", pkg)
		}
	}
}

// TestArchitectureNamesEveryRoom keeps ARCHITECTURE.md true: each package stands in it, and what it names exists.
func TestArchitectureNamesEveryRoom(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, f := range sourceFiles(t) {
		if f.test || seen[f.pkg] {
			continue
		}
		seen[f.pkg] = true
		if !strings.Contains(string(text), "`"+f.pkg+"`") {
			t.Errorf("ARCHITECTURE.md does not name `%s`", f.pkg)
		}
	}
}

// TestNoSleepsInTests holds a rule of the house: tests wait for what happens, not for time to pass.
func TestNoSleepsInTests(t *testing.T) {
	t.Parallel()
	files := sourceFiles(t)
	bubbles := map[string]bool{} // packages whose tests run on synctest's clock, where a sleep takes no time
	for _, f := range files {
		if f.test && slices.ContainsFunc(f.tree.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"testing/synctest"` }) {
			bubbles[f.pkg] = true
		}
	}
	for _, f := range files {
		if !f.test {
			continue
		}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok && x.Name == "time" && sel.Sel.Name == "Sleep" && !bubbles[f.pkg] {
				t.Errorf("%s: no sleeps", f.fset.Position(n.Pos()))
			}
			return true
		})
	}
}
