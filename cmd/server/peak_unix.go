//go:build unix

package main

import "syscall"

// peakKiB is the largest resident size of this process so far, in KiB (getrusage; on Linux ru_maxrss is in KiB).
func peakKiB() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return usage.Maxrss
}
