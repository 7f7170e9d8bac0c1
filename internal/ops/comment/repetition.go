package comment

import (
	"strings"
)

// longText is how many UTF-16 units a comment may have before it is withheld for its length alone.
const longText = 1000

// laughter is what people repeat when they laugh or clap.
const laughter = "w8笑草ᄏᄒ哈呵嘿ᅲᅮ236hajekldxosi"

// form looks at the shape of one text: nothing there, too much of it, or the same again and again.
func (v *verdict) form(p *view, o oddities, text string) {
	all := [2]int{0, len(text)}
	letters, visible := 0, false
	for i, k := range p.kind {
		if k != separator {
			letters++
		}
		visible = visible || p.r[i] > ' '
	}
	if !visible && o.marks == 0 {
		severity := RiskNone
		if o.invisible > 0 {
			severity = RiskLow
		}
		v.add("form.empty", Empty, severity, "", all)
		return
	}
	if len(text) > longText && utf16Units(text) > longText {
		v.add("spam.length", Spam, RiskMedium, "", all)
	}
	if o.marks >= 10 && o.marks > letters {
		v.add("spam.marks", Spam, RiskLow, "", all)
	}
	if o.emoji >= 15 && o.emoji > letters {
		v.add("spam.emoji", Spam, RiskLow, "", all)
	}
	if o.override > 0 && o.latins > 0 {
		v.add("spam.bidi", Spam, RiskMedium, "", [2]int{o.override - 3, len(text)})
	}
	v.sameAgain(p, letters, all)
}

// sameAgain finds one rune, or one phrase, that makes up nearly all of the text. Laughing and clapping are exempt.
func (v *verdict) sameAgain(p *view, letters int, all [2]int) {
	if len(p.r) < 10 || laughing(p) {
		return
	}
	best, run, from, at := 0, 1, 0, 0
	for i := 1; i < len(p.r); i++ {
		if p.r[i] != p.r[i-1] {
			run, from = 1, i
			continue
		}
		if run++; run > best {
			best, at = run, from
		}
	}
	if best >= 10 && p.kind[at] != separator && p.kind[at] != digit && best*10 >= letters*9 && (p.kind[at] != latin || best == letters) && !strings.ContainsRune("w8ᄏᄒ哈笑草ᅲᅮ", p.r[at]) {
		v.add("repetition.rune", Repetition, RiskLow, "", p.span(at, at+best))
		return
	}
	if len(p.r) < 40 || letters < 24 {
		return
	}
	seen := make(map[[3]rune]bool, 64)
	for i := 2; i < len(p.r); i++ {
		seen[[3]rune{p.r[i-2], p.r[i-1], p.r[i]}] = true
	}
	if len(seen)*4 <= len(p.r) {
		v.add("repetition.phrase", Repetition, RiskLow, "", all)
	}
}

// laughing reports that every letter is one people laugh with, and hardly any two differ.
func laughing(p *view) bool {
	var kinds [4]rune
	n := 0
	for i, r := range p.r {
		if p.kind[i] == separator {
			continue
		}
		if !strings.ContainsRune(laughter, r) {
			return false
		}
		known := false
		for _, k := range kinds[:n] {
			known = known || k == r
		}
		if !known {
			if n == len(kinds) {
				return false
			}
			kinds[n] = r
			n++
		}
	}
	return n > 1 || n == 1 && !strings.ContainsRune("ajekldxosi", kinds[0])
}

// utf16Units counts as far as matters.
func utf16Units(s string) int {
	n := 0
	for _, r := range s {
		if n++; r > 0xFFFF {
			n++
		}
		if n > longText {
			break
		}
	}
	return n
}
