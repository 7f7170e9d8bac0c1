package comment

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxRunes and maxBytes bound what is read of one text; what lies beyond makes the text long, which is a finding of its own.
const (
	maxRunes = 2000
	maxBytes = 8 << 10
)

// class is the script of a folded rune; the zero value separates words.
type class uint8

const (
	separator class = iota
	latin
	digit
	hiragana
	katakana
	han
	hangul
	letter // any other script
)

// view is a folded text. Rune i came from the original bytes [at[i], to[i]).
type view struct {
	r    []rune
	at   []int32
	to   []int32
	kind []class
}

func (v *view) reset() {
	v.r, v.at, v.to, v.kind = v.r[:0], v.at[:0], v.to[:0], v.kind[:0]
}

func (v *view) put(r rune, k class, at, to int32) {
	v.r = append(v.r, r)
	v.at = append(v.at, at)
	v.to = append(v.to, to)
	v.kind = append(v.kind, k)
}

// span gives the original bytes of the runes [i, j). Reversed runs have their bytes backwards, hence the minimum and maximum.
func (v *view) span(i, j int) [2]int {
	if i >= j || j > len(v.at) {
		return [2]int{}
	}
	lo, hi := min(v.at[i], v.at[j-1]), max(v.to[i], v.to[j-1])
	return [2]int{int(lo), int(hi)}
}

// oddities counts what a plain reader does not see.
type oddities struct {
	marks     int // combining marks that decorate
	invisible int // zero-width and formatting controls
	override  int // byte offset just after a bidirectional override, 0 for none
	letters   int
	emoji     int // pictures, a joined family counted once
	latins    int
	smuggled  bool // invisible ASCII was read
	joined    bool // the rune before was a joiner
	strange   bool // look-alike letters of another script were read as Latin
}

// fold reads s into v and says what was odd about it. It is linear in the bytes read.
func fold(v *view, s string) oddities {
	v.reset()
	var o oddities
	if len(s) > maxBytes {
		s = cutAt(s, maxBytes)
	}
	if simple(s) {
		for i, r := range s {
			if len(v.r) >= maxRunes {
				break
			}
			o.take(v, r, i, i+utf8.RuneLen(r))
		}
	} else {
		foldComposed(v, s, &o)
	}
	if o.strange {
		foldLookalikes(v, &o)
	}
	return o
}

// foldComposed walks s segment by segment, so that composed runes keep the bytes of all their parts.
func foldComposed(v *view, s string, o *oddities) {
	var it norm.Iter
	it.InitString(norm.NFKC, s)
	for !it.Done() && len(v.r) < maxRunes {
		from := it.Pos()
		part := it.Next()
		to := it.Pos()
		if it.Done() {
			to = len(s)
		}
		for len(part) > 0 {
			r, n := utf8.DecodeRune(part)
			o.take(v, r, from, to)
			part = part[n:]
		}
	}
}

// take folds one rune into the view.
func (o *oddities) take(v *view, r rune, at, to int) {
	if to <= at {
		to = at + 1 // a broken byte
	}
	if r < utf8.RuneSelf {
		o.takeASCII(v, r, int32(at), int32(to))
		return
	}
	switch {
	case hiddenTag(r): // invisible ASCII: what it spells is read, so that smuggled orders are found
		if o.invisible++; !o.smuggled && len(v.r) > 0 {
			v.put(' ', separator, int32(at), int32(to))
		}
		o.smuggled = true
		o.takeASCII(v, r-0xE0000, int32(at), int32(to))
		return
	case invisible(r):
		if r == 0x202D || r == 0x202E {
			o.override = to
		}
		if o.joined = r == 0x200D; !o.joined && r != 0xFE0F {
			o.invisible++
		}
		return
	case decorates(r):
		o.marks++
		return
	case r == '○' || r == '◯': // a letter left out, as in ○ね
		r = '〇'
	case r >= 0xFF01 && r <= 0xFF5E:
		o.takeASCII(v, r-0xFEE0, int32(at), int32(to))
		return
	}
	r = unicode.ToLower(r)
	if f, ok := foldLatin[r]; ok {
		r = f
	}
	k := classOf(r)
	switch k {
	case separator:
		if r == 0x3000 || unicode.IsSpace(r) {
			r = ' '
		} else if picture(r) {
			if !o.joined {
				o.emoji++
			}
			o.joined = false
		}
	case latin:
		o.latins++
		o.letters++
	case letter:
		if _, ok := lookalike[r]; ok {
			o.strange = true
		}
		o.letters++
	default:
		o.letters++
	}
	v.put(r, k, int32(at), int32(to))
}

