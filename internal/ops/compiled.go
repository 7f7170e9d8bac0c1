package ops

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
)

// data puts the sums into the parts of a report.
func (c *compiler) data() ReportData {
	d := ReportData{
		Stream: ReportStream{
			ID: c.st.ID, Title: c.st.Title, Topic: c.st.Topic, Language: c.st.Language, StartedAt: c.st.StartedAt, EndedAt: c.st.EndedAt,
			Seconds: max(0, seconds(c.last)), Rehearsal: c.st.Rehearsal,
		},
		Timeline:  ReportTimeline{Minutes: append([]ReportMinute{}, c.minutes...), Gaps: append([]ReportGap{}, c.gaps...)},
		Questions: c.questionList(), Safety: c.safety(), Feedback: c.feedbackList(), Topics: c.topics(), Community: c.community(), Paid: c.paidList(),
	}
	d.Timeline.Ticks = c.tickList()
	d.Highlights = c.moments(d)
	d.Tiles = c.tiles(d)
	d.Limits = c.limits()
	return d
}

func (c *compiler) tiles(d ReportData) []ReportTile {
	peak, minutes := 0, max(1.0, float64(d.Stream.Seconds)/60)
	for _, m := range c.minutes {
		peak = max(peak, m.Comments)
	}
	decided := 0
	for _, it := range c.items {
		if it.State == ItemAllowed || it.State == ItemDenied || it.State == ItemAnswered {
			decided++
		}
	}
	tile := func(id string, v float64) ReportTile { return ReportTile{ID: id, Value: v} }
	return []ReportTile{
		tile("comments", float64(c.n)), tile("viewers", float64(len(c.people))), tile("perMinute", round1(float64(c.n)/minutes)), tile("peak", float64(peak)),
		tile("questions", float64(c.questions)), tile("safety", float64(c.care)), tile("cards", float64(len(c.cards))), tile("decisions", float64(decided)),
	}
}

func (c *compiler) tickList() []ReportTick {
	ticks := append([]ReportTick{}, c.ticks...)
	for _, card := range c.cards {
		ticks = append(ticks, ReportTick{Offset: seconds(card.Offset), Kind: "card", Ref: card.ID, CardKind: card.Kind, Severity: card.Severity})
	}
	for _, it := range c.items {
		if it.Kind == ItemApproval && it.Outcome == OutcomeDone && !c.st.StartedAt.IsZero() {
			ticks = append(ticks, ReportTick{Offset: seconds(c.offsetOf(it)), Kind: "action", Ref: it.ID})
		}
	}
	slices.SortStableFunc(ticks, func(a, b ReportTick) int { return cmp.Compare(a.Offset, b.Offset) })
	return ticks
}

// moments are what is worth finding again: highlight cards, raids and the busiest minutes.
func (c *compiler) moments(d ReportData) []ReportMoment {
	out := []ReportMoment{}
	for _, card := range c.cards {
		if card.Kind == Highlight || card.Kind == TopicShift {
			out = append(out, ReportMoment{Offset: seconds(card.Offset), Kind: "card", Why: card.Observed, Card: card.ID, Evidence: card.Evidence})
		}
	}
	for _, r := range c.raids {
		out = append(out, ReportMoment{Offset: r.Offset, Kind: "raid", Count: r.Viewers, Evidence: r.Evidence})
	}
	busy := slices.Clone(c.minutes)
	slices.SortStableFunc(busy, func(a, b ReportMinute) int { return cmp.Compare(b.Comments, a.Comments) })
	for _, m := range busy[:min(len(busy), 3)] {
		if m.Comments >= 5 {
			out = append(out, ReportMoment{Offset: m.Minute * 60, Kind: "peak", Count: m.Comments, Evidence: []string{}})
		}
	}
	slices.SortStableFunc(out, func(a, b ReportMoment) int { return cmp.Compare(a.Offset, b.Offset) })
	return out[:min(len(out), reportMoments)]
}

func (c *compiler) questionList() []ReportQuestion {
	out := []ReportQuestion{}
	for _, g := range c.groups {
		q := ReportQuestion{Group: g.name, Subject: g.subject, Count: g.count, Voices: len(g.voices), First: g.first, Last: g.last, Quotes: g.quotes, Evidence: g.evidence}
		for _, card := range c.cards {
			if card.Incident == string(QuestionSurge)+"/"+g.name {
				q.Card = card.ID
				if card.State == CardHandled || card.State == CardDismissed {
					answered := card.State == CardHandled
					q.Answered = &answered
				}
			}
		}
		out = append(out, q)
	}
	slices.SortFunc(out, func(a, b ReportQuestion) int {
		return cmp.Or(cmp.Compare(b.Voices, a.Voices), cmp.Compare(b.Count, a.Count), cmp.Compare(a.First, b.First), cmp.Compare(a.Group, b.Group))
	})
	// A question that one viewer asked once matters only where there are few others.
	end := slices.IndexFunc(out, func(q ReportQuestion) bool { return q.Count < 2 })
	if end < 0 {
		end = len(out)
	}
	return out[:min(len(out), reportGroups, max(end, reportFew))]
}

func (c *compiler) feedbackList() []ReportFeedback {
	out := []ReportFeedback{}
	for sub, g := range c.feedback {
		out = append(out, ReportFeedback{Subject: sub, Count: g.count, Voices: len(g.voices), First: g.first, Quotes: g.quotes, Evidence: g.evidence})
	}
	slices.SortFunc(out, func(a, b ReportFeedback) int {
		return cmp.Or(cmp.Compare(b.Voices, a.Voices), cmp.Compare(a.Subject, b.Subject))
	})
	return out
}

