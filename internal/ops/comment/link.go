package comment

import "strings"

// topLevel are endings that make a bare "word.ending" an address. Endings that are also common words need a path, a scheme or www.
var topLevel = setOf("com net org io jp dev app gg tv ly gl gd xyz info biz ru cn kr es mx ar uk de fr eu br co ai cc shop store online site club live link top vip pro fun icu work page cloud tech tw hk cl pe us gift win bet games stream social chat click zip moe me in it is to so am at be fm tk ml ga id st ws la re")

// shyLevel are endings too like ordinary words or file names to count alone.
var shyLevel = setOf("io ai me in it is to so am at be fm id st la re us co pro fun live work zip games stream chat win top link click social store page app dev net de es gg tv cc")

var shortHosts = setOf("bit.ly t.co tinyurl.com goo.gl is.gd cutt.ly rb.gy lnkd.in ow.ly shorturl.at buff.ly tiny.cc rebrand.ly adf.ly v.gd x.gd onl.tw amzn.to han.gl url.kr vo.la me2.kr")
var inviteHosts = setOf("discord.gg discord.com/invite discordapp.com/invite t.me telegram.me chat.whatsapp.com wa.me line.me lin.ee open.kakao.com join.skype.com guilded.gg")

// names everybody means as addresses, short endings or not.
var wellKnown = setOf("twitch.tv discord.gg youtu.be")

// names of tools and games that look like addresses.
var notHosts = setOf("socket.io asp.net vb.net ado.net draw.io node.js three.js agar.io slither.io diep.io krunker.io itch.io paper.io")

func setOf(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

// links finds web addresses in the folded plain view, and mail addresses on the way. It reports whether there was any link.
func (v *verdict) links(n *view, raw string) bool {
	found := false
	done := 0 // runes already part of an address
	for i := 1; i < len(n.r); i++ {
		r := n.r[i]
		if i < done || r != '.' && r != '。' && r != '@' && r != ':' {
			continue
		}
		var from, to int
		switch {
		case r == '@':
			if from, to = mailAt(n, i, done); to > 0 {
				v.add("personal.mail", PersonalInfo, RiskMedium, "", n.span(from, to))
				done = to
			}
			continue
		case r == ':':
			from, to = schemeAt(n, i)
		default:
			from, to = hostAt(n, i, done)
		}
		if to == 0 {
			continue
		}
		v.link(n, raw, from, to)
		found, done = true, to
	}
	return found
}

// link names what kind of address n[from:to) is.
func (v *verdict) link(n *view, raw string, from, to int) {
	span := n.span(from, to)
	host := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(string(n.r[from:to]), "https://"), "http://"), "www.")
	name, path, _ := strings.Cut(host, "/")
	first, _, _ := strings.Cut(path, "/")
	severity, id := RiskMedium, "link.address"
	switch {
	case shortHosts[name]:
		id = "link.short"
	case inviteHosts[name] || inviteHosts[name+"/"+first]:
		id = "link.invite"
	case strings.HasPrefix(string(n.r[from:to]), "http"):
		severity = RiskLow
	}
	if lookalikeName(n, raw, from, to) || strings.Contains(name, "xn--") {
		v.add("link.lookalike", Scam, RiskHigh, "", span)
		severity = RiskHigh
	}
	v.add(id, URL, severity, "", span)
}

// lookalikeName reports letters of another alphabet standing in for Latin ones. Full-width and decorated Latin is disguise enough to be a
// link, but not a false name.
func lookalikeName(n *view, raw string, from, to int) bool {
	for i := from; i < to; i++ {
		if n.kind[i] != latin || int(n.to[i]) > len(raw) {
			continue
		}
		for _, r := range raw[n.at[i]:n.to[i]] {
			if r >= 0x370 && r < 0x590 {
				return true
			}
		}
	}
	return false
}

func hostRune(n *view, i int) bool {
	return i >= 0 && i < len(n.r) && (n.kind[i] == latin || n.kind[i] == digit || n.kind[i] == letter || n.r[i] == '-')
}

// hostAt reads the address whose first dot may be at i.
func hostAt(n *view, i, floor int) (from, to int) {
	from = i
	for from > floor && (hostRune(n, from-1)) {
		from--
	}
	gap := from == i && i > floor+1 && n.r[i-1] == ' ' && hostRune(n, i-2) // "example .com"
	if gap {
		for from = i - 1; from > floor && hostRune(n, from-1); {
			from--
		}
	} else if from == i {
		return 0, 0
	}
	to = i
	var last string
	labels := 1
	for to < len(n.r) && (n.r[to] == '.' || n.r[to] == '。') && hostRune(n, to+1) {
		start := to + 1
		for to = start; hostRune(n, to); {
			to++
		}
		last = string(n.r[start:to])
		labels++
	}
	first := string(n.r[from:i])
	known := topLevel[last]
	path := to < len(n.r) && n.r[to] == '/' && to+1 < len(n.r) && n.kind[to+1] != separator
	www := first == "www" && labels >= 3
	whole := strings.TrimSpace(string(n.r[from:to]))
	switch {
	case !known && !(www && len(last) >= 2), notHosts[whole], allDigits(first) && labels == 2 && !path:
		return 0, 0
	case gap && (shyLevel[last] || labels > 2):
		return 0, 0
	case !www && !path && labels == 2 && shyLevel[last] && !shortHosts[whole] && !inviteHosts[whole] && !wellKnown[whole] && last != "net" && last != "app" && last != "dev":
		return 0, 0
	}
	return from, pathEnd(n, to)
}

