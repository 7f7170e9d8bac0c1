package ops

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"time"

	"urakata/internal/ops/comment"
)

// How far a briefing looks, in the stream's own time.
const (
	lookBack     = 10 * time.Minute // what the desk remembers
	maxMemory    = 4000             // comments, whatever their age
	groupsAlive  = 5 * time.Minute
	subjectsSpan = 2 * time.Minute
	raidBefore   = 3 * time.Minute

	maxObservations = 40
	maxGroups       = 12
	maxSubjects     = 8
	maxEvidence     = 8
	maxOpenCards    = 12
	maxRaised       = 24
)

// Look is what a briefing is made from. The same Look gives the same Briefing.
type Look struct {
	Stream  Stream
	Recent  []Stored            // oldest first, up to the comment the look ends with; at least everything after Taken that is remembered
	Taken   int64               // the last place the character has been told of
	Open    []Card              // open cards, newest change first
	Raised  []RaisedFacts       // inbox items of this stream, newest first
	Viewers func(Stored) string // the viewer's number
	Ended   bool
}

// Observe makes a briefing. Viewer text stops here.
func Observe(l Look) Briefing {
	at := slices.IndexFunc(l.Recent, func(s Stored) bool { return s.Seq > l.Taken })
	if at < 0 {
		at = len(l.Recent)
	}
	fresh := l.Recent[at:]
	b := Briefing{
		Stream:       StreamFacts{ID: l.Stream.ID, Language: langOf(l.Stream.Language), Ended: l.Ended},
		Observations: make([]Observation, 0, min(len(fresh), maxObservations)),
		Groups:       []GroupFacts{}, Subjects: []SubjectFacts{}, Open: []OpenCard{},
	}
	if len(l.Recent) == 0 {
		return b
	}
	last := l.Recent[len(l.Recent)-1]
	now := last.Comment.Offset
	b.Stream.Elapsed, b.Stream.Analysed = seconds(now), last.Seq
	b.Window = window(l.Recent, fresh, now)
	for _, s := range attention(fresh) {
		b.Observations = append(b.Observations, observation(s, l.Viewers(s)))
	}
	b.Groups = groups(l.Recent, now)
	b.Waves = waves(l.Recent, now)
	b.Subjects = subjectsOf(l.Recent, now)
	b.Shift = shift(l.Recent, now)
	b.Raised = l.Raised[:min(len(l.Raised), maxRaised)]
	for _, c := range l.Open[:min(len(l.Open), maxOpenCards)] {
		b.Open = append(b.Open, OpenCard{Incident: c.Incident, Kind: c.Kind, Severity: c.Severity, Age: max(0, seconds(now-c.Offset)), Evidence: len(c.Evidence)})
	}
	return b
}

