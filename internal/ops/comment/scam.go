package comment

import "strings"

// scams finds offers too good to be true, and demands for secrets in somebody's name.
func (v *verdict) scams(w *view, f *finds) {
	if h, ok := f.first(tagScam); ok {
		v.hit("scam.words", Scam, RiskMedium, w, h)
	}
	if a, b, ok := f.near(tagMoney, tagLure, 40); ok && distinct(f, tagLure, a) >= 2 {
		v.pair("scam.offer", Scam, RiskHigh, w, a, b)
	}
	h, staff := f.first(tagStaff)
	p, secret := f.first(tagPassword)
	if staff && (secret || f.has(tagScam)) {
		v.hit("scam.impersonation", Impersonation, RiskHigh, w, h)
		v.hit("scam.secret", Scam, RiskHigh, w, h)
	} else if secret && f.has(tagTell) && f.has(tagTarget) {
		v.hit("scam.secret", Scam, RiskMedium, w, p)
	}
}

// distinct counts different terms of tag t, and other money words than the one given.
func distinct(f *finds, t tag, but hit) int {
	seen := map[string]bool{}
	for _, h := range f.hits {
		if h.tag == t || h.tag == tagMoney && h.word != but.word {
			seen[h.word] = true
		}
	}
	return len(seen)
}

// advertises finds selling with an address or a name to go to.
func (v *verdict) advertises(w *view, f *finds, mention, link bool) {
	h, ok := f.first(tagPromo)
	if !ok {
		return
	}
	if mention || link || v.has(Scam) {
		v.hit("spam.promotion", Spam, RiskMedium, w, h)
		return
	}
	count := 0
	for _, h := range f.hits {
		if h.tag == tagPromo && (h.lang != "en" || strings.Contains(h.word, " ")) {
			count++
		}
	}
	if count >= 2 {
		v.hit("spam.promotion", Spam, RiskMedium, w, h)
	}
}
