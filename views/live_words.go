package views

import (
	"context"
	"strings"
	"time"

	"urakata/internal/agent"
	"urakata/internal/ops"
	"urakata/internal/ops/source"
)

func stateIcon(s ops.StreamState) string {
	switch s {
	case ops.StreamLive:
		return "play"
	case ops.StreamPaused:
		return "pause"
	case ops.StreamEnding:
		return "clock"
	case ops.StreamEnded:
		return "stop"
	}
	return "dot"
}

func sourceTone(s source.State) string {
	if s == source.StateFailed {
		return "tone-bad"
	}
	return ""
}

func lagWord(ctx context.Context, d time.Duration) string {
	if d < 2*time.Second {
		return T(ctx, "views.live.lag.none")
	}
	return T(ctx, "views.live.lag.some", "Lag", offset(ctx, d))
}

// nothingWaits says why the room is empty and what will appear in it.
func nothingWaits(ctx context.Context, h StreamHeader) string {
	switch {
	case h.Character.Paused:
		return T(ctx, "views.now.paused", "Name", h.Character.Name)
	case h.Stream.State == ops.StreamEnded:
		return T(ctx, "views.now.ended")
	case h.Stream.State == ops.StreamReady:
		return T(ctx, "views.now.ready")
	case h.Health.Last.IsZero():
		return T(ctx, "views.now.silent", "Name", h.Character.Name)
	}
	return T(ctx, "views.now.none", "Name", h.Character.Name)
}

func doingWord(ctx context.Context, a Activity) string {
	if a.Character.Paused {
		return T(ctx, "views.doing.paused")
	}
	return word(ctx, "doing", string(a.Doing))
}

// tokens tells what was spent; what a backend did not say is unknown, never zero.
func tokens(ctx context.Context, u agent.Usage) string {
	if !u.Known {
		return T(ctx, "views.tokens.unknown")
	}
	return N(ctx, "views.tokens", u.Total)
}

// activityWords is one line of the log in words. Only closed vocabularies are shown.
func activityWords(ctx context.Context, l ActivityLine) string {
	parts := []string{word(ctx, "event", string(l.Kind))}
	if l.Tool != "" {
		parts = append(parts, toolName(ctx, l.Tool))
	}
	if l.Stop != "" {
		parts = append(parts, word(ctx, "stop", l.Stop))
	}
	if l.Detail != "" {
		parts = append(parts, word(ctx, "detail", l.Detail))
	}
	return strings.Join(parts, " · ")
}

func activityCost(ctx context.Context, l ActivityLine) string {
	var parts []string
	if l.MS > 0 {
		parts = append(parts, T(ctx, "views.ms", "N", number(ctx, l.MS)))
	}
	if l.Tokens > 0 {
		parts = append(parts, N(ctx, "views.tokens", l.Tokens))
	}
	return strings.Join(parts, " · ")
}

func eventTone(k agent.EventKind) string {
	switch k {
	case agent.TurnFailed, agent.ToolFailed, agent.ToolUnknown, agent.OutputRejected:
		return "tone-bad"
	case agent.ApprovalRequested, agent.ApprovalExpired, agent.TurnInterrupted:
		return "tone-warn"
	}
	return ""
}

func toolName(ctx context.Context, tool string) string {
	key := "tool." + tool + ".name"
	if p := printer(ctx); p.Has(key) {
		return p.Text(key)
	}
	return tool
}
