package source

import (
	"io"
	"time"
)

// Replay plays a recorded chat. Its format is found out by content.
type ReplayConfig struct {
	Name     string // file name, for messages only
	Open     func() (io.ReadCloser, error)
	Size     int64            // bytes, 0 unknown
	Speed    float64          // 0: as fast as the desk takes them; 1: as recorded; up to 60
	From     string           // a Batch.Position to go on after
	Start    time.Time        // the wall time that offset 0 stands for; zero: the recording's own times are kept
	Now      func() time.Time // nil: time.Now
	MaxBytes int64            // refuse more than this many (decompressed) bytes; 0: 2 GiB
}
