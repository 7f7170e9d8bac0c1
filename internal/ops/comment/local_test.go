package comment

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

type sharedRow struct {
	ID        string   `json:"id"`
	Platform  Platform `json:"platform"`
	Text      string   `json:"text"`
	Timestamp int64    `json:"timestamp"`
	Author    Author   `json:"author"`
	Topic     string   `json:"topic"`
	Metadata  struct {
		SuperChat *struct {
			AmountMicros int64  `json:"amountMicros"`
			Currency     string `json:"currency"`
		} `json:"superChat"`
	} `json:"metadata"`
}

func readShared(t testing.TB, file string) []Comment {
	f, err := os.Open(file)
	if err != nil {
		t.Skip("no shared data here")
	}
	defer f.Close()
	var out []Comment
	in := bufio.NewScanner(f)
	in.Buffer(nil, 4<<20)
	for in.Scan() {
		var r sharedRow
		if err := json.Unmarshal(in.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		c := Comment{ID: r.ID, Platform: r.Platform, Text: r.Text, At: time.UnixMilli(r.Timestamp).UTC(), Author: r.Author, Topic: r.Topic}
		if s := r.Metadata.SuperChat; s != nil {
			c.Kind, c.Money = KindPaid, &Money{Micros: s.AmountMicros, Currency: s.Currency}
		}
		out = append(out, c)
	}
	return out
}

// TestAgreement scores the analyser on labelled comments that are not part of this repository; without them it is skipped.
func TestAgreement(t *testing.T) {
	tool, err := filepath.Abs("../../../../shared/tools/score-probes")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(tool); err != nil {
		t.Skip("no labelled comments here")
	}
	rows, err := exec.Command(tool, "--comments").Output()
	if err != nil {
		t.Skip("no labelled comments here")
	}
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.jsonl"), filepath.Join(dir, "out.jsonl")
	if err := os.WriteFile(in, rows, 0o600); err != nil {
		t.Fatal(err)
	}
	var buf []byte
	for _, a := range New(Stream{}).Take(readShared(t, in)...) {
		line, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		buf = append(append(buf, line...), '\n')
	}
	if err := os.WriteFile(out, buf, 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := exec.Command(tool, out).CombinedOutput()
	if err != nil {
		t.Fatalf("score: %v\n%s", err, got)
	}
	t.Logf("%s", got)
}

// BenchmarkLocal measures a recorded load that is not part of this repository.
func BenchmarkLocal(b *testing.B) {
	comments := readShared(b, "../../../../shared/data/corpus-20k.jsonl")
	b.ReportAllocs()
	for b.Loop() {
		New(Stream{}).Take(comments...)
	}
	b.ReportMetric(float64(b.N*len(comments))/b.Elapsed().Seconds(), "comments/s")
}
