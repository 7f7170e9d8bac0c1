package main

import (
	"context"
	"fmt"
	"io/fs"

	staffexample "urakata/examples/stream-operations-staff"
	"urakata/internal/ops"
)

// program is who did what the program itself does at its first start; it stands so in the audit.
var program = ops.HostWho()

// loadCharacters makes Nagi and Haru when the database has no character.
func (h *house) loadCharacters(ctx context.Context) error {
	have, err := h.characters.List(ctx)
	if err != nil || len(have) > 0 {
		return err
	}
	mind := "rules"
	if h.cfg.Mind.ready() {
		mind = "openai"
	}
	for _, c := range []ops.Character{
		{ID: "nagi", Name: "Nagi", Job: ops.JobOperations, Language: "ja", Backend: mind, Art: "nagi", Tools: firstRules(true)},
		{ID: "haru", Name: "Haru", Job: ops.JobStrategy, Language: "ja", Backend: mind, Art: "haru", Tools: firstRules(false)},
	} {
		brief, err := fs.ReadFile(staffexample.Files, c.ID+".md")
		if err != nil {
			return fmt.Errorf("the brief of %s: %w", c.Name, err)
		}
		c.Brief = string(brief)
		if _, err := h.characters.Save(ctx, program, c); err != nil {
			return fmt.Errorf("make %s: %w", c.Name, err)
		}
	}
	return nil
}

// playExample starts the recorded stream once, on an installation that has never had a stream.
func (h *house) playExample(ctx context.Context) error {
	have, err := h.staff.Streams(ctx, ops.Page{Limit: 1})
	if err != nil || len(have) > 0 {
		return quiet(err)
	}
	_, err = h.staff.Create(ctx, program, ops.NewStream{
		Title: staffexample.Title, Topic: staffexample.Topic, Language: "ja", Character: "nagi",
		Source: ops.SourceSpec{Kind: "replay", File: exampleFile, Speed: exampleSpeed}, Example: true, Start: true,
	})
	if err != nil {
		return quiet(fmt.Errorf("play the example: %w", err))
	}
	return nil
}

// exampleSpeed shows twenty minutes in two and a half: cards arrive within seconds, and there is time to decide.
const exampleSpeed = 8

// firstRules is what a new character of the example may do: what reaches the platform asks, the rest is allowed. One who does not watch a stream
// gets nothing that acts on one.
func firstRules(watches bool) map[string]ops.ToolRule {
	out := map[string]ops.ToolRule{}
	for _, t := range ops.Tools() {
		switch {
		case t.Acts && watches:
			out[t.ID] = ops.ToolRule{Permission: ops.PermitAsk}
		case !t.Acts:
			out[t.ID] = ops.ToolRule{Permission: ops.PermitAllow}
		}
	}
	return out
}
