package lang

import (
	"encoding/json"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func catalogue(t *testing.T) *Catalogue {
	t.Helper()
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestEveryLanguageHasTheSameKeys(t *testing.T) {
	c := catalogue(t)
	want := c.Keys("en")
	for _, tag := range Languages()[1:] {
		if diff := cmp.Diff(want, c.Keys(tag)); diff != "" {
			t.Errorf("%s differs from en (-en +%s):\n%s", tag, tag, diff)
		}
	}
}

// Placeholders are read from the files, because a word that is not filled is seen by people only in the one sentence that lacks it.
func TestEveryLanguageUsesTheSamePlaceholders(t *testing.T) {
	names, err := fs.Glob(messages, "messages/*.en.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		en := placeholders(t, name)
		for _, tag := range Languages()[1:] {
			other := placeholders(t, strings.Replace(name, ".en.", "."+tag+".", 1))
			for key, want := range en {
				if got := other[key]; !slices.Equal(want, got) {
					t.Errorf("%s in %s of %s uses %v, English uses %v", key, tag, path.Base(name), got, want)
				}
			}
		}
	}
}

func placeholders(t *testing.T, name string) map[string][]string {
	t.Helper()
	raw, err := fs.ReadFile(messages, name)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	field := regexp.MustCompile(`\{\{[^}]*?\.([A-Za-z]+)[^}]*\}\}`)
	out := map[string][]string{}
	for key, v := range all {
		text, ok := v.(string)
		if forms, isForms := v.(map[string]any); isForms {
			text, ok = forms["other"].(string)
		}
		if !ok {
			t.Errorf("%s: %s is neither a text nor plural forms with \"other\"", name, key)
		}
		for _, m := range field.FindAllStringSubmatch(text, -1) {
			out[key] = append(out[key], m[1])
		}
		slices.Sort(out[key])
		out[key] = slices.Compact(out[key])
	}
	return out
}

func TestPrinter(t *testing.T) {
	c := catalogue(t)
	en, ja := c.Printer("en-GB"), c.Printer("ja-JP")
	at := time.Date(2026, 11, 14, 21, 4, 5, 0, time.UTC)
	for _, tt := range []struct{ name, got, want string }{
		{"unknown languages get English", c.Printer("tlh").Lang(), "en"},
		{"nonsense gets English", c.Printer("!").Lang(), "en"},
		{"a region is ignored", ja.Lang(), "ja"},
		{"one", en.Count("lang.ago.hours", 1), "1 hour ago"},
		{"many", en.Count("lang.ago.hours", 1200), "1,200 hours ago"},
		{"Japanese has no plural", ja.Count("lang.ago.hours", 1), "1時間前"},
		{"a missing key is seen", en.Text("lang.nothing"), "«lang.nothing»"},
		{"the zero printer prints keys", Printer{}.Text("lang.now"), "«lang.now»"},
		{"numbers are grouped", en.Number(int64(1234567)), "1,234,567"},
		{"decimals are short", en.Number(1.23456), "1.23"},
		{"clock", en.Clock(at), "9:04:05 PM"},
		{"clock in Japanese", ja.Clock(at), "21:04:05"},
		{"date in Japanese", ja.Date(at), "2026年11月14日 21:04"},
		{"offset with hours", en.Offset(3753 * time.Second), "1:02:33"},
		{"offset of minutes", en.Offset(153 * time.Second), "2:33"},
		{"offset before the start", en.Offset(-51 * time.Second), "-0:51"},
		{"now", en.Ago(0), "just now"},
		{"seconds ago", ja.Ago(12 * time.Second), "12秒前"},
		{"days ago", en.Ago(72 * time.Hour), "3 days ago"},
		{"yen have no decimals", ja.Money(1_200_000_000, "JPY"), "￥1,200"},
		{"dollars have two", en.Money(5_000_000, "USD"), "$5.00"},
		{"other dollars say which", en.Money(5_500_000, "CAD"), "CA$5.50"},
		{"a debt", en.Money(-5_000_000, "USD"), "-$5.00"},
		{"bits are not a currency", en.Money(500_000_000, "BITS"), "500 BITS"},
		{"share", en.Percent(0.372), "37%"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, tt.got, tt.want)
		}
	}
	if !en.Has("lang.now") || en.Has("lang.nothing") {
		t.Error("Has does not know what there is")
	}
}

func TestLoadNamesTheBadFile(t *testing.T) {
	for name, file := range map[string]string{
		"messages/a.en.json":   `{"b.key": "belongs to another part"}`,
		"messages/a.tlh.json":  `{"a.key": "x"}`,
		"messages/a.json":      `{"a.key": "x"}`,
		"messages/bad.en.json": `{"bad.key":`,
	} {
		_, err := load(fstest.MapFS{name: {Data: []byte(file)}})
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v, want an error that names it", name, err)
		}
	}
}
