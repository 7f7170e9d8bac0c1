package views

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"urakata/internal/ops"
	"urakata/internal/ops/comment"
)

// Chart geometry: the pulse is drawn on the server as SVG of this size and scales with its room.
const (
	pulseWidth  = 360
	pulseHeight = 72
	pulseMost   = 60 // minutes shown; older ones are in the report
)

// bar is one minute of a chart.
type bar struct {
	minute Minute
	x, w   float64
	y, h   float64
}

// shown is the last hour of minutes.
func (p Pulse) shown() []Minute {
	if len(p.Minutes) > pulseMost {
		return p.Minutes[len(p.Minutes)-pulseMost:]
	}
	return p.Minutes
}

// bars lays minutes out by a count, scaled to the highest.
func bars(minutes []Minute, count func(Minute) int, height float64) []bar {
	if len(minutes) == 0 {
		return nil
	}
	w := float64(pulseWidth) / float64(max(len(minutes), 12))
	most := max(peak(minutes, count), 1)
	out := make([]bar, len(minutes))
	for i, m := range minutes {
		h := float64(count(m)) / float64(most) * height
		out[i] = bar{minute: m, x: float64(i) * w, w: w, y: height - h, h: h}
	}
	return out
}

func peak(minutes []Minute, count func(Minute) int) int {
	most := 0
	for _, m := range minutes {
		most = max(most, count(m))
	}
	return most
}

func sum(minutes []Minute, count func(Minute) int) int {
	n := 0
	for _, m := range minutes {
		n += count(m)
	}
	return n
}

func messages(m Minute) int  { return m.Messages }
func questions(m Minute) int { return m.Questions }
func safety(m Minute) int    { return m.Low + m.Medium + m.High }

// stack is a minute's safety findings as three rectangles, mildest at the bottom.
type stack struct {
	class string
	y, h  float64
}

func stacks(m Minute, most int, height float64) []stack {
	var out []stack
	y := height
	for _, part := range []struct {
		class string
		n     int
	}{{"sev-low", m.Low}, {"sev-medium", m.Medium}, {"sev-high", m.High}} {
		if part.n == 0 {
			continue
		}
		h := float64(part.n) / float64(max(most, 1)) * height
		y -= h
		out = append(out, stack{class: part.class, y: y, h: h})
	}
	return out
}

// minuteQuery asks for the comments of one minute.
func minuteQuery(m Minute) CommentQuery {
	return Between(m.At, m.At+time.Minute-time.Second)
}

func filtered(q CommentQuery, filter string) CommentQuery {
	q.Filter = filter
	return q
}

func subjectQuery(s comment.Subject) CommentQuery { return CommentQuery{Subject: s} }

// share is the length of a bar of a hundred.
func share(n, most int) float64 { return float64(n) / float64(max(most, 1)) * 100 }

func mostSubject(list []SubjectCount) int {
	most := 0
	for _, s := range list {
		most = max(most, s.Count, s.Before)
	}
	return most
}

func window(minutes []Minute) CommentQuery {
	if len(minutes) == 0 {
		return CommentQuery{}
	}
	return Between(minutes[0].At, minutes[len(minutes)-1].At+time.Minute-time.Second)
}

var severities = []ops.Severity{ops.Low, ops.Medium, ops.High}

func f1(f float64) string { return strconv.FormatFloat(f, 'f', 1, 64) }

func chartBox(list []bar, filter string) string {
	height := pulseHeight
	if filter != "" {
		height = pulseHeight / 3
	}
	return fmt.Sprintf("0 0 %d %d", pulseWidth, height)
}

func minuteWords(ctx context.Context, m Minute, filter string) string {
	if m.Gap {
		return T(ctx, "views.pulse.gap", "At", offset(ctx, m.At))
	}
	switch filter {
	case "questions":
		return N(ctx, "views.pulse.minute.questions", m.Questions, "At", offset(ctx, m.At))
	case "safety":
		return N(ctx, "views.pulse.minute.safety", safety(m), "At", offset(ctx, m.At))
	}
	return N(ctx, "views.pulse.minute.messages", m.Messages, "At", offset(ctx, m.At))
}

func glad(m Minute) int    { return m.Glad }
func worried(m Minute) int { return m.Worried }

// moodParts are glad, neutral and worried as three lengths of a hundred.
func moodParts(p Pulse) []stack {
	shown := p.shown()
	total, up, down := sum(shown, messages), sum(shown, glad), sum(shown, worried)
	a, c := share(up, total), share(down, total)
	return []stack{{"mood-glad", 0, a}, {"mood-neutral", a, max(100-a-c, 0)}, {"mood-worried", 100 - c, c}}
}

func moodWords(ctx context.Context, p Pulse) string {
	shown := p.shown()
	total, up, down := sum(shown, messages), sum(shown, glad), sum(shown, worried)
	return T(ctx, "views.pulse.moods", "Glad", number(ctx, up), "Neutral", number(ctx, max(total-up-down, 0)), "Worried", number(ctx, down))
}

// subjectWords is a count with what it was before.
func subjectWords(ctx context.Context, s SubjectCount) string {
	return T(ctx, "views.pulse.subject", "N", number(ctx, s.Count), "Before", number(ctx, s.Before))
}
