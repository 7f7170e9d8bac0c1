package views

import (
	"context"
	"strings"

	"urakata/internal/ops"
)

// htmxConfig keeps htmx within the site's policy: no style of its own, no text evaluated, requests to our own origin only.
const htmxConfig = `{"includeIndicatorCSS":false,"mode":"same-origin","history":true,"noSwap":[204,304]}`

type navEntry struct {
	room Room
	path string
}

var navEntries = []navEntry{
	{RoomLive, LivePath}, {RoomInbox, InboxPath}, {RoomStreams, StreamsPath}, {RoomReports, ReportsPath}, {RoomCharacters, CharactersPath},
	{RoomAudit, AuditPath}, {RoomSettings, OperatorsPath},
}

type key struct{ key, say string }

var keyHelp = []key{
	{"j", "views.keys.next"}, {"k", "views.keys.previous"}, {"o", "views.keys.open"}, {"a", "views.keys.allow"}, {"d", "views.keys.deny"},
	{"n", "views.keys.note"}, {"Space", "views.keys.pause"}, {"?", "views.keys.help"}, {"Esc", "views.keys.close"},
}

// pageTitle begins with how many things wait, so that a tab among others says so: "(3) Inbox · Urakata".
func pageTitle(ctx context.Context, p Page) string {
	title := "Urakata"
	switch {
	case p.Title != "":
		title = visible(p.Title) + " · " + title
	case p.Nav != "":
		title = T(ctx, "views.nav."+string(p.Nav)) + " · " + title
	}
	if p.Counts.Pending > 0 {
		title = "(" + number(ctx, p.Counts.Pending) + ") " + title
	}
	return title
}

func iconFile(c Counts) string {
	if c.Worst == ops.High {
		return "img/icon-alert.svg"
	}
	return "img/icon.svg"
}

func themeName(t Theme) string {
	if t == ThemeDark {
		return "dark"
	}
	return string(t)
}

// ThemeNamed is the theme a form or a cookie names; an unknown name is dark.
func ThemeNamed(name string) Theme {
	switch t := Theme(name); t {
	case ThemeLight, ThemeSystem:
		return t
	}
	return ThemeDark
}

func colorScheme(t Theme) string {
	switch t {
	case ThemeLight:
		return "light"
	case ThemeSystem:
		return "dark light"
	}
	return "dark"
}

// languageName is a language in its own words.
func languageName(tag string) string {
	if tag == "ja" {
		return "日本語"
	}
	return "English"
}

func backOr(p Page) string {
	if p.Back == "" {
		return HomePath
	}
	return p.Back
}

func stripState(p Page) string {
	if p.Live != "" {
		return "wait"
	}
	return "still"
}

func allPaused(staff []ops.Character) bool {
	for _, c := range staff {
		if !c.Paused {
			return false
		}
	}
	return true
}

func staffNames(staff []ops.Character) string {
	names := make([]string, len(staff))
	for i, c := range staff {
		names[i] = c.Name
	}
	return strings.Join(names, ", ")
}
