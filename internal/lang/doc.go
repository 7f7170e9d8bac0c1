// Package lang is the catalogue: every word a person sees, in every language the program speaks.
//
// The messages are JSON files of go-i18n, one pair for each part of the program: messages/report.en.json and messages/report.ja.json. Every key
// of a part begins with its name ("report.title"), so two parts cannot disagree about a key. A message is a text, or an object of plural forms;
// it is filled as a text/template: {{.Name}} from [Printer.Text], {{.N}} from [Printer.Count].
//
// [Load] reads the embedded files once at start; a [Printer] speaks one language and may be used from any goroutine. Nothing here is secret and
// nothing here may come from a viewer except as an argument, which a page escapes like any other text. A key that does not exist prints as
// «key», so that a missing word is seen and not blank; a test walks the tree so that none is missing.
package lang
