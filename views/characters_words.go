package views

import (
	"context"
	"strconv"

	"urakata/internal/agent"
	"urakata/internal/ops"
)

// orIdle draws a character without a stream awake: it is off duty, not stopped.
func orIdle(a agent.Activity) agent.Activity {
	if a == "" {
		return agent.Idle
	}
	return a
}

func characterAction(c ops.Character) string {
	if c.Version == 0 {
		return CharactersPath
	}
	return CharacterPath(c.ID)
}

// mindID gives the first choice the field's id, so that the summary of errors leads to it.
func mindID(all []MindView, m MindView) string {
	if len(all) > 0 && all[0].ID == m.ID {
		return "backend"
	}
	return "backend-" + m.ID
}

func toolHelp(ctx context.Context, tool string) string {
	key := "tool." + tool + ".help"
	if p := printer(ctx); p.Has(key) {
		return p.Text(key)
	}
	return ""
}

func deadlineTyped(p CharacterPage, t ToolView) string {
	if typed, ok := p.Deadlines[t.ID]; ok {
		return typed
	}
	if d := p.Character.Tools[t.ID].Deadline; d > 0 {
		return strconv.Itoa(d)
	}
	return ""
}
