package views

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"

	"urakata/internal/agent"
	"urakata/internal/ops"
	"urakata/internal/ops/comment"
	"urakata/internal/ops/source"
)

// word is the message of a closed vocabulary's entry. A word the catalogue does not know is shown as it is: a newer program may have written it.
func word(ctx context.Context, family, value string) string {
	if value == "" {
		value = "none"
	}
	key := "views." + family + "." + value
	if p := printer(ctx); p.Has(key) {
		return p.Text(key)
	}
	return value
}

func offset(ctx context.Context, d time.Duration) string { return printer(ctx).Offset(d) }

func clock(ctx context.Context, t time.Time) string {
	return printer(ctx).Clock(t.In(setting(ctx).Zone))
}

func date(ctx context.Context, t time.Time) string {
	return printer(ctx).Date(t.In(setting(ctx).Zone))
}

func iso(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func ago(ctx context.Context, t time.Time) string {
	return printer(ctx).Ago(setting(ctx).Now.Sub(t))
}

func number(ctx context.Context, n any) string { return printer(ctx).Number(n) }

func money(ctx context.Context, m *comment.Money) string {
	return printer(ctx).Money(m.Micros, m.Currency)
}

// left is the time until a deadline, never negative.
func left(ctx context.Context, deadline time.Time) string {
	d := max(deadline.Sub(setting(ctx).Now), 0)
	return offset(ctx, d)
}

func late(ctx context.Context, it ops.Item) bool {
	return !it.Deadline.IsZero() && !it.Deadline.After(setting(ctx).Now)
}

// severityIcon is half of how a severity is told; the word is the other, colour only helps.
func severityIcon(s ops.Severity) string {
	switch s {
	case ops.High:
		return "octagon"
	case ops.Medium:
		return "triangle"
	}
	return "dot"
}

func severityClass(s ops.Severity) string {
	switch s {
	case ops.High:
		return "sev-high"
	case ops.Medium:
		return "sev-medium"
	}
	return "sev-low"
}

func kindIcon(k ops.CardKind) string {
	switch k {
	case ops.Highlight:
		return "star"
	case ops.QuestionSurge:
		return "question"
	case ops.ConstructiveFeedback:
		return "wrench"
	case ops.SafetyConcern:
		return "shield"
	case ops.TopicShift:
		return "turn"
	}
	return "info"
}

func riskSeverity(risk string) ops.Severity {
	switch risk {
	case "destructive", "external":
		return ops.High
	case "write":
		return ops.Medium
	}
	return ops.Low
}

func safetySeverity(r comment.Risk) ops.Severity {
	switch r {
	case comment.RiskHigh:
		return ops.High
	case comment.RiskMedium:
		return ops.Medium
	}
	return ops.Low
}

// streamTone says how a stream's state is coloured: alive, waiting, over or wrong. A dead source is never "live".
func streamTone(s ops.Stream, h source.Health) string {
	switch {
	case s.Err != "" || h.State == source.StateFailed:
		return "tone-bad"
	case s.State == ops.StreamLive:
		return "tone-good"
	case s.State == ops.StreamPaused || s.State == ops.StreamEnding:
		return "tone-warn"
	}
	return "tone-quiet"
}

// streamWord is the state as a person reads it: a replay is never called live.
func streamWord(ctx context.Context, s ops.Stream) string {
	if s.State == ops.StreamLive && s.Source.Kind == "replay" {
		if s.Source.Speed == 0 {
			return T(ctx, "views.stream.replayfast")
		}
		return T(ctx, "views.stream.replay", "Speed", number(ctx, s.Source.Speed))
	}
	return word(ctx, "streamstate", string(s.State))
}

// mood is the drawing of a character that goes with what it is doing.
func mood(c ops.Character, doing agent.Activity, worst ops.Severity) string {
	switch {
	case c.Paused || doing == agent.Stopped || doing == "":
		return "asleep"
	case worst == ops.High || doing == agent.Awaiting:
		return "worried"
	case doing == agent.Thinking || doing == agent.Acting:
		return "thinking"
	}
	return "neutral"
}

func artFile(art, state string) string {
	if art != "haru" {
		art = "nagi"
	}
	return "img/" + art + "-" + state + ".svg"
}

// visible writes text with what cannot be seen made visible: control characters, bidi overrides, zero widths, as "⟦U+202E⟧". What a person
// approves must not hide anything.
func visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n':
			b.WriteString("⏎\n")
		case r == '\t':
			b.WriteString("⇥\t")
		case hidden(r):
			fmt.Fprintf(&b, "⟦U+%04X⟧", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func hidden(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u115f' || r == '\u1160' || r == '\u3164' || r == '\uffa0' ||
		r != ' ' && r != '\u3000' && unicode.Is(unicode.Z, r)
}

// calm keeps at most two combining marks after a letter for the places where a name must fit a line; the full text stays in the title.
func calm(s string) string {
	var b strings.Builder
	marks := 0
	for _, r := range s {
		if unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r) {
			if marks++; marks > 2 {
				continue
			}
		} else {
			marks = 0
		}
		b.WriteRune(r)
	}
	return b.String()
}

func masked(s ops.Stored) bool {
	return s.Analysis.Action == comment.Withhold || s.Analysis.Action == comment.Escalate
}

func authorName(a comment.Author) string {
	if a.Name == "" {
		return a.ID
	}
	return a.Name
}

// mindName is a backend as a person reads it. The rules say that they need no network, and no mind says what that means.
func mindName(ctx context.Context, name string) string {
	switch name {
	case "rules":
		return T(ctx, "views.mind.rules")
	case "none":
		return T(ctx, "views.mind.none")
	}
	return visible(name)
}

// zoneName is the abbreviation of the reader's time zone at a moment.
func zoneName(ctx context.Context, t time.Time) string {
	return t.In(setting(ctx).Zone).Format("MST")
}
