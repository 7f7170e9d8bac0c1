package views

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"urakata/internal/ops"
)

// The timeline is drawn in these units and scales with its room.
const (
	timelineWidth = 960
	timelineTicks = 30 // room of the ticks above the bars, in three lanes
	timelineBars  = 110
)

type timeline struct {
	box    string
	floor  float64
	top    string
	bars   []timeBar
	ticks  []timeTick
	gaps   []timeBar
	labels []timeLabel
}

type timeBar struct {
	from       int // seconds
	x, y, w, h float64
	n          int
}

type timeTick struct {
	x, y     float64
	kind     string
	severity ops.Severity
	say      string
}

type timeLabel struct {
	x   float64
	say string
}

func (b timeBar) say(ctx context.Context) string {
	return N(ctx, "views.pulse.minute.messages", b.n, "At", offset(ctx, seconds(b.from)))
}

// drawTimeline lays the report's minutes, events and gaps out.
func drawTimeline(ctx context.Context, d ops.ReportData) timeline {
	minutes := d.Timeline.Minutes
	last, most := minutes[len(minutes)-1].Minute+1, 1
	for _, m := range minutes {
		most = max(most, m.Comments)
	}
	w := float64(timelineWidth) / float64(last)
	floor := float64(timelineTicks + timelineBars)
	c := timeline{box: fmt.Sprintf("0 0 %d %.0f", timelineWidth, floor+20), floor: floor, top: T(ctx, "views.pulse.peak", "N", number(ctx, most))}
	for _, m := range minutes {
		h := float64(m.Comments) / float64(most) * timelineBars
		c.bars = append(c.bars, timeBar{from: m.Minute * 60, x: float64(m.Minute) * w, y: floor - h, w: max(w-1, .5), h: h, n: m.Comments})
	}
	for _, g := range d.Timeline.Gaps {
		c.gaps = append(c.gaps, timeBar{x: at(g.From, w), w: at(g.To, w) - at(g.From, w), h: floor})
	}
	for _, t := range d.Timeline.Ticks {
		c.ticks = append(c.ticks, timeTick{
			x: at(t.Offset, w), y: lane(t.Kind), kind: t.Kind, severity: t.Severity, say: offset(ctx, seconds(t.Offset)) + " " + tickWords(ctx, t),
		})
	}
	step := max(last/8, 1)
	for m := 0; m < last; m += step {
		c.labels = append(c.labels, timeLabel{x: float64(m) * w, say: offset(ctx, time.Duration(m)*time.Minute)})
	}
	return c
}

func at(second int, perMinute float64) float64 { return max(float64(second)/60*perMinute, 0) }

// lane keeps kinds of events apart: cards, what came in, what was done.
func lane(kind string) float64 {
	switch kind {
	case "raid", "paid", "topic":
		return 12
	case "action":
		return 22
	}
	return 2
}

func tickWords(ctx context.Context, t ops.ReportTick) string {
	if t.CardKind != "" {
		return T(ctx, "views.card."+string(t.CardKind))
	}
	say := word(ctx, "tick", t.Kind)
	if t.Count > 1 {
		say += " " + strconv.Itoa(t.Count)
	}
	return say
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }
