package ops

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"urakata/internal/agent"
	"urakata/internal/ops/comment"
)

// Bounds of a report.
const (
	reportEvidence = 12
	reportQuotes   = 3
	reportGroups   = 20
	reportFew      = 6
	reportMoments  = 20
	regularMinutes = 5
	gapAtLeast     = 3 * time.Minute
	tilesOver      = 5 // streams
)

// compile computes a report from the rows of a stream. Nothing in it is a guess: what nobody measured is listed as a limit.
func (s *Staff) compile(ctx context.Context, st Stream, session string) (ReportData, error) {
	now := s.cfg.Now()
	if st.EndedAt.IsZero() {
		st.EndedAt = now
	}
	c := &compiler{st: st, groups: map[string]*groupSum{}, subjects: map[comment.Subject]*subjectSum{}, feedback: map[comment.Subject]*groupSum{}, findings: map[comment.Category]*findingSum{}, people: map[string]*person{}, paid: map[string]*paidSum{}, langs: tally[string]{}, platforms: tally[string]{}}
	for row, err := range rows(ctx, s.cfg.Store, st.ID, Range{}) {
		if err != nil {
			return ReportData{}, err
		}
		c.take(row)
	}
	var err error
	if c.known, c.compared, err = s.seenBefore(ctx, st); err != nil {
		return ReportData{}, err
	}
	if c.cards, err = s.allCards(ctx, st.ID); err != nil {
		return ReportData{}, err
	}
	if c.items, err = s.allItems(ctx, st.ID); err != nil {
		return ReportData{}, err
	}
	d := c.data()
	if d.Technical, err = s.technical(ctx, st, session); err != nil {
		return ReportData{}, err
	}
	if err := s.compare(ctx, st, &d); err != nil {
		return ReportData{}, err
	}
	d.Summary = HostWords(s.cfg.Catalogue.Printer(st.Language), d)
	return d, nil
}

func (s *Staff) allCards(ctx context.Context, stream string) ([]Card, error) {
	var all []Card
	for page := (Page{Limit: 500}); ; {
		cards, err := s.cfg.Store.Cards(ctx, stream, page)
		if err != nil {
			return nil, fmt.Errorf("report of %s: %w", stream, err)
		}
		all = append(all, cards...)
		if len(cards) < page.Limit {
			slices.SortStableFunc(all, func(a, b Card) int { return cmp.Or(cmp.Compare(a.Offset, b.Offset), a.At.Compare(b.At)) })
			return all, nil
		}
		page.After = cards[len(cards)-1].ID
	}
}

func (s *Staff) allItems(ctx context.Context, stream string) ([]Item, error) {
	var all []Item
	for _, done := range []bool{true, false} {
		for page := (Page{Limit: 500}); ; {
			items, err := s.cfg.Store.Items(ctx, ItemQuery{Stream: stream, Done: done, Page: page})
			if err != nil {
				return nil, fmt.Errorf("report of %s: %w", stream, err)
			}
			all = append(all, items...)
			if len(items) < page.Limit {
				break
			}
			page.After = items[len(items)-1].ID
		}
	}
	slices.SortStableFunc(all, func(a, b Item) int { return a.At.Compare(b.At) })
	return all, nil
}

// compiler adds a stream up, comment by comment.
type compiler struct {
	st    Stream
	cards []Card
	items []Item

	n, questions, care int
	last               time.Duration
	before             time.Duration // offset of the comment before
	minutes            []ReportMinute
	voices             map[int]map[string]bool
	groups             map[string]*groupSum
	feedback           map[comment.Subject]*groupSum
	subjects           map[comment.Subject]*subjectSum
	findings           map[comment.Category]*findingSum
	people             map[string]*person
	paid               map[string]*paidSum
	langs, platforms   tally[string]
	mood               ReportMood
	raids              []ReportRaiding
	ticks              []ReportTick
	gaps               []ReportGap
	cut                int64
	known              map[string]bool // viewers of earlier streams
	compared           int             // earlier streams looked at
}

// groupSum is a group of questions, or feedback about one subject.
type groupSum struct {
	name        string
	subject     comment.Subject
	count       int
	voices      map[string]bool
	first, last int
	quotes      []string
	evidence    []string
}

type subjectSum struct {
	topic   ReportTopic
	voices  map[string]bool
	minutes tally[int]
}

type findingSum struct {
	finding ReportFinding
	voices  map[string]bool
}

type person struct {
	minutes map[int]bool
	member  bool
}

type paidSum struct {
	paid   ReportPaid
	voices map[string]bool
}

