package db_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"urakata/internal/db"
	"urakata/internal/db/dbtest"
	"urakata/internal/ops"
)

// holdEnv makes the test binary hold a database instead of running tests.
const holdEnv = "URAKATA_TEST_HOLD"

func TestMain(m *testing.M) {
	if path := os.Getenv(holdEnv); path != "" {
		if err := hold(path); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// hold opens a database, writes to it, says so, and waits to be killed.
func hold(path string) error {
	d, err := db.Open(context.Background(), db.Config{DSN: path})
	if err != nil {
		return err
	}
	if err := d.CreateStream(context.Background(), ops.Stream{ID: "held"}); err != nil {
		return err
	}
	fmt.Println("held")
	select {}
}

func TestASecondProcessIsRefusedUntilTheFirstIsGone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "u%ra ka?#ta.db") // no folder yet, and a name that a URI would misread
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	child := exec.CommandContext(ctx, self)
	child.Env = append(os.Environ(), holdEnv+"="+path)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatalf("the child says %q, %v", line, err)
	}

	_, err = db.Open(t.Context(), db.Config{DSN: path})
	wantErr(t, err, db.ErrInUse)
	if want := fmt.Sprintf("(process %d)", child.Process.Pid); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v does not say %s", err, want)
	}
	beside, err := db.Open(t.Context(), db.Config{DSN: path, Shared: true})
	if err != nil {
		t.Fatalf("a short command beside it: %v", err)
	}
	if err := beside.Backup(t.Context(), filepath.Join(t.TempDir(), "copy.db")); err != nil {
		t.Error(err)
	}
	if err := beside.CreateStream(t.Context(), ops.Stream{ID: "beside"}); err != nil {
		t.Error(err)
	}
	if err := beside.Close(); err != nil {
		t.Error(err)
	}

	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // it was killed
	d, err := db.Open(t.Context(), db.Config{DSN: path})
	if err != nil {
		t.Fatalf("after a kill: %v", err)
	}
	for _, id := range []string{"held", "beside"} {
		if _, err := d.Stream(t.Context(), id); err != nil {
			t.Errorf("what was written before the kill: %v", err)
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if d, err = db.Open(t.Context(), db.Config{DSN: path}); err != nil {
		t.Fatalf("after a close: %v", err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

func TestAShortCommandLetsAServerStart(t *testing.T) {
	t.Parallel()
	path := dbtest.Path(t)
	command, err := db.Open(t.Context(), db.Config{DSN: path, Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	defer command.Close() //nolint:errcheck // nothing was written
	server, err := db.Open(t.Context(), db.Config{DSN: path})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Close(); err != nil {
		t.Error(err)
	}
}

func TestOpenSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := filepath.Join(dir, "notes.txt")
	if err := os.WriteFile(text, []byte(strings.Repeat("not a database\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, dsn, want string }{
		{"nothing", "", "no path was given"},
		{"a folder", dir, "is a folder"},
		{"memory", ":memory:", "give a file's path"},
		{"another engine", "mysql://root:secret@localhost/x", "give a file's path"},
		{"another file", text, "not a database"},
		{"under a file", filepath.Join(text, "u.db"), "cannot write " + text},
		{"nobody listens", "postgres://u:secret@127.0.0.1:1/x?sslmode=disable", "reach postgres://u:xxxxx@127.0.0.1:1/x"},
	} {
		d, err := db.Open(t.Context(), db.Config{DSN: tt.dsn})
		if err == nil {
			t.Errorf("%s: opened", tt.name)
			_ = d.Close()
			continue
		}
		if !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestAFolderThatCannotBeWrittenIsNamed(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		t.Skip("root may write everywhere")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	_, err := db.Open(t.Context(), db.Config{DSN: filepath.Join(dir, "u.db")})
	if want := fmt.Sprintf("cannot write %s (uid %d)", dir, os.Getuid()); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v", err)
	}
}

func TestAClosedDatabaseRefuses(t *testing.T) {
	t.Parallel()
	d, err := db.Open(t.Context(), db.Config{DSN: dbtest.Path(t)})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := d.CreateStream(t.Context(), ops.Stream{ID: "s1"}); err == nil {
		t.Error("a write was taken")
	}
	if err := d.Ping(t.Context()); err == nil {
		t.Error("it answers")
	}
	if err := d.Close(); err != nil {
		t.Errorf("closed twice: %v", err)
	}
}

func TestAContextThatEndedWritesNothing(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		tired := errors.New("tired")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(tired)
		wantErr(t, d.CreateStream(ctx, ops.Stream{ID: "s1"}), tired)
		_, err := d.Stream(t.Context(), "s1")
		wantErr(t, err, ops.ErrNotFound)
	})
}
