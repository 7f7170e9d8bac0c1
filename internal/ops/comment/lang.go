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
	case kana > 0 && kana+n[han] >= n[hangul] && (kana+n[han])*5 >= n[latin]:
		return "ja"
	case n[hangul] > 0 && n[hangul]*5 >= n[latin]:
		return "ko"
	case n[han] > 0 && japaneseOnly(p):
		return "ja"
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

// japaneseOnly reports ideographs that only Japanese writes this way.
func japaneseOnly(p *view) bool {
	for _, r := range p.r {
		switch r {
		case '〒', '々', '県', '駅', '円', '気', '楽', '戦', '読', '絵', '図', '続', '桜', '様', '歳', '働', '込', '畑', '実', '変', '対', '応', '広', '発', '売', '譲', '覚', '沢', '浜', '塩', '亀', '仏', '払', '拝':
			return true
		}
	}
	return false
}