// Refs lists every comment a briefing names: what a character may rest a card on.
func (b Briefing) Refs() []string {
	var out []string
	for _, o := range b.Observations {
		out = append(out, o.Ref)
	}
	for _, g := range b.Groups {
		out = append(out, g.Evidence...)
	}
	for _, w := range b.Waves {
		out = append(out, w.Evidence...)
	}
	if b.Shift != nil {
		out = append(out, b.Shift.Evidence...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func observation(s Stored, viewer string) Observation {
	c, a := s.Comment, s.Analysis
	return Observation{
		Ref: s.Ref(), Offset: seconds(c.Offset), Viewer: viewer, First: a.FirstTime, Role: roleOf(c.Author.Roles), Platform: platformOf(c.Platform),
		Lang: langOf(a.Lang), Score: finite(a.Score), Reasons: reasonsOf(a.Reasons), Cluster: clusterOf(a.Cluster), Subject: subjectOf(a.Subject),
		Question: a.Question, Group: groupOf(a.Group, "qt"), GroupSize: a.GroupSize, GroupVoices: a.GroupVoices, Wave: groupOf(a.Wave, "w"), WaveSize: a.WaveSize,
		Duplicate: a.DuplicateOf != "", Mood: max(-1, min(1, a.Mood)), Paid: moneyOf(c.Money), Raid: max(0, c.Raid),
		Action: actionOf(a.Action), Risk: riskOf(a.Risk), Categories: categoriesOf(a.Categories),
	}
}

// attention picks what deserves a look: safety findings first, gravest first, then by score. Rows of the platform that nobody said are left out.
func attention(fresh []Stored) []Stored {
	picked := make([]Stored, 0, len(fresh))
	for _, s := range fresh {
		switch s.Comment.Kind {
		case comment.KindDeleted, comment.KindBanned, comment.KindCleared, comment.KindNotice:
		default:
			picked = append(picked, s)
		}
	}
	slices.SortStableFunc(picked, func(a, b Stored) int {
		return cmp.Or(cmp.Compare(gravity(b.Analysis), gravity(a.Analysis)), cmp.Compare(weight(b), weight(a)), cmp.Compare(a.Seq, b.Seq))
	})
	return picked[:min(len(picked), maxObservations)]
}

// gravity orders safety findings; 0 is none.
func gravity(a comment.Analysis) int {
	g := slices.Index(risks, riskOf(a.Risk))
	switch a.Action {
	case comment.Escalate:
		return g + 8
	case comment.Withhold:
		return g + 4
	}
	if g < slices.Index(risks, comment.RiskMedium) {
		return 0
	}
	return g
}

// weight is a score in which what the platform itself calls an event stands out.
func weight(s Stored) float64 {
	if s.Comment.Kind == comment.KindRaid {
		return 2
	}
	return finite(s.Analysis.Score)
}

func window(recent, fresh []Stored, now time.Duration) WindowFacts {
	w := WindowFacts{From: seconds(now), To: seconds(now), Comments: len(fresh)}
	if len(fresh) > 0 {
		w.From = seconds(fresh[0].Comment.Offset)
	}
	voices := map[string]bool{}
	for _, s := range fresh {
		voices[viewerKey(s.Comment)] = true
		switch {
		case s.Analysis.Mood > 0:
			w.Glad++
		case s.Analysis.Mood < 0:
			w.Worried++
		}
		switch s.Analysis.Action {
		case comment.Withhold:
			w.Withheld++
		case comment.Escalate:
			w.Escalated++
		}
	}
	w.Viewers = len(voices)
	minute, before, start := 0, 0, now
	for _, s := range recent {
		start = min(start, s.Comment.Offset)
		if s.Comment.Offset > now-time.Minute {
			minute++
		} else {
			before++
		}
	}
	w.PerMinute = float64(minute)
	if span := now - time.Minute - start; span >= time.Minute {
		w.Usual = round1(float64(before) / span.Minutes())
	}
	return w
}

func groups(recent []Stored, now time.Duration) []GroupFacts {
	var order []string
	found, alive := map[string]*GroupFacts{}, map[string]bool{}
	for _, s := range recent {
		name := groupOf(s.Analysis.Group, "qt")
		if name == "" {
			continue
		}
		alive[name] = s.Comment.Offset >= now-groupsAlive // by its newest; its size and its beginning count from the first
		g := found[name]
		if g == nil {
			g = &GroupFacts{Group: name, Kind: "question", First: seconds(s.Comment.Offset)}
			if name[0] == 't' {
				g.Kind = "trouble"
			}
			found[name], order = g, append(order, name)
		}
		if sub := subjectOf(s.Analysis.Subject); sub != "" {
			g.Subject = sub
		}
		g.Size, g.Voices, g.Last = max(g.Size, s.Analysis.GroupSize), max(g.Voices, s.Analysis.GroupVoices), seconds(s.Comment.Offset)
		g.Evidence = newest(g.Evidence, s.Ref())
	}
	out := []GroupFacts{}
	for _, name := range order {
		if alive[name] && found[name].Size >= 2 {
			out = append(out, *found[name])
		}
	}
	slices.SortStableFunc(out, func(a, b GroupFacts) int { return cmp.Or(cmp.Compare(b.Voices, a.Voices), cmp.Compare(b.Size, a.Size)) })
	return out[:min(len(out), maxGroups)]
}

func waves(recent []Stored, now time.Duration) []WaveFacts {
	var order []string
	found, voices := map[string]*WaveFacts{}, map[string]map[string]bool{}
	raid := time.Duration(math.MinInt64)
	for _, s := range recent {
		if s.Comment.Kind == comment.KindRaid {
			raid = s.Comment.Offset
		}
		name := groupOf(s.Analysis.Wave, "w")
		if name == "" || s.Comment.Offset < now-groupsAlive {
			continue
		}
		w := found[name]
		if w == nil {
			w = &WaveFacts{Wave: name, Friendly: raid > s.Comment.Offset-raidBefore && raid <= s.Comment.Offset}
			found[name], order, voices[name] = w, append(order, name), map[string]bool{}
		}
		voices[name][viewerKey(s.Comment)] = true
		w.Size, w.Voices = max(w.Size, s.Analysis.WaveSize), len(voices[name])
		w.Evidence = newest(w.Evidence, s.Ref())
	}
	var out []WaveFacts
	for _, name := range order {
		if found[name].Size >= 2 {
			out = append(out, *found[name])
		}
	}
	slices.SortStableFunc(out, func(a, b WaveFacts) int { return cmp.Compare(b.Size, a.Size) })
	return out[:min(len(out), maxGroups)]
}

func subjectsOf(recent []Stored, now time.Duration) []SubjectFacts {
	counts, before := subjectCounts(recent, now-subjectsSpan, now), subjectCounts(recent, now-2*subjectsSpan, now-subjectsSpan)
	out := []SubjectFacts{}
	for _, s := range counts.most() {
		out = append(out, SubjectFacts{Subject: s, Count: counts[s], Before: before[s]})
	}
	return out[:min(len(out), maxSubjects)]
}

// subjectCounts leaves out what is withheld or copied: a wave is not what a chat talks about.
func subjectCounts(recent []Stored, after, until time.Duration) tally[comment.Subject] {
	t := tally[comment.Subject]{}
	for _, s := range recent {
		if s.Comment.Offset > after && s.Comment.Offset <= until && talk(s) {
			t.add(subjectOf(s.Analysis.Subject))
		}
	}
	return t
}

func talk(s Stored) bool { return s.Analysis.Wave == "" && s.Analysis.Action == comment.Allow }

// shift finds that the chat has turned to another subject: the most named one of the last two minutes is named by several viewers, holds
// a good part of what was said about anything, and was not what the minutes before were about. Trouble and the chat itself are no subjects to turn to.
func shift(recent []Stored, now time.Duration) *ShiftFacts {
	lately, before := subjectCounts(recent, now-subjectsSpan, now), subjectCounts(recent, now-4*subjectsSpan, now-subjectsSpan)
	to, from := leading(lately), leading(before)
	total := 0
	for s, n := range lately {
		if s != "" {
			total += n
		}
	}
	if to == "" || from == "" || to == from || lately[to] < 5 || lately[to]*5 < total*2 || before[to]*3 > before[from] {
		return nil
	}
	f := ShiftFacts{From: from, To: to}
	voices := map[string]bool{}
	for _, s := range recent {
		if s.Comment.Offset <= now-subjectsSpan || subjectOf(s.Analysis.Subject) != to || !talk(s) {
			continue
		}
		if len(f.Evidence) == 0 {
			f.At = seconds(s.Comment.Offset)
		}
		voices[viewerKey(s.Comment)] = true
		if len(f.Evidence) < maxEvidence {
			f.Evidence = append(f.Evidence, s.Ref())
		}
	}
	if len(voices) < 3 {
		return nil
	}
	return &f
}

func leading(t tally[comment.Subject]) comment.Subject {
	for _, s := range t.most() {
		switch s {
		case comment.SubjectAudio, comment.SubjectVideo, comment.SubjectLag, comment.SubjectChat:
		default:
			return s
		}
	}
	return ""
}

// newest keeps the last few refs, oldest first.
func newest(list []string, ref string) []string {
	list = append(list, ref)
	return list[max(0, len(list)-maxEvidence):]
}

func seconds(d time.Duration) int { return int(math.Floor(d.Seconds())) }

func finite(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return math.Round(f*1000) / 1000
}

// numbering gives viewers numbers in the order in which they first wrote. Rebuilt from the stored comments it is the same again.
type numbering map[string]int

func (n numbering) meet(s Stored) string {
	key := viewerKey(s.Comment)
	if _, ok := n[key]; !ok {
		n[key] = len(n) + 1
	}
	return "v" + strconv.Itoa(n[key])
}
