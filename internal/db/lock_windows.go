//go:build windows

package db

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// lockFile takes the lock that says "this process has the database": a file that nobody else may open while it is open here.
func lockFile(path string) (io.Closer, error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	const alone = 0
	h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, alone, nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, syscall.Errno(32)) { // sharing violation
		return nil, fmt.Errorf("%w; stop it first, or use another database", ErrInUse)
	}
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	return os.NewFile(uintptr(h), path), nil
}
