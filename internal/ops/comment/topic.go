package comment

import "strings"

// theme is a topic ready to be compared with comments.
type theme struct {
	text     string
	words    [][]rune // Latin words and short runs of other scripts
	pairs    [][2]rune
	subjects map[Subject]bool
}

var dull = setOf("the of and a an with to in on for live stream my our us el la los de y en con un una directo talk chat day part vol ep")

// themeOf reads a topic.
func (l *lexicon) themeOf(text string) *theme {
	t := &theme{text: text, subjects: map[Subject]bool{}}
	if strings.TrimSpace(text) == "" {
		return t
	}
	var plain, w view
	var f finds
	fold(&plain, text)
	words(&w, &plain)
	f.look(l, &w)
	for _, h := range f.hits {
		if s := subjectOf[h.tag]; s != "" {
			t.subjects[s] = true
		}
	}
	for i := 0; i < len(w.r); {
		j := i + 1
		for j < len(w.r) && script(w.kind[j]) == script(w.kind[i]) {
			j++
		}
		t.take(w.r[i:j], w.kind[i])
		i = j
	}
	return t
}

func (t *theme) take(r []rune, k class) {
	switch {
	case k == separator || k == digit || len(r) < 2:
	case !eastern(k):
		if !dull[string(r)] {
			t.words = append(t.words, append([]rune(nil), r...))
		}
	case len(r) <= 3:
		t.words = append(t.words, append([]rune(nil), r...))
	default:
		for i := 1; i < len(r); i++ {
			t.pairs = append(t.pairs, [2]rune{r[i-1], r[i]})
		}
	}
}

// script groups classes that run together in a word.
func script(k class) class {
	if k == letter {
		return latin
	}
	return k
}

// related reports whether a comment speaks of the topic: by its words, or by a subject both belong to.
func (t *theme) related(w *view, f *finds) bool {
	for s := range t.subjects {
		for _, h := range f.hits {
			if subjectOf[h.tag] == s {
				return true
			}
		}
	}
	for _, word := range t.words {
		for i := range w.r {
			if w.r[i] != word[0] || !has(w, i, word) {
				continue
			}
			end := i + len(word)
			if eastern(w.kind[i]) || (i == 0 || script(w.kind[i-1]) != latin) && (end == len(w.r) || script(w.kind[end]) != latin || w.r[end] == 's' && (end+1 == len(w.r) || w.kind[end+1] == separator)) {
				return true
			}
		}
	}
	found := 0
	for _, p := range t.pairs {
		for i := 1; i < len(w.r); i++ {
			if w.r[i-1] == p[0] && w.r[i] == p[1] {
				found++
				break
			}
		}
	}
	return found >= 2 || found == 1 && len(t.pairs) <= 2
}

// fineness orders concepts: a thing on the desk says more than the art made with it.
var fineness = map[tag]int{
	tagMic: 9, tagTablet: 9, tagBrush: 9, tagCamera: 9, tagMachine: 8, tagSoftware: 8, tagEnd: 7, tagMusic: 6, tagFood: 6, tagVoice: 5, tagLag: 5, tagStutter: 5, tagNoSound: 5, tagNoPicture: 5,
	tagNoise: 5, tagAudio: 4, tagVideo: 4, tagGame: 4, tagArt: 4, tagStreamer: 3, tagSchedule: 2, tagChat: 1,
}

// subject names what the text is about, and the finer concept it was recognised by.
func subject(f *finds) (Subject, tag) {
	var best tag
	for _, h := range f.hits {
		if n := fineness[h.tag]; n > 0 && n > fineness[best] {
			best = h.tag
		}
	}
	return subjectOf[best], best
}
