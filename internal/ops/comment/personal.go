package comment

// privacy finds questions for private facts, and such facts told in words.
func (v *verdict) privacy(w *view, f *finds) {
	if h, ok := f.first(tagAsk); ok {
		v.hit("personal.ask", PersonalInfo, RiskLow, w, h)
	}
	v.spokenNumber(w, f)
	p, ok := f.first(tagPrivate)
	if !ok {
		return
	}
	for i := p.to; i < len(w.r) && i < p.to+24; i++ {
		if w.kind[i] == digit {
			if n := numberAt(w, i); len(n.digits) >= 4 {
				v.add("personal.told", PersonalInfo, RiskMedium, p.lang, w.span(p.from, n.to))
			}
			return
		}
	}
}

// spokenNumber finds seven or more digits written as words, one after the other.
func (v *verdict) spokenNumber(w *view, f *finds) {
	if !f.has(tagNumeral) {
		return
	}
	count, from, end := 0, 0, -2
	for _, h := range f.hits {
		if h.tag != tagNumeral || h.from < end {
			continue
		}
		if h.from > end+1 || count == 0 {
			count, from = 0, h.from
		}
		count, end = count+1, h.to
		if count == 7 && (f.has(tagCall) || f.has(tagPrivate)) {
			v.add("personal.spoken", PersonalInfo, RiskMedium, h.lang, w.span(from, end))
		}
	}
}

// number is a run of digits with the marks people put between them.
type number struct {
	digits   []byte
	groups   []int
	from, to int
	plus     bool
	dots     int
	seps     int
}

// shapes finds phone numbers, cards, network addresses, postal codes and street addresses by their form.
func (v *verdict) shapes(p, w *view, f *finds) {
	for i := 0; i < len(p.r); i++ {
		if p.kind[i] != digit {
			if p.kind[i] == han && (p.r[i] == '県' || p.r[i] == '都' || p.r[i] == '府' || p.r[i] == '道' || p.r[i] == '市' || p.r[i] == '区' || p.r[i] == '路' || p.r[i] == '省') || p.kind[i] == hangul && (p.r[i] == '시' || p.r[i] == '구') {
				v.eastAddress(p, i)
			}
			continue
		}
		n := numberAt(p, i)
		if i == 0 || p.kind[i-1] != latin || len(n.digits) >= 12 {
			v.number(p, f, n)
		}
		v.street(p, w, f, n)
		i = n.to - 1
	}
}

// numberAt reads the digits from i on; one or two marks may separate groups.
func numberAt(p *view, i int) number {
	n := number{from: i, to: i}
	n.plus = i > 0 && p.r[i-1] == '+'
	if n.plus {
		n.from--
	}
	group := 0
	for j := i; j < len(p.r) && len(n.digits) < 24; {
		if p.kind[j] == digit {
			n.digits = append(n.digits, byte(p.r[j]))
			group++
			j++
			n.to = j
			continue
		}
		k := j
		for k < len(p.r) && k < j+2 && (p.r[k] == '-' || p.r[k] == ' ' || p.r[k] == '.' || p.r[k] == '(' || p.r[k] == ')' || p.r[k] == '‐' || p.r[k] == '–' || p.r[k] == '−' || p.r[k] == 'ー') {
			k++
		}
		if k == j || k >= len(p.r) || p.kind[k] != digit {
			break
		}
		if k == j+1 && p.r[j] == '.' {
			n.dots++
		}
		n.groups = append(n.groups, group)
		group = 0
		n.seps++
		j = k
	}
	n.groups = append(n.groups, group)
	return n
}

// number names what n is, if it is anything private.
func (v *verdict) number(p *view, f *finds, n number) {
	span := p.span(n.from, n.to)
	switch {
	case n.postal(p):
		v.add("personal.postal", PersonalInfo, RiskMedium, "ja", span)
	case n.network(p):
		v.add("personal.network", PersonalInfo, RiskMedium, "", span)
	case n.card():
		v.add("personal.card", PersonalInfo, RiskHigh, "", span)
	case n.phone(f):
		v.add("personal.phone", PersonalInfo, RiskMedium, "", span)
	}
}

func (n number) same() bool {
	for _, d := range n.digits {
		if d != n.digits[0] {
			return false
		}
	}
	return true
}

func (n number) postal(p *view) bool {
	marked := n.from > 0 && p.r[n.from-1] == '〒' || n.from > 1 && p.r[n.from-2] == '〒'
	shaped := len(n.groups) == 2 && n.groups[0] == 3 && n.groups[1] == 4
	if marked && len(n.digits) == 7 {
		return true
	}
	if !shaped {
		return false
	}
	for i := n.to; i < len(p.r) && i < n.to+8; i++ {
		if p.r[i] == '県' || p.r[i] == '都' || p.r[i] == '府' || p.r[i] == '市' {
			return true
		}
	}
	return false
}

