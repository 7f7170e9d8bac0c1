package source_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"urakata/internal/ops/comment"
	"urakata/internal/ops/source"
)

// FuzzReplay feeds anything as a recording: it is refused, or every record of it is read, skipped or a duplicate, and going on after any position
// gives the same rest.
func FuzzReplay(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.*"))
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
		f.Add(raw[:len(raw)*2/3])
		for line := range bytes.Lines(raw) {
			f.Add(line)
		}
	}
	for _, s := range []string{
		lineA, lineA + "\n" + lineB, "[" + lineA + ",", `{"comments":[` + lineA + `]}`, zipped(lineA), "\xff\xfe{\x00", "\uFEFF[", `{"text":1e999,"at":-1}`,
		"[{\"text\":\"\\ud800\",\"id\":1},,]", "@=;;;= PRIVMSG #a :", ":a PRIVMSG", `{"replayChatItemAction":{"actions":[{"addChatItemAction":{"item":{}}},3]}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		open := func(from string) *source.Replay {
			r, err := source.NewReplay(source.ReplayConfig{Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(raw)), nil }, From: from, MaxBytes: 4 << 20})
			if err != nil {
				return nil
			}
			return r
		}
		r := open("")
		if r == nil {
			return
		}
		first, err := r.Read(context.Background())
		if err != nil {
			return
		}
		got, _, err := source.ReadAll(context.Background(), r)
		all := append(append([]comment.Comment(nil), first.Comments...), got...)
		sane(t, all, r.Health().Counts)
		for _, c := range all {
			if !utf8.ValidString(c.Text+c.Author.Name+c.ID) || len(c.Text) > comment.MaxText || c.At.Year() < 2004 || c.At.Year() > 2101 {
				t.Errorf("unclean: %+v", c)
			}
		}
		rest, _, again := source.ReadAll(context.Background(), open(first.Position))
		if len(rest) != len(got) || (err == nil) != (again == nil) {
			t.Errorf("going on gave %d comments (%v), want %d (%v)", len(rest), again, len(got), err)
		}
	})
}

// FuzzParseJSON feeds anything as a pushed comment.
func FuzzParseJSON(f *testing.F) {
	for _, s := range []string{lineA, `{"text":"x","money":{"micros":9e99}}`, `{"text":"x","offset":"99999999999999999999"}`, `null`, `{"text":"\u0000"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, err := source.ParseJSON(raw, source.NoDate)
		if err == nil && (c.ID == "" || !utf8.ValidString(c.Text)) {
			t.Errorf("%+v", c)
		}
	})
}
