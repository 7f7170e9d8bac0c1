package views

import (
	"time"

	"urakata/internal/agent"
	"urakata/internal/ops"
)

// CharacterRow is a character in the list.
type CharacterRow struct {
	Character ops.Character
	Streams   []ops.Stream // where it is at work now
	Backend   string
	Ready     bool
	Doing     agent.Activity
}

// CharactersPage lists the staff.
type CharactersPage struct {
	Page Page
	Rows []CharacterRow
}

// ToolView is a tool that a character may be given. Its name and help are in the catalogue under "tool.<id>.name" and "tool.<id>.help".
type ToolView struct {
	ID      string
	Risk    string // read draft write external destructive
	Default time.Duration
}

// MindView is a backend that can be chosen. Why is a catalogue key that says what is missing when it is not ready.
type MindView struct {
	ID, Name string
	Ready    bool
	Why      string
}

// CharacterPage is the form of a character. Fields: name, job, language, art, backend, model, brief, version, and for each tool
// "tool.<id>" (allow, ask, or "" to deny) and "deadline.<id>" (seconds, "" for the tool's own).
type CharacterPage struct {
	Page      Page
	Character ops.Character     // as stored, or as typed when Errors or Stale are set; version 0 is a new one
	Deadlines map[string]string // as typed, when one did not read as a number
	Tools     []ToolView
	Minds     []MindView
	Versions  []ops.Character // newest first
	Errors    ops.InvalidError
	Stale     *ops.Character // a newer version stands
}
