package comment

import (
	"hash/maphash"
	"time"
)

// viewersMost bounds how many viewers are remembered; the first seen go first.
const viewersMost = 50_000

// blockFor is how long the comments of a viewer stay withheld after a grave finding.
const blockFor = 10 * time.Minute

// Bounds on what one viewer may repeat or send before it is too much.
const (
	floodSame   = 3
	floodWithin = time.Minute
	rateMost    = 8
	rateWithin  = 8 * time.Second
)

// viewer is what is remembered of one author.
type viewer struct {
	voice   uint64
	count   int
	blocked time.Time // until then
	name    string    // the name last judged
	naming  []finding // what the rules have against it
	lately  [6]utterance
	times   [rateMost]time.Time
}

// utterance is a recent comment of one viewer.
type utterance struct {
	of *copies
	at time.Time
}

// viewers remembers authors by the platform's stable id.
type viewers struct {
	by    map[string]*viewer
	order []string
	next  int
}

// of returns the viewer of an author; an author without id is known by name, and one without either is nobody's earlier self.
func (vs *viewers) of(p Platform, a Author) *viewer {
	key := a.ID
	if key == "" {
		key = "\x00" + a.Name
	}
	key = string(p) + "\x00" + key
	if a.ID == "" && a.Name == "" {
		return &viewer{}
	}
	if v := vs.by[key]; v != nil {
		return v
	}
	if len(vs.order) < viewersMost {
		vs.order = append(vs.order, key)
	} else {
		delete(vs.by, vs.order[vs.next])
		vs.order[vs.next] = key
		vs.next = (vs.next + 1) % viewersMost
	}
	v := &viewer{voice: maphash.String(voiceSeed, key)}
	vs.by[key] = v
	return v
}

// voiceSeed is the same for all analysers of a process; voices never leave memory.
var voiceSeed = maphash.MakeSeed()

// spoke notes a comment and reports whether the viewer floods: the same again and again, or too many at once.
func (v *viewer) spoke(c *copies, at time.Time) (same, fast bool) {
	slot := v.count % len(v.lately)
	v.lately[slot] = utterance{c, at}
	n := 0
	for _, u := range v.lately {
		if u.of != nil && u.of == c && at.Sub(u.at) <= floodWithin {
			n++
		}
	}
	oldest := v.times[v.count%rateMost]
	v.times[v.count%rateMost] = at
	fast = v.count >= rateMost && !oldest.IsZero() && at.Sub(oldest) <= rateWithin
	v.count++
	return n >= floodSame, fast
}
