package views

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"urakata/internal/lang"
	"urakata/internal/ops"
)

var update = flag.Bool("update", false, "write the golden files anew")

// What changes with every edit of a style or script is no part of a page's shape.
var hashes = regexp.MustCompile(`\.[0-9a-f]{12}\.(css|js|svg)`)

// golden breaks the markup into a line a tag, so that a difference can be read.
func golden(text string) string {
	return strings.ReplaceAll(hashes.ReplaceAllString(text, ".$1"), "><", ">\n<") + "\n"
}

func TestPartsLookAsTheyDid(t *testing.T) {
	t.Parallel()
	s := Samples{Moment: moment}
	item := s.Items()[0]
	parts := map[string]string{}
	for _, tag := range lang.Languages() {
		ctx := setFor(t, tag)
		parts["gallery."+tag] = draw(t, ctx, Gallery(s.Page("", GalleryPath), s))
		parts["partials."+tag] = draw(t, ctx, ItemPartial(item)) + draw(t, ctx, ItemPartial(s.Items()[5])) + draw(t, ctx, CardPartial(s.Cards()[1], s.Person())) +
			draw(t, ctx, ChatRows("str-1", s.Chat()[:2])) + draw(t, ctx, NavCounts(Counts{Pending: 2, Worst: ops.High, Stuck: 1})) +
			draw(t, ctx, ErrorNotice(ErrorPage{Status: 500, Request: "r-1"}))
	}
	for name, text := range parts {
		path, got := filepath.Join("testdata", name+".html"), golden(text)
		if *update {
			write(t, path, got)
			continue
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatalf("%v: run go test ./views -run Parts -update", err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}
