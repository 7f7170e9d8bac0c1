package comment

import (
	"embed"
	"fmt"
	"strings"
	"sync"
)

//go:embed lexicon/*.tsv
var lexiconFiles embed.FS

// mode says where a term may stand.
type mode uint8

const (
	inside  mode = iota // anywhere
	word                // between non-letters of its alphabet
	stem                // at the start of a word
	run                 // a whole run of katakana
	whole               // between separators
	command             // at the end of a clause, as an order: nothing, a softening particle or the same again may follow
	kana                // hiragana that touches no other hiragana
	alone               // command, and a separator before it
)

var modeNames = map[string]mode{"s": inside, "w": word, "p": stem, "k": run, "t": whole, "c": command, "a": alone}

// term is one entry of the lexicon, folded as texts are.
type term struct {
	runes  []rune
	tag    tag
	mode   mode
	lang   string
	before [][]rune // texts that, standing before the term, make it harmless
	after  [][]rune
	word   string
	kata   bool // begins in katakana, and counts only so
	hira   bool // a short word of hiragana, and counts only so
}

// hit is a term found in a view at the runes [from, to).
type hit struct {
	*term
	from, to int
}

// lexicon finds terms by their first two runes. It is built once and never changes.
type lexicon struct {
	terms  map[uint64][]*term
	firsts [1 << 12]bool    // runes (hashed) that begin a term
	masked map[int][][]rune // words worth restoring from s**rs, by length
}

var shared = sync.OnceValues(func() (*lexicon, error) {
	l := &lexicon{terms: map[uint64][]*term{}, masked: map[int][][]rune{}}
	files, err := lexiconFiles.ReadDir("lexicon")
	if err != nil {
		return nil, fmt.Errorf("read lexicon: %w", err)
	}
	for _, f := range files {
		data, err := lexiconFiles.ReadFile("lexicon/" + f.Name())
		if err != nil {
			return nil, fmt.Errorf("read lexicon: %w", err)
		}
		lang := strings.TrimSuffix(f.Name(), ".tsv")
		if lang == "any" {
			lang = ""
		}
		for n, line := range strings.Split(string(data), "\n") {
			if err := l.read(line, lang); err != nil {
				return nil, fmt.Errorf("lexicon %s line %d: %w", f.Name(), n+1, err)
			}
		}
	}
	return l, nil
})

// words of the language files; a broken file is a programmer's mistake that every test sees.
func sharedLexicon() *lexicon {
	l, err := shared()
	if err != nil {
		panic(err)
	}
	return l
}

// read adds one line: tag, mode, terms separated by |, guards separated by | where <x means "not after x" and >x "not before x".
func (l *lexicon) read(line, lang string) error {
	line = strings.TrimRight(line, "\r")
	if line == "" || line[0] == '#' {
		return nil
	}
	cols := strings.Split(line, "\t")
	if len(cols) < 3 {
		return fmt.Errorf("want tag, mode and terms, got %d columns", len(cols))
	}
	t, ok := tagNames[cols[0]]
	if !ok {
		return fmt.Errorf("no tag %q", cols[0])
	}
	m, ok := modeNames[cols[1]]
	if !ok {
		return fmt.Errorf("no mode %q", cols[1])
	}
	var guards string
	if len(cols) > 3 {
		guards = cols[3]
	}
	for w := range strings.SplitSeq(cols[2], "|") {
		if err := l.add(w, t, m, lang, guards); err != nil {
			return err
		}
	}
	return nil
}

func (l *lexicon) add(w string, t tag, m mode, lang, guards string) error {
	e := &term{runes: foldTerm(w), tag: t, mode: m, lang: lang, word: w}
	if len(e.runes) == 0 {
		return fmt.Errorf("empty term %q", w)
	}
	for g := range strings.SplitSeq(guards, "|") {
		switch {
		case g == "":
		case g[0] == '<':
			e.before = append(e.before, foldTerm(g[1:]))
		case g[0] == '>':
			e.after = append(e.after, foldTerm(g[1:]))
		default:
			return fmt.Errorf("guard %q must begin with < or >", g)
		}
	}
	e.hira = len(e.runes) <= 3
	for i, r := range w {
		e.kata = e.kata || i == 0 && classOf(r) == katakana
		e.hira = e.hira && classOf(r) == hiragana
	}
	k := termKey(e.runes, 0)
	l.terms[k] = append(l.terms[k], e)
	l.firsts[slot(e.runes[0])] = true
	if (t == tagCrude || t == tagProfane || t == tagInsult || t == tagSexual) && plainASCII(w) && len(w) >= 4 {
		l.masked[len(w)] = append(l.masked[len(w)], e.runes)
	}
	return nil
}

