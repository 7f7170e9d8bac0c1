package comment

import (
	"strconv"
	"time"
)

// Windows of memory.
const (
	windowFor   = 10 * time.Minute
	windowMost  = 2000
	waveFor     = 2 * time.Minute
	waveVoices  = 3
	waveCopies  = 4
	raidFor     = 3 * time.Minute
	almostEqual = 0.6
)

// copies is a text seen in the window and everything near-equal to it.
type copies struct {
	first  string
	print  print
	count  int
	voices map[uint64]struct{}
	recent [waveCopies]time.Time
	wave   string
}

// known points from a key to the copies last seen with it; n echoes in the window hold it.
type known struct {
	of *copies
	n  int
}

// index finds copies by a key, for as long as an echo with that key is in the window.
type index map[uint64]*known

func (x index) hold(key uint64, c *copies) {
	k := x[key]
	if k == nil {
		k = &known{}
		x[key] = k
	}
	k.of = c
	k.n++
}

func (x index) release(key uint64) {
	if k := x[key]; k != nil {
		if k.n--; k.n == 0 {
			delete(x, key)
		}
	}
}

func (x index) find(key uint64) *copies {
	if k := x[key]; k != nil {
		return k.of
	}
	return nil
}

// echo is one comment in the window.
type echo struct {
	at    time.Time
	key   uint64
	bands [4]uint64
	long  bool // has bands
}

// window remembers the last comments by fingerprint only.
type window struct {
	ring  []echo
	start int
	exact index
	near  index
	waves int
}

func newWindow() *window {
	return &window{exact: index{}, near: index{}}
}

// see adds a comment and returns the copies it belongs to.
func (w *window) see(id string, voice uint64, at time.Time, p print) *copies {
	w.forget(at)
	long := len(p.shingles) >= 8
	var b [4]uint64
	if long {
		b = bands(p.shingles)
	}
	c := w.exact.find(p.key)
	for k := 0; c == nil && long && k < len(b); k++ {
		if near := w.near.find(b[k]); near != nil && alike(near.print.shingles, p.shingles) >= almostEqual {
			c = near
		}
	}
	if c == nil {
		c = &copies{first: id, print: p, voices: map[uint64]struct{}{}}
	}
	w.exact.hold(p.key, c)
	if long {
		for _, k := range b {
			w.near.hold(k, c)
		}
	}
	c.recent[c.count%waveCopies] = at
	c.count++
	if len(c.voices) < 512 {
		c.voices[voice] = struct{}{}
	}
	if c.wave == "" && c.count >= waveCopies && len(c.voices) >= waveVoices && at.Sub(c.recent[c.count%waveCopies]) <= waveFor {
		w.waves++
		c.wave = "w" + strconv.Itoa(w.waves)
	}
	w.ring = append(w.ring, echo{at: at, key: p.key, bands: b, long: long})
	return c
}

// forget drops what left the window.
func (w *window) forget(now time.Time) {
	for w.start < len(w.ring) && (len(w.ring)-w.start >= windowMost || now.Sub(w.ring[w.start].at) > windowFor) {
		e := &w.ring[w.start]
		w.exact.release(e.key)
		if e.long {
			for _, k := range e.bands {
				w.near.release(k)
			}
		}
		w.start++
	}
	if w.start > windowMost {
		w.ring = append(w.ring[:0], w.ring[w.start:]...)
		w.start = 0
	}
}
