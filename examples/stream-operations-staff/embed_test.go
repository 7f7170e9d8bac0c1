package staffexample_test

import (
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
	"time"

	staffexample "urakata/examples/stream-operations-staff"
	"urakata/internal/ops/comment"
	"urakata/internal/ops/source"
)

func stream(t *testing.T) []comment.Comment {
	t.Helper()
	r, err := source.NewReplay(source.ReplayConfig{Name: staffexample.Stream, Open: func() (io.ReadCloser, error) { return staffexample.Files.Open(staffexample.Stream) }})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	comments, skips, err := source.ReadAll(t.Context(), r)
	if c := r.Health().Counts; err != nil || len(skips) > 0 || c.Records != c.Read {
		t.Fatalf("%+v, %v, %v", c, skips, err)
	}
	return comments
}

func TestTheStreamHoldsWhatTheReadmeSays(t *testing.T) {
	comments := stream(t)
	readme, err := fs.ReadFile(staffexample.Files, staffexample.Readme)
	if err != nil {
		t.Fatal(err)
	}
	if n := fmt.Sprintf("| %d comments", len(comments)); !strings.Contains(string(readme), n) {
		t.Errorf("the README does not say %q", n)
	}
	kinds, platforms, currencies, roles := map[comment.Kind]int{}, map[comment.Platform]int{}, map[string]int{}, map[string]int{}
	topics := map[string]bool{}
	last := comments[0].Offset
	for _, c := range comments {
		if c.Offset < last {
			t.Errorf("%s stands before the comment it follows", c.ID)
		}
		last = c.Offset
		kinds[c.Kind]++
		platforms[c.Platform]++
		if c.Money != nil {
			currencies[c.Money.Currency]++
		}
		for _, r := range c.Author.Roles {
			roles[r]++
		}
		if c.Topic != "" {
			topics[c.Topic] = true
		}
	}
	if len(comments) < 400 || last < 19*time.Minute || last > 20*time.Minute || comments[0].Offset > 0 {
		t.Errorf("%d comments from %v to %v", len(comments), comments[0].Offset, last)
	}
	if kinds[comment.KindRaid] != 1 || kinds[comment.KindPaid] < 4 || kinds[comment.KindMembership] == 0 {
		t.Errorf("kinds: %v", kinds)
	}
	if platforms[comment.YouTube] < 100 || platforms[comment.Twitch] < 100 || len(platforms) != 2 {
		t.Errorf("platforms: %v", platforms)
	}
	if currencies["JPY"] == 0 || currencies["USD"] == 0 || len(currencies) != 2 {
		t.Errorf("currencies: %v", currencies)
	}
	if roles["owner"] == 0 || roles["moderator"] == 0 || len(topics) != 2 || !topics[staffexample.Topic] {
		t.Errorf("roles %v, topics %v", roles, topics)
	}
}

func TestTheStreamBeginsWithSomethingToSee(t *testing.T) {
	askers, deaf, insults := map[string]bool{}, map[string]bool{}, 0
	for _, c := range stream(t) {
		if c.Offset > 2*time.Minute {
			break
		}
		text := strings.ToLower(c.Text)
		switch {
		case strings.Contains(text, "マイク"), strings.Contains(text, "mic"), strings.Contains(text, "麦克风"), strings.Contains(text, "마이크"):
			askers[c.Author.ID] = true
		case strings.Contains(text, "音"), strings.Contains(text, "sound"), strings.Contains(text, "audio"), strings.Contains(text, "声音"), strings.Contains(text, "소리"):
			deaf[c.Author.ID] = true
		}
		if c.Author.Name == "kuroi_tsume_x" {
			insults++
		}
	}
	if len(askers) < 10 || len(deaf) < 10 || insults < 2 {
		t.Errorf("within two minutes: %d ask about the microphone, %d hear nothing, %d insults", len(askers), len(deaf), insults)
	}
}

func TestBriefsAreInBothLanguages(t *testing.T) {
	for _, name := range []string{staffexample.Nagi, staffexample.Haru, staffexample.Readme} {
		text, err := fs.ReadFile(staffexample.Files, name)
		if err != nil || !strings.Contains(string(text), "## 日本語") || len(text) > 8<<10 {
			t.Errorf("%s: %d bytes, %v", name, len(text), err)
		}
	}
}