// schemeAt reads the address around "://" at i.
func schemeAt(n *view, i int) (from, to int) {
	if standsAt(n, i, "://") == 0 || i+3 >= len(n.r) || n.kind[i+3] == separator && n.r[i+3] != '[' {
		return 0, 0
	}
	from = i
	for from > 0 && n.kind[from-1] == latin {
		from--
	}
	if from == i {
		return 0, 0
	}
	for to = i + 3; to < len(n.r) && (hostRune(n, to) || n.r[to] == '.' || n.r[to] == ':'); {
		to++
	}
	return from, pathEnd(n, to)
}

func pathEnd(n *view, to int) int {
	if to >= len(n.r) || n.r[to] != '/' && n.r[to] != '?' && n.r[to] != ':' {
		return to
	}
	for to < len(n.r) && n.r[to] > ' ' && n.r[to] < 0x7F && n.r[to] != '"' && n.r[to] != '<' && n.r[to] != '>' {
		to++
	}
	return to
}

// mailAt reads the mail address around the @ at i.
func mailAt(n *view, i, floor int) (from, to int) {
	for from = i; from > floor && (hostRune(n, from-1) || n.r[from-1] == '.' || n.r[from-1] == '_' || n.r[from-1] == '+'); {
		from--
	}
	if from == i {
		return 0, 0
	}
	dots, end := 0, i+1
	for end < len(n.r) && (hostRune(n, end) || n.r[end] == '.' && hostRune(n, end+1)) {
		if n.r[end] == '.' {
			dots++
		}
		end++
	}
	if dots == 0 {
		return 0, 0
	}
	return from, end
}

func allDigits(s string) bool {
	for _, r := range s {
		if r < '0' || r > '9' {
			return false
		}
	}
	return s != ""
}

// spoken are the words people write for the signs of addresses.
var spoken = []struct {
	words string
	sign  rune
}{
	{"(dot)", '.'}, {"[dot]", '.'}, {"{dot}", '.'}, {"[.]", '.'}, {"(.)", '.'}, {" dot ", '.'}, {" punto ", '.'}, {"ドット", '.'}, {"点com", '.'}, {" 쩜 ", '.'}, {"(닷)", '.'},
	{"(at)", '@'}, {"[at]", '@'}, {"{at}", '@'}, {" at ", '@'}, {" arroba ", '@'}, {"アットマーク", '@'}, {"(@)", '@'}, {" 골뱅이 ", '@'},
	{" slash ", '/'}, {"hxxp", 'h'},
}

// spell rewrites spoken addresses with their signs. It reports whether there was a spoken dot at all.
func spell(dst, src *view) bool {
	dst.reset()
	dots := false
	for i := 0; i < len(src.r); {
		n, sign := 0, rune(0)
		switch src.r[i] {
		case '(', '[', '{', ' ', 'ド', 'ア', '点', 'h':
			n, sign = spokenAt(src, i)
		}
		if n == 0 {
			dst.put(src.r[i], src.kind[i], src.at[i], src.to[i])
			i++
			continue
		}
		for k := len(dst.r); k > 0 && dst.r[k-1] == ' '; k-- {
			dst.r, dst.at, dst.to, dst.kind = dst.r[:k-1], dst.at[:k-1], dst.to[:k-1], dst.kind[:k-1]
		}
		switch sign {
		case 'h':
			for k, r := range "http" {
				dst.put(r, latin, src.at[i+k], src.to[i+k])
			}
		case '@':
			dst.put('@', separator, src.at[i], src.to[i+n-1])
		default:
			dst.put(sign, separator, src.at[i], src.to[i+n-1])
		}
		dots = dots || sign == '.' || sign == 'h'
		for i += n; sign != 'h' && i < len(src.r) && src.r[i] == ' '; {
			i++
		}
	}
	return dots
}

func spokenAt(src *view, i int) (int, rune) {
	for _, s := range spoken {
		if n := standsAt(src, i, s.words); n > 0 {
			if s.words == "点com" {
				n = 1
			}
			return n, s.sign
		}
	}
	return 0, 0
}
