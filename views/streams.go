package views

import (
	"urakata/internal/ops"
	"urakata/internal/ops/source"
)

// StreamRow is a stream in a list.
type StreamRow struct {
	Stream    ops.Stream
	Health    source.Health
	Character ops.Character
	Backend   string
	Pending   int
	Report    string // id of its report, "" for none
}

// StreamsPage lists streams.
type StreamsPage struct {
	Page Page
	Rows []StreamRow
	Next string
}

// StreamForm is what a person typed to make a stream. Kind is example, upload or push.
type StreamForm struct {
	Kind, Title, Topic, Language, Character string
	Speed                                   string // "1", "4", "20", "60", "0" as fast as possible
	Upload                                  string // name of a file that was taken already, after a form that came back
}

// NewStreamPage is the form that makes a stream. Fields: kind, title, topic, language, character, speed, file, upload, start.
type NewStreamPage struct {
	Page       Page
	Form       StreamForm
	Characters []ops.Character
	Preview    *UploadPreview
	Errors     ops.InvalidError
}

// UploadPreview is what was recognised of an uploaded recording before anything was made of it.
type UploadPreview struct {
	File    string
	Format  string
	Counts  source.Counts
	Skipped []source.Skip // the first few
	First   []ops.Stored  // the first few comments
}

// StreamPage is a stream's own page.
type StreamPage struct {
	Page     Page
	Row      StreamRow
	PushURL  string // absolute, for push sources
	Skipped  []source.Skip
	Sessions []ops.SessionRow
}
