package db_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"urakata/internal/db"
	"urakata/internal/db/dbtest"
	"urakata/internal/ops"
)

func TestABackupCanBeRestored(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t)
	newStream(t, d, "s1")
	add(t, d, "s1", chat(0, 50)...)
	dir := t.TempDir()
	copied, restored := filepath.Join(dir, "it's a copy.db"), filepath.Join(dir, "sub", "restored.db")
	if err := d.Backup(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	if err := d.Backup(t.Context(), copied); err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Errorf("a file was overwritten: %v", err)
	}
	newStream(t, d, "later")
	if err := db.Restore(t.Context(), copied, restored); err != nil {
		t.Fatal(err)
	}
	if err := db.Restore(t.Context(), copied, restored); err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Errorf("a database was overwritten: %v", err)
	}
	r, err := db.Open(t.Context(), db.Config{DSN: restored})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close() //nolint:errcheck // nothing was written
	if got, err := r.Comments(t.Context(), "s1", ops.Range{}); err != nil || len(got) != 50 {
		t.Errorf("%d comments, %v", len(got), err)
	}
	_, err = r.Stream(t.Context(), "later")
	wantErr(t, err, ops.ErrNotFound)
	left, err := filepath.Glob(filepath.Join(dir, "*.part-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestRestoreRefusesWhatIsNotWhole(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := dbtest.Open(t)
	newStream(t, d, "s1")
	add(t, d, "s1", chat(0, 500)...)
	whole := filepath.Join(dir, "whole.db")
	if err := d.Backup(t.Context(), whole); err != nil {
		t.Fatal(err)
	}
	bytes, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, b []byte) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	damaged := append([]byte{}, bytes...)
	for i := len(damaged) / 2; i < len(damaged)/2+9000; i++ {
		damaged[i] ^= 0x5a
	}
	foreign := filepath.Join(dir, "foreign.db")
	newer := write("newer.db", bytes)
	alter(t, foreign, "CREATE TABLE recipes (name TEXT)")
	alter(t, newer, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)")
	orphan := write("orphan.db", bytes)
	alter(t, orphan, "PRAGMA foreign_keys = OFF; DELETE FROM streams")
	for _, tt := range []struct{ name, from, want string }{
		{"missing", filepath.Join(dir, "none.db"), "no such file"},
		{"cut short", write("short.db", bytes[:len(bytes)/2]), "malformed"},
		{"damaged", write("damaged.db", damaged), "damaged"},
		{"text", write("text.db", []byte(strings.Repeat("words ", 999))), "cannot be read as a database"},
		{"another program's", foreign, "not one of this program"},
		{"newer", newer, "newer version"},
		{"orphans", orphan, "points at one that is missing"},
	} {
		to := filepath.Join(dir, "to-"+tt.name)
		err := db.Restore(t.Context(), tt.from, to)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if _, err := os.Stat(to); err == nil {
			t.Errorf("%s: something was put there", tt.name)
		}
	}
	_, err = db.Open(t.Context(), db.Config{DSN: newer})
	wantErr(t, err, db.ErrNewer)
}

// alter runs SQL on a file behind the back of the package.
func alter(t *testing.T, path, query string) {
	t.Helper()
	pool, err := sql.Open("sqlite3", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close() //nolint:errcheck // the statement says it
	pool.SetMaxOpenConns(1)
	if _, err := pool.Exec(query); err != nil {
		t.Fatal(err)
	}
}

func TestABackupOfNothingIsRefused(t *testing.T) {
	t.Parallel()
	d, err := db.Open(t.Context(), db.Config{DSN: filepath.Join(t.TempDir(), "typo.db"), Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close() //nolint:errcheck // nothing was written
	if err := d.Backup(t.Context(), filepath.Join(t.TempDir(), "copy.db")); err == nil || !strings.Contains(err.Error(), "there was no database") {
		t.Error(err)
	}
}
