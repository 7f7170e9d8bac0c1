package comment

// asking is what a question wants to know; the tag of its question word.
type asking struct {
	yes  bool
	want tag // tagWhat, tagWhen … ; tagCan for yes or no; 0 unknown
}

// anywhere lists openings that ask wherever they stand; others must begin a clause.
var anywhere = setOfPhrases("can you", "could you", "would you", "will you", "do you", "does it", "did you", "have you", "are there", "anyone know", "any chance", "any idea", "any plans", "does anyone",
	"has anyone", "is there", "alguien sabe", "hay discord", "hay algun")

func setOfPhrases(list ...string) map[string]bool {
	m := map[string]bool{}
	for _, s := range list {
		m[s] = true
	}
	return m
}

// question decides whether the text asks something, with a mark or without.
func question(w *view, f *finds) asking {
	var a asking
	mark, letters := false, 0
	for i, r := range w.r {
		if w.kind[i] != separator {
			letters++
		} else if r == '?' {
			mark = true
		}
	}
	if letters == 0 {
		return a
	}
	for _, h := range f.hits {
		if h.tag < tagWhat || h.tag > tagAsking || f.exclaimed(h) {
			continue
		}
		if !mark && !asks(w, f, h) {
			continue
		}
		a.yes = true
		if better(h.tag, a.want) {
			a.want = h.tag
		}
	}
	if mark && letters > 1 {
		a.yes = true
	}
	return a
}

// asks reports that h asks without a mark's help.
func asks(w *view, f *finds, h hit) bool {
	switch h.lang {
	case "ja", "ko", "zh":
		return true
	case "es":
		if h.tag == tagCan {
			return anywhere[h.word] || opens(w, h.from) && (h.word == "puedes" || h.word == "podrias" || h.word == "te gusta") || has(w, 0, []rune("que ")) && !f.has(tagExclaim)
		}
		accented := int(w.to[h.to-1]-w.at[h.from]) > h.to-h.from
		return accented || opens(w, h.from) && len(w.r) < 60
	}
	if h.tag == tagCan && !anywhere[h.word] {
		return opens(w, h.from)
	}
	spaces := 0
	for _, r := range h.runes {
		if r == ' ' {
			spaces++
		}
	}
	return opens(w, h.from) || spaces > 0 && h.from > 0 && w.r[h.from-1] == ' ' && h.tag != tagWhere
}

// opens reports that a clause begins at i.
func opens(w *view, i int) bool {
	if i == 0 || w.kind[i-1] != separator || w.r[i-1] != ' ' {
		return true
	}
	for _, s := range []string{"so ", "and ", "but ", "hey ", "hi ", "btw ", "also ", "wait ", "y ", "pero ", "hola ", "oye ", "um ", "ok ", "just wondering ", "quick question "} {
		n := len(s)
		if i >= n && has(w, i-n, []rune(s)) && (i == n || w.kind[i-n-1] == separator) {
			return true
		}
	}
	return false
}

// exclaimed reports question words inside exclamations and indefinite words.
func (f *finds) exclaimed(q hit) bool {
	if !f.has(tagExclaim) {
		return false
	}
	for _, h := range f.hits {
		if h.tag == tagExclaim && h.from < q.to && q.from < h.to {
			return true
		}
	}
	return false
}

// better prefers the finer question word.
func better(a, b tag) bool {
	rank := func(t tag) int {
		switch t {
		case tagLong:
			return 9
		case tagMuch:
			return 8
		case tagWhen:
			return 7
		case tagWhy:
			return 6
		case tagWho:
			return 5
		case tagHow:
			return 4
		case tagWhat:
			return 3
		case tagWhere:
			return 2
		case tagCan, tagAsking:
			return 1
		}
		return 0
	}
	return rank(a) > rank(b)
}
