package rules

import (
	"cmp"
	"slices"
	"strconv"

	"urakata/internal/lang"
)

// Bounds of an answer.
const (
	maxCards    = 6
	maxEvidence = 20
)

// rule looks at one briefing and finds what is worth telling.
type rule func(v view) []finding

// table is every rule, what matters most first. The order is the order of the cards.
func table() []rule {
	return []rule{distress, trouble, harm, injection, waves, questions, suggestions, raids, joy, paid, shifted}
}

// finding is something worth telling. Incident names the matter as the host does, so that the same matter meets the same card.
type finding struct {
	card
	incident string
	size     int  // what grows
	urgent   bool // every growth is told
}

// view is a briefing as a rule sees it.
type view struct {
	look
	words lang.Printer
	*heard
}

// scene is a step: what is new, and what was told before.
type scene struct {
	*heard
	looks []look
	told  map[string]told
	words lang.Printer
}

// told is how a matter stood when it was last told.
type told struct {
	size     int
	severity string
}

// find applies the table to one briefing. A matter that two rules find is one finding: the graver words lead.
func (h *heard) find(l look, p lang.Printer) []finding {
	v := view{look: l, words: p, heard: h}
	var all []finding
	for _, r := range table() {
		for _, f := range r(v) {
			f.Evidence = tidy(f.Evidence)
			if len(f.Evidence) == 0 {
				continue
			}
			at := slices.IndexFunc(all, func(o finding) bool { return o.incident == f.incident })
			if at < 0 {
				all = append(all, f)
				continue
			}
			all[at].join(f)
		}
	}
	return all
}

// join puts the words of another finding about the same matter behind the first, whose size goes on counting.
func (f *finding) join(o finding) {
	f.Observed += " " + o.Observed
	f.Evidence = tidy(append(slices.Clone(f.Evidence), o.Evidence...))
	f.urgent = f.urgent || o.urgent
	if rank(o.Severity) > rank(f.Severity) {
		f.Severity = o.Severity
	}
}

// tidy keeps the newest refs, each once, in order.
func tidy(refs []string) []string {
	refs = slices.Clone(refs)
	slices.SortFunc(refs, func(a, b string) int { return cmp.Compare(place(a), place(b)) })
	refs = slices.Compact(refs)
	return refs[max(0, len(refs)-maxEvidence):]
}

// place reads a ref: "c12" is 12.
func place(ref string) int {
	if len(ref) < 2 {
		return 0
	}
	n, err := strconv.Atoi(ref[1:])
	if err != nil {
		return 0
	}
	return n
}

// memory is what was told before: for each briefing that was answered, what the rules find in it again, if a card said so.
func (h *heard) memory(p lang.Printer) map[string]told {
	all := map[string]told{}
	for _, l := range h.briefings[:len(h.briefings)-h.unsaid] {
		if len(l.said) == 0 {
			continue
		}
		for _, f := range h.find(l, p) {
			if slices.ContainsFunc(l.said, func(c card) bool { return c.Kind == f.Kind && slices.Equal(tidy(c.Evidence), f.Evidence) }) {
				all[f.incident] = told{size: f.size, severity: f.Severity}
			}
		}
	}
	return all
}

// cards are the findings that are new, have grown by half or have become worse.
func (s scene) cards() []card {
	var order []finding
	for _, l := range s.looks {
		for _, f := range s.find(l, s.words) {
			at := slices.IndexFunc(order, func(o finding) bool { return o.incident == f.incident })
			if at >= 0 {
				f.Evidence = tidy(append(slices.Clone(order[at].Evidence), f.Evidence...))
				order[at] = f
				continue
			}
			order = append(order, f)
		}
	}
	var out []card
	for _, f := range order {
		if c, worth := s.worth(f); worth {
			out = append(out, c)
		}
	}
	slices.SortStableFunc(out, func(a, b card) int { return cmp.Compare(rank(b.Severity), rank(a.Severity)) })
	return out[:min(len(out), maxCards)]
}

// worth says whether a finding deserves a card, and says in it what changed.
func (s scene) worth(f finding) (card, bool) {
	c := f.card
	before, known := s.told[f.incident]
	if !known {
		for _, o := range s.looks[len(s.looks)-1].Open {
			if o.Incident == f.incident {
				before, known = told{size: o.Evidence, severity: o.Severity}, true
			}
		}
	}
	switch {
	case !known:
	case rank(f.Severity) > rank(before.severity):
		c.Observed += s.words.Text("rules.again.worse")
	case f.urgent && f.size > before.size, f.size >= before.size+3 && f.size*2 >= before.size*3:
		c.Observed += s.words.Text("rules.again.grown", "Before", s.words.Number(before.size), "Now", s.words.Number(f.size))
	default:
		return card{}, false
	}
	return c, true
}