func (n number) network(p *view) bool {
	if len(n.groups) != 4 || n.dots != 3 || n.from > 0 && p.r[n.from-1] == 'v' {
		return false
	}
	at := 0
	for _, g := range n.groups {
		value := 0
		for _, d := range n.digits[at : at+g] {
			value = value*10 + int(d-'0')
		}
		if g > 3 || value > 255 {
			return false
		}
		at += g
	}
	return !(n.from >= 4 && standsAt(p, n.from-4, "ver ") > 0 || n.from >= 8 && standsAt(p, n.from-8, "version ") > 0)
}

func (n number) card() bool {
	if len(n.digits) < 13 || len(n.digits) > 19 || n.same() || n.digits[0] < '3' || n.digits[0] > '6' {
		return false
	}
	sum := 0
	for i := range n.digits {
		d := int(n.digits[len(n.digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

func (n number) phone(f *finds) bool {
	d, g := len(n.digits), n.groups
	if d < 7 || d > 15 || n.same() {
		return false
	}
	ones := true
	for _, x := range g {
		ones = ones && x == 1
	}
	switch {
	case n.plus && n.seps > 0, n.plus && d >= 9:
		return true
	case n.digits[0] == '0' && (d == 10 || d == 11) && n.digits[1] != '0':
		return true
	case ones, n.dots == len(g)-1 && n.dots > 0 && len(g) != 3:
		return f.has(tagCall)
	case d == 11 && n.digits[0] == '1' && n.digits[1] >= '3' && len(g) <= 3:
		return true
	case len(g) == 3 && (g[0] == 3 && g[1] >= 3 && g[2] == 4 || g[0] == 2 && g[1] == 4 && g[2] == 4):
		return true
	case len(g) == 4 && g[0] <= 2 && g[1] == 3 && g[2] == 3 && g[3] == 4:
		return true
	case d == 9 && n.digits[0] >= '6' && len(g) >= 3 && g[0] == 3:
		return true
	}
	return f.has(tagCall) && !(len(g) == 3 && g[0] == 4 && g[1] <= 2)
}

// street finds "12 Something Street" and "calle Tal 12".
func (v *verdict) street(p, w *view, f *finds, n number) {
	if !f.has(tagStreet) || len(n.digits) > 6 {
		return
	}
	span := p.span(n.from, n.to)
	words, j := 0, n.to
	for j < len(p.r) && words < 4 && j < n.to+32 && (p.kind[j] == latin || p.r[j] == ' ' || p.r[j] == '.') {
		if p.r[j] == ' ' {
			words++
		}
		j++
	}
	after := p.span(n.to, max(n.to+1, min(j, len(p.r))))
	for _, h := range f.hits {
		if h.tag != tagStreet {
			continue
		}
		at := w.span(h.from, h.to)
		if !f.has(tagPrivate) && !(v.raw[at[0]] >= 'A' && v.raw[at[0]] <= 'Z') {
			continue
		}
		if h.lang == "en" && at[0] >= after[0] && at[1] <= after[1] && at[0] > span[1]+1 || h.lang == "es" && at[1] <= span[0] && span[0]-at[1] < 32 {
			v.add("personal.address", PersonalInfo, RiskHigh, h.lang, [2]int{min(span[0], at[0]), max(span[1], at[1])})
			return
		}
	}
}

// eastAddress finds house numbers after the name of a place: 見本市例町1-2-3, 例市见本路12号, 견본시 예로 12.
func (v *verdict) eastAddress(p *view, i int) {
	street := p.kind[i] == han && p.r[i] == '路'
	for j := i + 1; j < len(p.r) && j < i+18; j++ {
		switch {
		case p.kind[j] == separator && p.r[j] != ' ' && p.r[j] != '-':
			return
		case p.r[j] == '路' || p.r[j] == '街' || p.r[j] == '로' || p.r[j] == '길' || p.r[j] == '町' || p.r[j] == '동' || p.r[j] == '区':
			street = true
		case p.kind[j] == digit:
			n := numberAt(p, j)
			next := rune(0)
			if n.to < len(p.r) {
				next = p.r[n.to]
			}
			if next == '丁' || next == '番' || next == '号' || next == '번' || street && p.r[i] != '路' && len(n.groups) >= 2 || street && p.kind[i] == hangul && n.to-j <= 4 && (p.r[j-1] == '로' || p.r[j-1] == '길' || p.r[j-1] == ' ') {
				v.add("personal.address", PersonalInfo, RiskHigh, "", p.span(i, n.to))
			}
			return
		}
	}
}