// foldTerm folds a term or guard as texts are folded; separators become spaces.
func foldTerm(s string) []rune {
	var plain, w view
	fold(&plain, s)
	words(&w, &plain)
	for i, k := range w.kind {
		if k == separator {
			w.r[i] = ' '
		}
	}
	return w.r
}

func plainASCII(w string) bool {
	for i := range len(w) {
		if w[i] < 'a' || w[i] > 'z' {
			return false
		}
	}
	return true
}

func slot(r rune) int { return int(uint32(r)*2654435761>>20) & (1<<12 - 1) }

// termKey packs the runes at i and i+1; a term of one rune has no second.
func termKey(r []rune, i int) uint64 {
	k := uint64(r[i]) << 32
	if i+1 < len(r) {
		k |= uint64(r[i+1])
	}
	return k
}

// find appends all hits in v to hits, in order of their start.
func (l *lexicon) find(hits []hit, v *view) []hit {
	for i, r := range v.r {
		if v.kind[i] == separator || !l.firsts[slot(r)] {
			continue
		}
		for _, t := range l.terms[uint64(r)<<32] {
			hits = t.try(hits, v, i)
		}
		if i+1 == len(v.r) {
			break
		}
		second := v.r[i+1]
		if v.kind[i+1] == separator {
			second = ' '
		}
		for _, t := range l.terms[uint64(r)<<32|uint64(second)] {
			hits = t.try(hits, v, i)
		}
	}
	return hits
}

// try appends a hit if t stands at i.
func (t *term) try(hits []hit, v *view, i int) []hit {
	if !has(v, i, t.runes) {
		return hits
	}
	j := i + len(t.runes)
	if !t.stands(v, i, j) {
		return hits
	}
	for _, g := range t.after {
		if has(v, j, g) || j < len(v.r) && v.kind[j] == separator && has(v, j+1, g) {
			return hits
		}
	}
	for _, g := range t.before {
		if has(v, i-len(g), g) || i > 0 && v.kind[i-1] == separator && has(v, i-1-len(g), g) {
			return hits
		}
	}
	return append(hits, hit{term: t, from: i, to: j})
}

// has reports that v reads want at i; a space stands for any separator.
func has(v *view, i int, want []rune) bool {
	if i < 0 || i+len(want) > len(v.r) {
		return false
	}
	for k, r := range want {
		if v.r[i+k] != r && (r != ' ' || v.kind[i+k] != separator) {
			return false
		}
	}
	return true
}

// stands reports whether the place [i, j) suits the term.
func (t *term) stands(v *view, i, j int) bool {
	before, after := separator, separator
	if i > 0 {
		before = v.kind[i-1]
	}
	if j < len(v.kind) {
		after = v.kind[j]
	}
	open := func(k class) bool { return k != latin && k != digit && k != letter }
	switch t.mode {
	case inside:
		first, last := v.kind[i], v.kind[j-1]
		if first == latin && before == latin || last == latin && after == latin {
			return false
		}
		if t.tag.grave() && (t.kata && first != katakana || t.hira && first != hiragana) {
			return false
		}
		return !t.tag.grave() || !(first == katakana && before == katakana || last == katakana && after == katakana)
	case word:
		return open(before) && open(after)
	case stem:
		return open(before)
	case run:
		if v.kind[i] != katakana || before == katakana || after == katakana {
			return false
		}
		return after != han || strings.ContainsRune("主女男配野面声丸過運視信", v.r[j])
	case kana:
		return before != hiragana && after != hiragana
	case whole:
		return before == separator && after == separator
	case command:
		return ordered(v, t.runes, j)
	case alone:
		return before == separator && ordered(v, t.runes, j)
	}
	return true
}

// ordered reports that the clause ends at j: with a separator, a laugh, a softening particle, or the same order again.
func ordered(v *view, again []rune, j int) bool {
	if j >= len(v.r) || v.kind[j] == separator || v.kind[j] == latin || v.kind[j] == digit || has(v, j, again) {
		return true
	}
	switch v.r[j] {
	case 'っ':
		return j+1 >= len(v.r) || v.r[j+1] != 'て' && v.r[j+1] != 'た'
	case 'よ', 'や', 'ぇ', 'ぉ', 'ー', '笑', '草', '吧', '啊', 'え', '라', '아':
		return true
	}
	return false
}

// starred returns the only kind of word src[i:j) can be when its stars stand for letters, nil if the lexicon knows none.
func (l *lexicon) starred(src *view, i, j int) []rune {
	for j > i && src.kind[j-1] == separator && src.r[j-1] != '*' && src.r[j-1] != '#' {
		j--
	}
	for _, w := range l.masked[j-i] {
		ok, letters := true, 0
		for k, r := range w {
			got := src.r[i+k]
			if got == r {
				letters++
			} else if got != '*' && got != '#' {
				ok = false
				break
			}
		}
		if ok && letters > 0 && src.r[i] == w[0] {
			return w
		}
	}
	return nil
}
