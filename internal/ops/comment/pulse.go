package comment

import (
	"slices"
	"time"
)

// Bounds of a pulse: a day of minutes, and as many people and groups as a page can use.
const (
	pulseMinutes = 24 * 60
	pulseVoices  = 200_000
	pulseGroups  = 200
)

// Beat is one minute of a stream. [From, To) are offsets from its start, by which its comments are selected.
type Beat struct {
	From      time.Duration   `json:"from"`
	To        time.Duration   `json:"to"`
	Messages  int             `json:"messages"`
	Questions int             `json:"questions"`
	Troubles  int             `json:"troubles"`
	Withheld  int             `json:"withheld"`
	Escalated int             `json:"escalated"`
	Paid      int             `json:"paid"`
	Viewers   int             `json:"viewers"` // different ones
	Safety    map[Risk]int    `json:"safety"`  // comments with a finding, by risk
	Glad      int             `json:"glad"`
	Worried   int             `json:"worried"`
	Subjects  map[Subject]int `json:"subjects"`

	voices map[string]struct{}
}

// Asked is one question or trouble as many viewers put it, with the comments that began and renewed it.
type Asked struct {
	Group   string        `json:"group"`
	Subject Subject       `json:"subject,omitempty"`
	Trouble bool          `json:"trouble,omitempty"`
	Size    int           `json:"size"`
	Voices  int           `json:"voices"`
	First   string        `json:"first"` // ids of comments
	Last    string        `json:"last"`
	From    time.Duration `json:"from"` // offsets of the first and last
	To      time.Duration `json:"to"`
}

// Totals are the numbers of the whole stream so far.
type Totals struct {
	Messages  int             `json:"messages"`
	Questions int             `json:"questions"`
	Troubles  int             `json:"troubles"`
	Withheld  int             `json:"withheld"`
	Escalated int             `json:"escalated"`
	Paid      int             `json:"paid"`
	Viewers   int             `json:"viewers"`
	Safety    map[Risk]int    `json:"safety"`
	Glad      int             `json:"glad"`
	Worried   int             `json:"worried"`
	Subjects  map[Subject]int `json:"subjects"`
}

// Pulse folds comments and their analyses into what a page shows of a stream at a glance. The zero value is ready. It holds ids and
// counts, never text. Beats older than a day leave, the totals keep them. A pulse read back from JSON counts its viewers anew.
type Pulse struct {
	Totals Totals  `json:"totals"`
	Beats  []Beat  `json:"beats"` // by time, minutes without a comment left out
	Asked  []Asked `json:"asked"` // by size, the largest first

	voices map[string]struct{}
}

// Add folds one comment in. Rows that are events of the platform count only as paid.
func (p *Pulse) Add(c Comment, a Analysis) {
	b := p.beat(c.Offset)
	paid := c.Money != nil || c.Kind == KindPaid
	if paid {
		b.Paid++
		p.Totals.Paid++
	}
	switch c.Kind {
	case KindMessage, KindPaid:
	default:
		return
	}
	b.Messages++
	p.Totals.Messages++
	p.people(b, c)
	count(a.Question, &b.Questions, &p.Totals.Questions)
	count(a.Cluster == ClusterTrouble, &b.Troubles, &p.Totals.Troubles)
	count(a.Action == Withhold, &b.Withheld, &p.Totals.Withheld)
	count(a.Action == Escalate, &b.Escalated, &p.Totals.Escalated)
	count(a.Mood > 0, &b.Glad, &p.Totals.Glad)
	count(a.Mood < 0, &b.Worried, &p.Totals.Worried)
	if a.Action != Allow {
		b.Safety = tally(b.Safety, a.Risk)
		p.Totals.Safety = tally(p.Totals.Safety, a.Risk)
	}
	if a.Subject != "" && a.Action != Withhold {
		b.Subjects = tally(b.Subjects, a.Subject)
		p.Totals.Subjects = tally(p.Totals.Subjects, a.Subject)
	}
	if a.Group != "" {
		p.ask(c, a)
	}
}

func count(on bool, in ...*int) {
	if on {
		for _, n := range in {
			*n++
		}
	}
}

func tally[K comparable](m map[K]int, k K) map[K]int {
	if m == nil {
		m = map[K]int{}
	}
	m[k]++
	return m
}

// beat finds or makes the minute of an offset. Comments may come a little out of order.
func (p *Pulse) beat(at time.Duration) *Beat {
	from := at.Truncate(time.Minute)
	if at < from { // before the start, truncation goes the wrong way
		from -= time.Minute
	}
	i, found := slices.BinarySearchFunc(p.Beats, from, func(b Beat, d time.Duration) int { return int(b.From/time.Minute - d/time.Minute) })
	if !found {
		p.Beats = slices.Insert(p.Beats, i, Beat{From: from, To: from + time.Minute})
		if len(p.Beats) > pulseMinutes {
			p.Beats = slices.Delete(p.Beats, 0, 1)
			i = max(0, i-1)
		}
		if i > 2 {
			p.Beats[i-3].voices = nil // nobody comes three minutes late; the count stays
		}
	}
	return &p.Beats[i]
}

func (p *Pulse) people(b *Beat, c Comment) {
	key := string(c.Platform) + "\x00" + c.Author.ID
	if c.Author.ID == "" {
		key += "\x00" + c.Author.Name
	}
	if b.voices == nil {
		b.voices = map[string]struct{}{}
	}
	if _, ok := b.voices[key]; !ok {
		b.voices[key] = struct{}{}
		b.Viewers++
	}
	if p.voices == nil {
		p.voices = map[string]struct{}{}
	}
	if _, ok := p.voices[key]; !ok && len(p.voices) < pulseVoices {
		p.voices[key] = struct{}{}
		p.Totals.Viewers++
	}
}

// ask keeps the groups by size; small old ones leave when there are too many.
func (p *Pulse) ask(c Comment, a Analysis) {
	i := slices.IndexFunc(p.Asked, func(x Asked) bool { return x.Group == a.Group })
	if i < 0 {
		if len(p.Asked) >= pulseGroups {
			p.Asked = slices.Delete(p.Asked, len(p.Asked)-1, len(p.Asked))
		}
		p.Asked = append(p.Asked, Asked{Group: a.Group, Subject: a.Subject, Trouble: a.Cluster == ClusterTrouble, First: c.ID, From: c.Offset})
		i = len(p.Asked) - 1
	}
	x := &p.Asked[i]
	x.Size, x.Voices, x.Last, x.To = a.GroupSize, a.GroupVoices, c.ID, c.Offset
	if x.Subject == "" {
		x.Subject = a.Subject
	}
	for ; i > 0 && p.Asked[i].Size > p.Asked[i-1].Size; i-- {
		p.Asked[i], p.Asked[i-1] = p.Asked[i-1], p.Asked[i]
	}
}

// Select returns which offsets a selection of beats covers, from the first up to and without the last; ok is false when there are none.
func (p *Pulse) Select(from, to time.Duration) (first, last time.Duration, ok bool) {
	for _, b := range p.Beats {
		if b.To <= from || b.From >= to {
			continue
		}
		if !ok {
			first = b.From
		}
		last, ok = b.To, true
	}
	return first, last, ok
}