func (o *oddities) takeASCII(v *view, r rune, at, to int32) {
	switch {
	case r >= 'a' && r <= 'z':
		o.latins++
		o.letters++
		v.put(r, latin, at, to)
	case r >= 'A' && r <= 'Z':
		o.latins++
		o.letters++
		v.put(r+'a'-'A', latin, at, to)
	case r >= '0' && r <= '9':
		v.put(r, digit, at, to)
	case r < ' ' && r != '\n' || r == 0x7F:
		v.put(' ', separator, at, to)
	default:
		v.put(r, separator, at, to)
	}
}

// foldLookalikes reads words that mix Latin with look-alikes, or that consist only of look-alikes inside a Latin text, as Latin.
func foldLookalikes(v *view, o *oddities) {
	o.strange = false
	for i := 0; i < len(v.r); {
		if v.kind[i] != latin && v.kind[i] != letter {
			i++
			continue
		}
		j, plain, alike, foreign := i, 0, 0, 0
		for ; j < len(v.r) && (v.kind[j] == latin || v.kind[j] == letter); j++ {
			if v.kind[j] == latin {
				plain++
			} else if _, ok := lookalike[v.r[j]]; ok {
				alike++
			} else {
				foreign++
			}
		}
		if alike > 0 && foreign == 0 && (plain > 0 || o.latins*2 > o.letters) {
			for k := i; k < j; k++ {
				if l, ok := lookalike[v.r[k]]; ok {
					v.r[k], v.kind[k] = l, latin
				}
			}
			o.strange = true
		}
		i = j
	}
}

// words makes the view terms are matched in: katakana read as hiragana (its class stays katakana), runs of separators made one,
// apostrophes inside words and drawn-out marks dropped, letters repeated three times or more kept twice.
func words(dst, src *view) {
	dst.reset()
	for i, r := range src.r {
		k, n := src.kind[i], len(dst.r)
		if k == separator {
			wordGap(dst, src, i)
			continue
		}
		if k == katakana && n > 0 && (r == 'ー') && (dst.kind[n-1] == hiragana || dst.r[n-1] == 'ー') {
			continue
		}
		if k == katakana && r >= 'ァ' && r <= 'ヶ' {
			r -= 'ァ' - 'ぁ'
		}
		if k == latin && n >= 2 && dst.r[n-1] == r && dst.r[n-2] == r {
			continue
		}
		dst.put(r, k, src.at[i], src.to[i])
	}
}

// wide is a gap of several spaces; between s p a c e d letters it parts the words.
const wide = '\u2003'

// wordGap adds the separator at i, or strengthens the one already there.
func wordGap(dst, src *view, i int) {
	r, n := gap(src.r[i]), len(dst.r)
	if r == '\'' {
		if n > 0 && dst.kind[n-1] == latin && i+1 < len(src.r) && src.kind[i+1] == latin {
			return
		}
		r = ' '
	}
	if n == 0 || dst.kind[n-1] != separator {
		dst.put(r, separator, src.at[i], src.to[i])
		return
	}
	if stronger(r, dst.r[n-1]) {
		dst.r[n-1] = r
	} else if r == ' ' && dst.r[n-1] == ' ' {
		dst.r[n-1] = wide
	}
	dst.to[n-1] = src.to[i]
}

// gap names a separator by what it does: '\n' line, '?' question, '.' stop, ',' pause, '*' decoration, ' ' space.
func gap(r rune) rune {
	switch r {
	case ' ', '\t':
		return ' '
	case '\n', '\r':
		return '\n'
	case '?', '¿', '⁇', '⸮':
		return '?'
	case '.', '!', '。', '…', '¡', ';':
		return '.'
	case ',', '、', ':', '(', ')', '「', '」', '"':
		return ','
	case '\'', '’', 'ʼ', '`', '‘', '´':
		return '\''
	}
	return '*'
}

func stronger(a, b rune) bool {
	rank := func(r rune) int {
		switch r {
		case '?':
			return 5
		case '\n':
			return 4
		case '.':
			return 3
		case ',':
			return 2
		case '*':
			return 1
		}
		return 0
	}
	return rank(a) > rank(b)
}

// cutAt cuts s at the last rune that ends within n bytes.
func cutAt(s string, n int) string {
	if n >= len(s) {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
