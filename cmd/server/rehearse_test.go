package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	gobuild "go/build"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/gempir/go-twitch-irc/v4" // brings its recorded channel into the module cache, see realIRC
	"github.com/google/go-cmp/cmp"
)

const exampleRecording = root + "/examples/stream-operations-staff/stream.jsonl"

// command runs the program and gives its exit code and what it wrote.
func runCommand(t *testing.T, stdin string, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, e lockedBuffer
	code = run(t.Context(), args, system{Env: func(string) (string, bool) { return "", false }, In: strings.NewReader(stdin), Out: &o, Err: &e})
	return code, o.String(), e.String()
}

func rehearseExample(t *testing.T) (outcome, string) {
	t.Helper()
	report := filepath.Join(t.TempDir(), "out.md")
	code, out, errs := runCommand(t, "", "rehearse", exampleRecording, "-report", report, "-json")
	if code != 0 {
		t.Fatalf("rehearse: exit %d\n%s", code, errs)
	}
	var got outcome
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	return got, string(text)
}

// TestRehearseTheExample holds what a newcomer sees: enough cards of enough kinds, something to decide, evidence that exists, and the same again.
func TestRehearseTheExample(t *testing.T) {
	t.Parallel()
	got, report := rehearseExample(t)
	ids := recordingIDs(t)
	kinds := map[string]int{}
	for _, c := range got.Cards {
		kinds[c.Kind]++
		if c.Observed == "" || c.Suggested == "" || len(c.Evidence) == 0 {
			t.Errorf("card %s says %q and %q with %d pieces of evidence", c.ID, c.Observed, c.Suggested, len(c.Evidence))
		}
		for _, id := range c.Evidence {
			if !ids[id] {
				t.Errorf("card %s cites %q, which is not in the recording", c.ID, id)
			}
		}
	}
	if len(got.Cards) < 8 || len(kinds) < 5 {
		t.Errorf("%d cards of %d kinds (%v), want at least 8 of 5", len(got.Cards), len(kinds), kinds)
	}
	if len(got.Approvals) < 1 || len(got.Questions) < 1 {
		t.Errorf("%d approvals and %d questions, want at least one of each", len(got.Approvals), len(got.Questions))
	}
	if c := got.Counts; c.Records != c.Read+c.Skipped+c.Duplicates || c.Read < 400 || c.Analysed != c.Read {
		t.Errorf("counts do not add up: %+v", c)
	}
	if !strings.HasPrefix(report, "# ") || len(report) < 1500 {
		t.Errorf("the report is %d bytes:\n%s", len(report), report)
	}
	again, sameReport := rehearseExample(t)
	if diff := cmp.Diff(got.Cards, again.Cards); diff != "" {
		t.Errorf("the second run gives other cards:\n%s", diff)
	}
	if diff := cmp.Diff(stripTimes(report), stripTimes(sameReport)); diff != "" {
		t.Errorf("the second run gives another report:\n%s", diff)
	}
}

// stripTimes leaves out the lines that say how long this machine took.
func stripTimes(report string) string {
	var out []string
	for line := range strings.Lines(report) {
		if !strings.Contains(line, "ms") && !strings.Contains(line, "2026-") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}

func recordingIDs(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(exampleRecording)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		var c struct{ ID string }
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		ids[c.ID] = true
	}
	return ids
}

// TestRehearseRealIRC plays 5,000 lines of a real channel, from the module cache so that nobody's words are kept here, and accounts for each.
func TestRehearseRealIRC(t *testing.T) {
	t.Parallel()
	file := realIRC(t)
	code, out, errs := runCommand(t, "", "rehearse", file, "-json")
	if code != 0 {
		t.Fatalf("exit %d\n%s", code, errs)
	}
	var got outcome
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	c := got.Counts
	var reasons int64
	for _, n := range c.Reasons {
		reasons += n
	}
	if c.Records != 5000 || c.Read+c.Skipped+c.Duplicates != 5000 || reasons != c.Skipped || c.Read < 4900 {
		t.Errorf("counts %+v: want 5000 records, each read, skipped with a reason, or duplicate", c)
	}
	t.Logf("%+v; %d cards", c, len(got.Cards))
}

// realIRC finds the recorded channel of go-twitch-irc, which is in go.mod for this and its parser cases alone.
func realIRC(t *testing.T) string {
	t.Helper()
	out, err := exec.Command(filepath.Join(gobuild.Default.GOROOT, "bin", "go"), "list", "-m", "-f", "{{.Dir}}", "github.com/gempir/go-twitch-irc/v4").Output()
	if err != nil {
		out, err = exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/gempir/go-twitch-irc/v4").Output()
	}
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "test_resources", "channel.txt.gz")
}

func TestRehearseTellsWhatIsWrong(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name string, text []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var zip bytes.Buffer
	w := gzip.NewWriter(&zip)
	fmt.Fprintln(w, "not a chat")
	w.Close()
	for _, tt := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"a file that is not there", []string{"rehearse", filepath.Join(dir, "none.jsonl")}, 1, "cannot be read"},
		{"a folder", []string{"rehearse", dir}, 1, "is a folder"},
		{"no file", []string{"rehearse"}, 2, "takes one recording"},
		{"an empty file", []string{"rehearse", write("empty.jsonl", nil)}, 1, "empty"},
		{"a picture", []string{"rehearse", write("x.png", []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"))}, 1, "not a chat recording"},
		{"gzip of prose", []string{"rehearse", write("x.gz", zip.Bytes())}, 1, "not a chat recording"},
		{"a cut gzip", []string{"rehearse", write("cut.gz", zip.Bytes()[:12])}, 1, "not a chat recording"},
		{"an unknown report form", []string{"rehearse", exampleRecording, "-report", "x.pdf"}, 2, ".md, .json, .csv or .html"},
		{"an absurd speed", []string{"rehearse", exampleRecording, "-speed", "-1"}, 2, "between 0"},
		{"an unknown command", []string{"rehears"}, 2, "no command"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			code, out, errs := runCommand(t, "", tt.args...)
			if code != tt.code || !strings.Contains(errs, tt.says) || out != "" {
				t.Errorf("exit %d, said %q and %q; want exit %d and a word of %q", code, errs, out, tt.code, tt.says)
			}
		})
	}
}
