package comment

// language guesses the BCP 47 tag of a text from its scripts and, for Latin letters and lone ideographs, from its common words.
func language(p *view, f *finds, stream string) string {
	var n [letter + 1]int
	for _, k := range p.kind {
		n[k]++
	}
	kana := n[hiragana] + n[katakana]
	switch {
	case kana+n[hangul]+n[han]+n[latin] < n[letter]:
		return "und"
	case kana > 0 && kana+n[han] >= n[hangul] && (kana+n[han])*3 >= n[latin]:
		return "ja"
	case n[hangul] > 0 && n[hangul]*3 >= n[latin]:
		return "ko"
	case n[han] > 0 && n[han]*4 >= n[latin]:
		return ideographs(f, stream)
	case n[latin] == 0:
		return "und"
	}
	en, es := 0, 0
	for _, h := range f.hits {
		switch h.lang {
		case "en":
			en += len(h.runes)
		case "es":
			es += len(h.runes)
		}
	}
	switch {
	case en == 0 && es == 0:
		return "und"
	case es > en:
		return "es"
	}
	return "en"
}

// ideographs decides between Chinese and Japanese written without kana.
func ideographs(f *finds, stream string) string {
	zh, ja := 0, 0
	for _, h := range f.hits {
		switch h.lang {
		case "zh":
			zh += len(h.runes)
		case "ja":
			ja += len(h.runes)
		}
	}
	if ja > zh || zh == 0 && stream == "ja" {
		return "ja"
	}
	return "zh"
}
