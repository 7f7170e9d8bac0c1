package comment

import (
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// simple reports whether no rune of s composes or decomposes, so that s can be folded rune by rune. Most chat is simple.
func simple(s string) bool {
	for _, r := range s {
		switch {
		case r < 0x80, r >= 0xA1 && r < 0x250:
		case r >= 0x3041 && r <= 0x3096, r >= 0x30A1 && r <= 0x30FE, r >= 0x3000 && r <= 0x301F:
		case r >= 0x4E00 && r <= 0x9FFF, r >= 0xAC00 && r <= 0xD7A3, r >= 0xFF01 && r <= 0xFF5E:
		case r >= 0x200B && r <= 0x2027, r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x206F, r == 0xFE0F:
		case r >= 0x1F300 && r <= 0x1FAFF, r >= 0x2600 && r <= 0x27BF:
		case r >= 0x0410 && r <= 0x044F && r != 0x0419 && r != 0x0439:
		default:
			return false
		}
	}
	return true
}

// classOf names the script of a lower-case rune beyond ASCII (ASCII letters and digits included for callers that do not know).
func classOf(r rune) class {
	switch {
	case r >= 'a' && r <= 'z', r >= 0xC0 && r <= 0x24F && r != 0xD7 && r != 0xF7:
		return latin
	case r >= '0' && r <= '9':
		return digit
	case r >= 0x3041 && r <= 0x309F:
		return hiragana
	case r >= 0x30A1 && r <= 0x30FF && r != 0x30FB:
		return katakana
	case r >= 0x3400 && r <= 0x4DBF, r >= 0x4E00 && r <= 0x9FFF, r >= 0xF900 && r <= 0xFAFF, r == 0x3005, r == 0x3007, r >= 0x20000 && r <= 0x323AF:
		return han
	case r >= 0xAC00 && r <= 0xD7A3, r >= 0x1100 && r <= 0x11FF, r >= 0x3131 && r <= 0x318E:
		return hangul
	case r >= 0x2000 && r <= 0x2BFF, r >= 0x1F000:
		return separator
	case unicode.IsLetter(r), unicode.IsMark(r):
		return letter
	}
	return separator
}

// invisible reports runes that take no place: zero-width, formatting and variation controls, filler letters.
func invisible(r rune) bool {
	switch {
	case r == 0xAD, r == 0x34F, r == 0x61C, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5, r == 0x3164, r == 0xFFA0, r == 0xFEFF:
		return true
	case r >= 0x180B && r <= 0x180F, r >= 0x200B && r <= 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x206F:
		return true
	case r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0000 && r <= 0xE0FFF, r >= 0xFFF9 && r <= 0xFFFB:
		return true
	}
	return false
}

// hiddenTag reports the invisible twins of printable ASCII.
func hiddenTag(r rune) bool { return r >= 0xE0020 && r <= 0xE007E }

// decorates reports combining marks that Latin, Cyrillic and symbols carry; the marks other scripts need to be read are not among them.
func decorates(r rune) bool {
	switch {
	case r >= 0x300 && r <= 0x36F, r >= 0x483 && r <= 0x489, r >= 0x1AB0 && r <= 0x1AFF, r >= 0x1DC0 && r <= 0x1DFF, r >= 0x20D0 && r <= 0x20FF, r >= 0xFE20 && r <= 0xFE2F:
		return true
	}
	return false
}

// picture reports emoji that stand for themselves; joiners, skin tones and selectors are not counted.
func picture(r rune) bool {
	return r >= 0x1F000 && r <= 0x1FAFF && (r < 0x1F3FB || r > 0x1F3FF) || r >= 0x2600 && r <= 0x27BF || r == 0x2B50 || r == 0x2B55
}

// foldLatin gives the base letter of accented Latin, Greek and Cyrillic letters.
var foldLatin = baseLetters()

func baseLetters() map[rune]rune {
	m := map[rune]rune{'ı': 'i', 'ł': 'l', 'ø': 'o', 'đ': 'd', 'ħ': 'h', 'ŧ': 't', 'ɑ': 'a', 'ɡ': 'g', 'ɪ': 'i', 'ʏ': 'y', 'ʟ': 'l', 'ɴ': 'n', 'ʀ': 'r', 'ʙ': 'b', 'ɢ': 'g', 'ʜ': 'h',
		'ᴀ': 'a', 'ᴄ': 'c', 'ᴅ': 'd', 'ᴇ': 'e', 'ꜰ': 'f', 'ᴊ': 'j', 'ᴋ': 'k', 'ᴍ': 'm', 'ᴏ': 'o', 'ᴘ': 'p', 'ꜱ': 's', 'ᴛ': 't', 'ᴜ': 'u', 'ᴠ': 'v', 'ᴡ': 'w', 'ᴢ': 'z'}
	for r := rune(0xC0); r < 0x400; r++ {
		l := unicode.ToLower(r)
		d := []rune(norm.NFKD.String(string(l)))
		if len(d) > 1 && (d[0] >= 'a' && d[0] <= 'z' || d[0] >= 0x3B1 && d[0] <= 0x3C9) && decorates(d[1]) {
			m[l] = d[0]
		}
	}
	return m
}

// lookalike gives the Latin letter that letters of other alphabets are mistaken for.
var lookalike = map[rune]rune{
	'а': 'a', 'е': 'e', 'о': 'o', 'р': 'p', 'с': 'c', 'у': 'y', 'х': 'x', 'і': 'i', 'ј': 'j', 'ѕ': 's', 'һ': 'h', 'ԁ': 'd', 'ԛ': 'q', 'ԝ': 'w',
	'к': 'k', 'м': 'm', 'т': 't', 'в': 'b', 'н': 'h', 'ӏ': 'l', 'ь': 'b', 'п': 'n', 'г': 'r', 'ё': 'e', 'ї': 'i', 'ѵ': 'v',
	'α': 'a', 'ο': 'o', 'ν': 'v', 'ρ': 'p', 'τ': 't', 'υ': 'u', 'ι': 'i', 'κ': 'k', 'ε': 'e', 'η': 'n', 'χ': 'x', 'γ': 'y', 'ω': 'w', 'σ': 'o', 'ϲ': 'c', 'ϳ': 'j',
	'օ': 'o', 'ս': 'u', 'հ': 'h', 'ո': 'n', 'ց': 'g',
}

// leet gives the letter a digit or sign is written for.
func leet(r rune) (rune, bool) {
	switch r {
	case '0':
		return 'o', true
	case '1', '!', '|':
		return 'i', true
	case '3', '€':
		return 'e', true
	case '4', '@':
		return 'a', true
	case '5', '$':
		return 's', true
	case '7', '+':
		return 't', true
	case '8':
		return 'b', true
	case '9':
		return 'g', true
	}
	return r, false
}

// loosen makes the view for disguised texts: signs and digits inside words read as letters, starred words restored when the lexicon knows
// such a word, letters drawn out three times or more kept once, single letters with gaps between them joined. It reports whether the text is
// disguised at all; most are not, and then dst is not worth reading.
func (l *lexicon) loosen(dst, tmp, src *view) bool {
	if !disguised(src) {
		return false
	}
	tmp.reset()
	for i := 0; i < len(src.r); {
		j := i + 1
		for j < len(src.r) && !blank(src, i) && !blank(src, j) {
			j++
		}
		l.unmask(tmp, src, i, j)
		i = j
	}
	words(dst, tmp)
	join(dst)
	return true
}

func blank(v *view, i int) bool { return v.r[i] == ' ' || v.r[i] == '\n' }

// disguised looks for what loosen would change.
func disguised(v *view) bool {
	alone := -1 // where the last single letter stood
	for i, r := range v.r {
		k := v.kind[i]
		next := separator
		if i+1 < len(v.r) {
			next = v.kind[i+1]
		}
		switch {
		case k == latin && i > 1 && v.r[i-1] == r && v.r[i-2] == r:
			return true
		case k != latin && next == latin && i > 0 && (r == '*' || r == '#' || k == digit && v.kind[i-1] == latin):
			return true
		case k != latin && next == latin && r < 0x80:
			if _, ok := leet(r); ok && r != '@' && r != '+' {
				return true
			}
		case r == '*' && i > 0 && v.kind[i-1] == latin, r == '@' && i > 0 && v.kind[i-1] == latin && next == latin:
			return true
		}
		if k == separator || k == digit {
			if k == separator && i > 0 && eastern(v.kind[i-1]) && eastern(next) && gap(r) == '*' {
				return true
			}
			continue
		}
		if (i == 0 || v.kind[i-1] == separator) && next == separator {
			if alone >= 0 && i-alone <= 3 {
				return true
			}
			alone = i
		}
	}
	return false
}

func eastern(k class) bool { return k >= hiragana && k <= hangul }

// unmask appends the word src[i:j) to dst, its signs read as letters.
func (l *lexicon) unmask(dst, src *view, i, j int) {
	letters, stars, odd, address := 0, 0, 0, false
	for k := i; k < j; k++ {
		r := src.r[k]
		switch {
		case src.kind[k] == latin:
			letters++
		case r == '*' || r == '#':
			stars++
		case r == '/' || r == ':' || r == '.' && k+1 < j && src.kind[k+1] != separator:
			address = true
		default:
			if _, ok := leet(r); ok {
				odd++
			}
		}
	}
	if stars > 0 && letters > 0 {
		if w := l.starred(src, i, j); w != nil {
			for k := range w {
				dst.put(w[k], latin, src.at[i+k], src.to[i+k])
			}
			for k := i + len(w); k < j; k++ {
				dst.put(src.r[k], src.kind[k], src.at[k], src.to[k])
			}
			return
		}
	}
	for k := i; k < j; k++ {
		r, kind := src.r[k], src.kind[k]
		if kind != latin && odd > 0 && letters >= 2 && !address {
			if f, ok := leet(r); ok && (kind == digit || k > i && k+1 < j && src.kind[k+1] != separator || r == '$') {
				r, kind = f, latin
			}
		}
		if n := len(dst.r); kind == latin && n > 0 && dst.r[n-1] == r && k > i && drawnOut(src, i, j, k) {
			continue
		}
		dst.put(r, kind, src.at[k], src.to[k])
	}
}

// drawnOut reports that src.r[k] is one of three or more equal letters in src[i:j).
func drawnOut(src *view, i, j, k int) bool {
	same := func(x int) bool { return x >= i && x < j && src.r[x] == src.r[k] }
	return same(k-1) && (same(k-2) || same(k+1))
}

// join drops the gaps between single letters: "i d i o t", "し　ね", "ば★か★主". Kana and ideographs also lose decoration beside a single one.
func join(v *view) bool {
	n, changed := 0, false
	lone := func(i int) bool {
		if i < 0 || i >= len(v.r) || v.kind[i] == separator || v.kind[i] == digit {
			return false
		}
		return (i == 0 || v.kind[i-1] == separator) && (i+1 >= len(v.r) || v.kind[i+1] == separator)
	}
	drop := make([]bool, len(v.r))
	for i := 1; i+1 < len(v.r); i++ {
		if v.kind[i] != separator || v.r[i] == '\n' || v.r[i] == wide {
			continue
		}
		both := lone(i-1) && lone(i+1)
		cjk := v.kind[i-1] >= hiragana && v.kind[i-1] <= hangul && v.kind[i+1] >= hiragana && v.kind[i+1] <= hangul
		drop[i] = both || cjk && v.r[i] == '*' && (lone(i-1) || lone(i+1))
		changed = changed || drop[i]
	}
	if !changed {
		return false
	}
	for i := range v.r {
		if !drop[i] {
			v.r[n], v.at[n], v.to[n], v.kind[n] = v.r[i], v.at[i], v.to[i], v.kind[i]
			n++
		}
	}
	v.r, v.at, v.to, v.kind = v.r[:n], v.at[:n], v.to[:n], v.kind[:n]
	return true
}
