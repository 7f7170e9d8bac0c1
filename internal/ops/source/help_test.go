package source_test

import (
	"bytes"
	"io"
	"testing"

	"urakata/internal/ops/comment"
	"urakata/internal/ops/source"
)

// file makes a recording of a text.
func file(text string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader([]byte(text))), nil }
}

// play reads a whole recording, and holds it to what every recording must do: counts that add up, ids that are not empty and not there twice.
func play(t testing.TB, text string, cfg source.ReplayConfig) ([]comment.Comment, []source.Skip, source.Health) {
	t.Helper()
	cfg.Open = file(text)
	r, err := source.NewReplay(cfg)
	if err != nil {
		t.Fatalf("NewReplay: %v", err)
	}
	defer r.Close()
	got, skips, err := source.ReadAll(t.Context(), r)
	if err != nil {
		t.Fatalf("ReadAll: %v", err)
	}
	h := r.Health()
	sane(t, got, h.Counts)
	return got, skips, h
}

func sane(t testing.TB, got []comment.Comment, c source.Counts) {
	t.Helper()
	var reasons int64
	for _, n := range c.Reasons {
		reasons += n
	}
	if c.Records != c.Read+c.Skipped+c.Duplicates || c.Read != int64(len(got)) || reasons != c.Skipped {
		t.Errorf("counts do not add up to %d comments: %+v", len(got), c)
	}
	ids := map[string]bool{}
	for _, g := range got {
		if g.ID == "" || ids[string(g.Platform)+g.ID] {
			t.Errorf("id %q is empty or there twice", g.ID)
		}
		ids[string(g.Platform)+g.ID] = true
	}
}
