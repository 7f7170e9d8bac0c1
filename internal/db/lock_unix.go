//go:build unix

package db

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
)

// lockFile takes the lock that says "this process has the database". The kernel frees it however the process ends, so there is never a stale
// one; the file itself stays, because removing it would let two processes lock two files of one name.
func lockFile(path string) (io.Closer, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o640)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		holder := make([]byte, 20)
		n, _ := f.Read(holder)
		err = fmt.Errorf("%w (process %s); stop it first, or use another database", ErrInUse, strings.TrimSpace(string(holder[:n])))
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if err = f.Truncate(0); err == nil {
		_, err = fmt.Fprintln(f, os.Getpid())
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock: %w", err), f.Close())
	}
	return f, nil
}
