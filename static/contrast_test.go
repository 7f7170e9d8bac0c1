package static

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	block = regexp.MustCompile(`(?s)\[data-theme="(dark|light)"\] \{(.*?)\}`)
	token = regexp.MustCompile(`--([a-z-]+): (#[0-9a-f]{6})`)
)

// luminance is the relative luminance of WCAG.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	linear := func(c uint64) float64 {
		v := float64(c&255) / 255
		if v <= .04045 {
			return v / 12.92
		}
		return math.Pow((v+.055)/1.055, 2.4)
	}
	return .2126*linear(n>>16) + .7152*linear(n>>8) + .0722*linear(n)
}

func TestWordsCanBeReadInBothThemes(t *testing.T) {
	t.Parallel()
	themes := block.FindAllStringSubmatch(Text("css/tokens.css"), -1)
	if len(themes) != 2 {
		t.Fatalf("%d themes, want 2", len(themes))
	}
	for _, theme := range themes {
		colour := map[string]string{}
		for _, m := range token.FindAllStringSubmatch(theme[2], -1) {
			colour[m[1]] = m[2]
		}
		check := func(words, room string, least float64) {
			a, b := luminance(t, colour[words]), luminance(t, colour[room])
			if got := (max(a, b) + .05) / (min(a, b) + .05); got < least {
				t.Errorf("%s: %s on %s is %.2f:1, want %.1f:1", theme[1], words, room, got, least)
			}
		}
		for _, room := range []string{"bg", "panel", "raised", "well"} {
			for _, words := range []string{"text", "muted", "accent", "low", "medium", "high", "good", "paid"} {
				check(words, room, 4.5)
			}
			check("line-strong", room, 3)
			check("focus", room, 3)
		}
		for _, own := range []string{"low", "medium", "high", "paid", "accent"} {
			check(own, own+"-soft", 4.5)
			check("text", own+"-soft", 4.5)
		}
		check("on-accent", "accent", 4.5)
		check("muted", "paid-soft", 4.5)
		check("text", "mark", 4.5)
		check("muted", "mark", 4.5)
	}
}