// take adds one comment.
func (c *compiler) take(s Stored) {
	at, key := seconds(s.Comment.Offset), viewerKey(s.Comment)
	if c.n > 0 && s.Comment.Offset-c.before >= gapAtLeast {
		c.gaps = append(c.gaps, ReportGap{From: seconds(c.before), To: at})
	}
	c.before = max(c.before, s.Comment.Offset)
	c.n++
	c.last = max(c.last, s.Comment.Offset)
	c.count(s, key)
	c.langs.add(string(langOf(s.Analysis.Lang)))
	c.platforms.add(string(platformOf(s.Comment.Platform)))
	switch {
	case s.Analysis.Mood > 0:
		c.mood.Glad++
	case s.Analysis.Mood < 0:
		c.mood.Worried++
	default:
		c.mood.Neutral++
	}
	if s.Comment.Truncated {
		c.cut++
	}
	if s.Analysis.Question {
		c.questions++
	}
	c.takePerson(s, key)
	c.takeGroups(s, key, at)
	c.takeCare(s, key, at)
	c.takeEvents(s, key, at)
}

func (c *compiler) count(s Stored, key string) {
	m := min(max(0, int(s.Comment.Offset/time.Minute)), maxMinutes-1)
	for len(c.minutes) <= m {
		c.minutes = append(c.minutes, ReportMinute{Minute: len(c.minutes)})
	}
	if c.voices == nil {
		c.voices = map[int]map[string]bool{}
	}
	if c.voices[m] == nil {
		c.voices[m] = map[string]bool{}
	}
	c.voices[m][key] = true
	c.minutes[m].add(s)
	c.minutes[m].Viewers = len(c.voices[m])
}

func (c *compiler) takePerson(s Stored, key string) {
	p := c.people[key]
	if p == nil {
		p = &person{minutes: map[int]bool{}}
		c.people[key] = p
	}
	p.minutes[int(s.Comment.Offset/time.Minute)] = true
	switch roleOf(s.Comment.Author.Roles) {
	case "member", "subscriber", "vip":
		p.member = true
	}
}

func (c *compiler) takeGroups(s Stored, key string, at int) {
	a := s.Analysis
	if name := groupOf(a.Group, "q"); name != "" {
		g := c.groups[name]
		if g == nil {
			g = &groupSum{name: name, voices: map[string]bool{}, first: at}
			c.groups[name] = g
		}
		g.take(s, key, at)
	}
	if clusterOf(a.Cluster) == comment.ClusterFeedback || groupOf(a.Group, "t") != "" {
		sub := subjectOf(a.Subject)
		g := c.feedback[sub]
		if g == nil {
			g = &groupSum{voices: map[string]bool{}, first: at}
			c.feedback[sub] = g
		}
		g.take(s, key, at)
	}
	if sub := subjectOf(a.Subject); sub != "" {
		t := c.subjects[sub]
		if t == nil {
			t = &subjectSum{topic: ReportTopic{Subject: sub, First: at}, voices: map[string]bool{}, minutes: tally[int]{}}
			c.subjects[sub] = t
		}
		t.topic.Count++
		t.topic.Last = at
		t.voices[key] = true
		t.minutes.add(at/60 + 1) // from 1, because tally leaves the zero value out
		t.topic.Evidence = oldest(t.topic.Evidence, s.Comment.ID)
	}
}

func (g *groupSum) take(s Stored, key string, at int) {
	g.count++
	g.last = at
	g.voices[key] = true
	if sub := subjectOf(s.Analysis.Subject); sub != "" {
		g.subject = sub
	}
	g.evidence = oldest(g.evidence, s.Comment.ID)
	host := slices.Contains([]Role{"owner", "moderator"}, roleOf(s.Comment.Author.Roles))
	if len(g.quotes) < reportQuotes && s.Analysis.Action == comment.Allow && s.Analysis.DuplicateOf == "" && !host {
		g.quotes = append(g.quotes, quote(s.Comment.Text))
	}
}

func (c *compiler) takeCare(s Stored, key string, at int) {
	if gravity(s.Analysis) == 0 {
		return
	}
	c.care++
	for _, cat := range categoriesOf(s.Analysis.Categories) {
		f := c.findings[cat]
		if f == nil {
			f = &findingSum{finding: ReportFinding{Category: cat, First: at, Worst: comment.RiskNone}, voices: map[string]bool{}}
			c.findings[cat] = f
		}
		f.finding.Count++
		f.voices[key] = true
		if worse(s.Analysis.Risk, f.finding.Worst) {
			f.finding.Worst = riskOf(s.Analysis.Risk)
		}
		f.finding.Evidence = oldest(f.finding.Evidence, s.Comment.ID)
	}
}

func (c *compiler) takeEvents(s Stored, key string, at int) {
	if s.Comment.Kind == comment.KindRaid {
		c.raids = append(c.raids, ReportRaiding{Offset: at, Viewers: max(0, s.Comment.Raid), Evidence: []string{s.Comment.ID}})
		c.ticks = append(c.ticks, ReportTick{Offset: at, Kind: "raid", Ref: s.Comment.ID, Count: max(0, s.Comment.Raid)})
	}
	if m := moneyOf(s.Comment.Money); m != nil {
		p := c.paid[m.Currency]
		if p == nil {
			p = &paidSum{paid: ReportPaid{Currency: m.Currency}, voices: map[string]bool{}}
			c.paid[m.Currency] = p
		}
		p.paid.Count++
		p.paid.Micros += m.Micros
		p.paid.Largest = max(p.paid.Largest, m.Micros)
		p.voices[key] = true
		p.paid.Evidence = oldest(p.paid.Evidence, s.Comment.ID)
		c.ticks = append(c.ticks, ReportTick{Offset: at, Kind: "paid", Ref: s.Comment.ID})
	}
}

