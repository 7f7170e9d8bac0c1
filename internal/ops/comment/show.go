package comment

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Mask hides the spans of rules in text behind ●, one for each rune, so that a page can show a withheld comment without its words. Rules
// about names or about several comments have no span in the text and change nothing.
func Mask(text string, rules []Rule) string {
	var b strings.Builder
	b.Grow(len(text))
	for i, r := range text {
		n := utf8.RuneLen(r)
		if r == utf8.RuneError {
			_, n = utf8.DecodeRuneInString(text[i:])
		}
		hidden := false
		for k := range rules {
			s := rules[k].Span
			hidden = hidden || !rules[k].InName && i < s[1] && s[0] < i+n
		}
		switch {
		case hidden && !unicode.IsSpace(r):
			b.WriteRune('●')
		default:
			b.WriteString(text[i : i+n])
		}
	}
	return b.String()
}

// Visible writes controls, invisible and direction-changing characters as ⟨U+202E⟩, so that a person who approves a text sees what is in it.
// Line feeds stay.
func Visible(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	last := ' '
	for i, r := range text {
		joins := r == 0xFE0F || r == 0x200D && (picture(last) || last == 0xFE0F)
		last = r
		switch {
		case joins: // a part of the picture before it
			b.WriteRune(r)
		case r == '\n':
			b.WriteByte('\n')
		case r == utf8.RuneError:
			_, n := utf8.DecodeRuneInString(text[i:])
			if n == 1 {
				fmt.Fprintf(&b, "⟨%02X⟩", text[i])
			} else {
				b.WriteRune(r)
			}
		case unicode.IsControl(r), invisible(r), unicode.Is(unicode.Zs, r) && r != ' ' && r != 0x3000, r == 0x2028, r == 0x2029:
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
