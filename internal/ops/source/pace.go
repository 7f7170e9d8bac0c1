package source

import "time"

// pace says when a comment is due. Its clock starts with the first comment it is asked about, so that a replay begins at once, and goes on after
// a restart where it stopped.
type pace struct {
	speed float64
	now   func() time.Time
	begun bool
	wall  time.Time
	first time.Duration
}

// until is how long to wait for the comment at offset; never negative. Where a recording runs backwards, its comments are due at once.
func (p *pace) until(offset time.Duration) time.Duration {
	if p.speed == 0 {
		return 0
	}
	if !p.begun {
		p.begun, p.wall, p.first = true, p.now(), offset
		return 0
	}
	due := time.Duration(float64(offset-p.first) / p.speed)
	return max(0, due-p.now().Sub(p.wall))
}
