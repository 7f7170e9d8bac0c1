package dbtest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"urakata/internal/db"
)

// errNoPostgres means that the machine has none.
var errNoPostgres = errors.New("there is no Postgres under /usr/lib/postgresql")

// OpenPostgres gives a test a Postgres database of its own, already migrated. It skips the test on a machine without Postgres, unless CI=true.
func OpenPostgres(t testing.TB) *db.DB {
	t.Helper()
	return open(t, db.Config{DSN: Postgres(t)})
}

// Postgres gives a test the address of a migrated database of its own.
func Postgres(t testing.TB) string {
	t.Helper()
	c, err := cluster()
	if errors.Is(err, errNoPostgres) && os.Getenv("CI") != "true" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("t%d", databases.Add(1))
	if err := c.create(t.Context(), name, "blank"); err != nil {
		t.Fatal(err)
	}
	return c.dsn(name)
}

// databases numbers the databases of this process.
var databases atomic.Int64

// running is a throw-away cluster.
type running struct {
	port  int
	admin *sql.DB
	alive io.Closer  // held, never closed: its end, with this process, stops the cluster
	mu    sync.Mutex // one copy of the template at a time, Postgres wants it alone
}

func (c *running) dsn(name string) string {
	return fmt.Sprintf("postgres://postgres@127.0.0.1:%d/%s?sslmode=disable", c.port, name)
}

func (c *running) create(ctx context.Context, name, template string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err := c.admin.ExecContext(ctx, "CREATE DATABASE "+name+" TEMPLATE "+template)
	return err
}

// cluster starts Postgres once per process.
var cluster = sync.OnceValues(func() (*running, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return nil, errNoPostgres
	}
	dir, err := os.MkdirTemp("", "urakata-pg-*")
	if err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	c := &running{port: port}
	if c.alive, err = launch(filepath.Dir(found[len(found)-1]), dir, port); err != nil {
		return nil, err
	}
	if c.admin, err = sql.Open("pgx", c.dsn("postgres")); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := answered(ctx, c.admin); err != nil {
		return nil, fmt.Errorf("postgres in %s does not answer: %w", dir, err)
	}
	if err := c.create(ctx, "blank", "template0"); err != nil {
		return nil, err
	}
	d, err := db.Open(ctx, db.Config{DSN: c.dsn("blank")})
	if err != nil {
		return nil, err
	}
	return c, d.Close()
})

// launch makes a cluster and runs it under a shell that waits for this process's end, however that comes, and then stops it and removes it.
func launch(bin, dir string, port int) (io.Closer, error) {
	data := filepath.Join(dir, "data")
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return nil, err
	}
	defer log.Close() //nolint:errcheck // the child has its own
	script := `"$0/initdb" -D "$1" -U postgres -A trust -E UTF8 --no-locale --no-sync >/dev/null || exit 1
"$0/postgres" -D "$1" -p "$2" -k "$3" -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=300 &
p=$!
read -r _
kill -INT $p
wait $p
rm -rf "$3"`
	cmd := exec.Command("sh", "-c", script, bin, data, strconv.Itoa(port), dir)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt at the terminal must not reach it before its tests end
	if os.Getuid() == 0 {
		if err := asPostgres(cmd, dir); err != nil {
			return nil, err
		}
	}
	alive, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	return alive, cmd.Start()
}

// asPostgres lets root run Postgres, which refuses to run as root.
func asPostgres(cmd *exec.Cmd, dir string) error {
	u, err := user.Lookup("postgres")
	if err != nil {
		return err
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return err
	}
	cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return os.Chown(dir, int(uid), int(gid))
}

// answered waits until a server takes connections.
func answered(ctx context.Context, pool *sql.DB) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := pool.PingContext(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		}
	}
}

// freePort finds a port below those that outgoing connections use.
func freePort() (int, error) {
	for port := 20000 + os.Getpid()%10000; port < 32768; port++ {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			return port, l.Close()
		}
	}
	return 0, errors.New("no port below 32768 is free")
}
