//go:build !unix

package main

import "runtime"

// peakKiB is what the Go runtime has taken from the system, in KiB: the nearest figure where there is no getrusage.
func peakKiB() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.Sys / 1024)
}