func (c *compiler) topics() []ReportTopic {
	out := []ReportTopic{}
	for _, t := range c.subjects {
		t.topic.Voices = len(t.voices)
		if most := t.minutes.most(); len(most) > 0 {
			t.topic.Peak = most[0] - 1
		}
		out = append(out, t.topic)
	}
	slices.SortFunc(out, func(a, b ReportTopic) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Subject, b.Subject))
	})
	return out
}

func (c *compiler) safety() ReportSafety {
	s := ReportSafety{Findings: []ReportFinding{}, Actions: []ReportAction{}, Cards: []ReportCareCard{}}
	for _, f := range c.findings {
		f.finding.Viewers = len(f.voices)
		s.Findings = append(s.Findings, f.finding)
	}
	slices.SortFunc(s.Findings, func(a, b ReportFinding) int {
		return cmp.Or(cmp.Compare(slices.Index(risks, b.Worst), slices.Index(risks, a.Worst)), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Category, b.Category))
	})
	for _, card := range c.cards {
		if card.Kind == SafetyConcern {
			s.Cards = append(s.Cards, ReportCareCard{Card: card.ID, Offset: seconds(card.Offset), Severity: card.Severity, Observed: card.Observed, State: card.State, Evidence: card.Evidence})
		}
	}
	s.Actions = append(s.Actions, c.actions()...)
	return s
}

// actions groups what was proposed by tool, state, outcome and cause; the four ways not to run are never mixed.
func (c *compiler) actions() []ReportAction {
	type key struct {
		tool    string
		state   ItemState
		outcome OutcomeState
		why     string
	}
	sums, waits := map[key]*ReportAction{}, map[key][]float64{}
	var order []key
	for _, it := range c.items {
		if it.Kind != ItemApproval {
			continue
		}
		k := key{it.Tool, it.State, it.Outcome, it.Why}
		if sums[k] == nil {
			sums[k] = &ReportAction{Tool: it.Tool, State: it.State, Outcome: it.Outcome, Why: it.Why}
			order = append(order, k)
		}
		sums[k].Count++
		sums[k].Items = append(sums[k].Items, it.ID)
		if it.State == ItemAllowed || it.State == ItemDenied {
			waits[k] = append(waits[k], round1(it.DecidedAt.Sub(it.At).Seconds()))
			if !slices.Contains(sums[k].By, it.DecidedBy) {
				sums[k].By = append(sums[k].By, it.DecidedBy)
			}
		}
	}
	var out []ReportAction
	for _, k := range order {
		sums[k].MedianSeconds = median(waits[k])
		out = append(out, *sums[k])
	}
	slices.SortStableFunc(out, func(a, b ReportAction) int { return cmp.Or(cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.State, b.State)) })
	return out
}

func (c *compiler) community() ReportCommunity {
	r := ReportCommunity{Viewers: len(c.people), Compared: c.compared, Mood: c.mood, Raids: append([]ReportRaiding{}, c.raids...), Languages: shares(c.langs, c.n), Platforms: shares(c.platforms, c.n)}
	for key, p := range c.people {
		if !c.known[key] {
			r.New++
		}
		if p.member {
			r.Members++
		}
		if len(p.minutes) >= regularMinutes {
			r.Regulars++
		}
	}
	r.Returning = r.Viewers - r.New
	return r
}

func shares(t tally[string], n int) []ReportShare {
	out := []ReportShare{}
	for _, name := range t.most() {
		out = append(out, ReportShare{Name: name, Count: t[name], Share: finite(float64(t[name]) / float64(max(1, n)))})
	}
	return out
}

func (c *compiler) paidList() []ReportPaid {
	out := []ReportPaid{}
	for _, code := range slices.Sorted(maps.Keys(c.paid)) {
		p := c.paid[code]
		p.paid.Voices = len(p.voices)
		out = append(out, p.paid)
	}
	return out
}

func (c *compiler) limits() []ReportLimit {
	out := []ReportLimit{{ID: "viewers"}} // no source of this program measures concurrent viewers
	if c.compared == 0 {
		out = append(out, ReportLimit{ID: "returning"})
	}
	if n := c.st.Counts.Skipped; n > 0 {
		out = append(out, ReportLimit{ID: "skipped", Count: n})
	}
	if c.cut > 0 {
		out = append(out, ReportLimit{ID: "cut", Count: c.cut})
	}
	for _, g := range c.gaps {
		out = append(out, ReportLimit{ID: "gap", From: g.From, To: g.To})
	}
	if c.st.Err != "" {
		out = append(out, ReportLimit{ID: "source"})
	}
	if c.n == 0 {
		out = append(out, ReportLimit{ID: "empty"})
	}
	if c.st.Rehearsal {
		out = append(out, ReportLimit{ID: "rehearsal"})
	}
	return out
}

var (
	quoteMention = regexp.MustCompile(`@[^\s@]+`)
	quoteLink    = regexp.MustCompile(`(?i)\b(?:https?://|www\.)\S+`)
	quoteDigits  = regexp.MustCompile(`[0-9０-９][0-9０-９\-– ]{5,}[0-9０-９]`)
)

// quote makes a wording fit for a report: one line, short, without names that are called out, links and long numbers.
func quote(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, text)
	text = quoteLink.ReplaceAllString(text, "[…]")
	text = quoteMention.ReplaceAllString(text, "@…")
	text = quoteDigits.ReplaceAllString(text, "[…]")
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > 120 {
		text = string(r[:119]) + "…"
	}
	return text
}

// offsetOf places an action on the stream's time: at the comment it was about when that is known, else by the clock.
func (c *compiler) offsetOf(it Item) time.Duration {
	if it.Target != nil {
		return it.Target.Comment.Offset
	}
	return min(max(0, it.At.Sub(c.st.StartedAt)), max(0, c.last))
}