// oldest keeps the first few ids.
func oldest(list []string, id string) []string {
	if len(list) >= reportEvidence {
		return list
	}
	return append(list, id)
}

// technical reads how the work went from the session's log.
func (s *Staff) technical(ctx context.Context, st Stream, session string) (ReportTechnical, error) {
	t := ReportTechnical{
		Records: st.Counts.Records, Read: st.Counts.Read, Skipped: st.Counts.Skipped, Dups: st.Counts.Duplicates, Reasons: st.Counts.Reasons, Errors: []ReportError{},
	}
	if session == "" {
		return t, nil
	}
	codes, known := tally[string]{}, false
	var in, out, total int
	var took []int64
	for e, err := range s.cfg.Log.Read(ctx, agent.SessionID(session), 0) {
		if err != nil {
			return t, fmt.Errorf("report of %s: log of %s: %w", st.ID, session, err)
		}
		switch e.Kind {
		case agent.SessionStarted, agent.SessionResumed:
			var body agent.StartedBody
			if json.Unmarshal(e.Body, &body) == nil && body.Backend != "" {
				t.Backend = body.Backend
			}
		case agent.OutputRejected:
			t.Rejected++
		case agent.ToolFailed:
			var body agent.CallDoneBody
			if json.Unmarshal(e.Body, &body) == nil && body.Error != nil {
				codes.add(body.Error.Code)
			}
		case agent.TurnCompleted, agent.TurnInterrupted, agent.TurnFailed:
			var body agent.EndBody
			if json.Unmarshal(e.Body, &body) != nil {
				continue
			}
			t.Turns++
			t.Steps, t.Calls = t.Steps+body.Steps, t.Calls+body.Calls
			took = append(took, body.MS)
			if body.Usage.Known {
				known, in, out, total = true, in+body.Usage.Input, out+body.Usage.Output, total+body.Usage.Total
			}
			if e.Kind == agent.TurnFailed {
				t.Failed++
				if body.Error != nil {
					codes.add(body.Error.Code)
				}
			}
		}
	}
	if known {
		t.Tokens, t.Input, t.Output = &total, &in, &out
	}
	if slices.Sort(took); len(took) > 0 {
		t.SlowestMS, t.MedianMS = took[len(took)-1], took[len(took)/2]
	}
	for _, code := range codes.most() {
		t.Errors = append(t.Errors, ReportError{Code: code, Count: codes[code]})
	}
	return t, nil
}

// seenBefore collects who wrote in the last streams that ended before this one.
func (s *Staff) seenBefore(ctx context.Context, st Stream) (map[string]bool, int, error) {
	streams, err := s.cfg.Store.Streams(ctx, Page{Limit: 100})
	if err != nil {
		return nil, 0, fmt.Errorf("report of %s: %w", st.ID, err)
	}
	seen, n := map[string]bool{}, 0
	for _, old := range streams {
		if old.ID == st.ID || old.State != StreamEnded || old.EndedAt.After(st.EndedAt) || n == tilesOver {
			continue
		}
		n++
		for row, err := range rows(ctx, s.cfg.Store, old.ID, Range{}) {
			if err != nil {
				return nil, 0, err
			}
			seen[viewerKey(row.Comment)] = true
		}
	}
	return seen, n, nil
}

// compare sets each tile beside the median of the last streams that have a report.
func (s *Staff) compare(ctx context.Context, st Stream, d *ReportData) error {
	reports, err := s.cfg.Store.Reports(ctx, Page{Limit: tilesOver + 1})
	if err != nil {
		return fmt.Errorf("report of %s: %w", st.ID, err)
	}
	before := map[string][]float64{}
	n := 0
	for _, r := range reports {
		var old ReportData
		if r.Stream == st.ID || n == tilesOver || json.Unmarshal(r.Data, &old) != nil {
			continue
		}
		n++
		for _, t := range old.Tiles {
			before[t.ID] = append(before[t.ID], t.Value)
		}
	}
	for i := range d.Tiles {
		d.Tiles[i].Of = len(before[d.Tiles[i].ID])
		d.Tiles[i].Median = median(before[d.Tiles[i].ID])
	}
	return nil
}

func median(values []float64) *float64 {
	if len(values) == 0 {
		return nil
	}
	slices.Sort(values)
	m := values[len(values)/2]
	if len(values)%2 == 0 {
		m = (m + values[len(values)/2-1]) / 2
	}
	return &m
}
