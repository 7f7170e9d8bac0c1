package comment

import "strings"

// selfHarm brings cries for help to a person. Words of exaggerated joy beside them make them idioms.
func (v *verdict) selfHarm(w *view, f *finds) {
	for _, h := range f.hits {
		if h.tag == tagSelfHarm && !f.before(tagJoke, h.from, 6) && !(h.lang == "en" && f.after(tagThing, h.to, 16)) && !(f.has(tagLaugh) && f.has(tagPraise)) {
			v.hit("selfharm.words", SelfHarm, RiskHigh, w, h)
			return
		}
	}
}

// threats finds announced or called-for harm to a person, and wishes of death. Harm to a boss is a game.
func (v *verdict) threats(w *view, f *finds) {
	if h, ok := f.first(tagThreat); ok && !f.has(tagThing) {
		v.hit("threat.words", Threat, RiskHigh, w, h)
	}
	if h, ok := f.first(tagDeath); ok && !f.before(tagThing, h.from, 8) && !f.after(tagThing, h.to, 4) {
		v.hit("abuse.death", Harassment, RiskHigh, w, h)
	}
	if !f.has(tagHarm) || !f.has(tagTarget) {
		return
	}
	for _, h := range f.hits {
		if h.tag != tagHarm {
			continue
		}
		switch h.lang {
		case "en", "es":
			if strings.HasPrefix(h.word, "be ") && f.before(tagMight, h.from, 2) && f.before(tagTarget, h.from, 12) {
				v.hit("threat.harm", Threat, RiskHigh, w, h)
				return
			}
			if f.before(tagMight, h.from, 8) && (f.after(tagTarget, h.to, 4) || h.lang == "es" && f.has(tagTarget)) && !f.after(tagThing, h.to, 16) && h.word != "find" && h.word != "follow" {
				v.hit("threat.harm", Threat, RiskHigh, w, h)
				return
			}
		case "ja":
			if f.before(tagTarget, h.from, 6) && !f.has(tagThing) {
				v.hit("threat.harm", Violence, RiskHigh, w, h)
				return
			}
		default:
			if (f.before(tagTarget, h.from, 6) || f.after(tagTarget, h.to, 1)) && !f.has(tagThing) {
				v.hit("threat.harm", Violence, RiskMedium, w, h)
				return
			}
		}
	}
}

// hate finds slurs, and a group named beside words that want it gone.
func (v *verdict) hate(w *view, f *finds) {
	if h, ok := f.first(tagSlur); ok {
		v.hit("hate.slur", Hate, RiskHigh, w, h)
	}
	for _, g := range f.hits {
		if g.tag != tagGroup {
			continue
		}
		for _, e := range f.hits {
			if (e.tag == tagExpel || e.tag == tagDeath) && e.from >= g.from && e.from <= g.to+reach(g) || e.tag == tagExpel && e.from < g.from && g.from <= e.to+12 {
				v.pair("hate.group", Hate, RiskHigh, w, g, e)
				return
			}
		}
	}
}

// sexual finds explicit words, and bodies beside a demand.
func (v *verdict) sexual(w *view, f *finds) {
	h, ok := f.first(tagSexual)
	if !ok {
		var s hit
		if h, s, ok = f.near(tagLewd, tagShow, 10); ok && s.lang != h.lang {
			ok = false
		}
		if ok {
			v.pair("sexual.demand", Sexual, RiskMedium, w, h, s)
		}
	} else {
		v.hit("sexual.words", Sexual, RiskMedium, w, h)
	}
	if m, young := f.first(tagMinor); young && ok {
		v.hit("sexual.minor", Minors, RiskHigh, w, m)
	}
}

// harassment finds insults aimed at a person. Insulting oneself, or the last boss, is chat.
func (v *verdict) harassment(w *view, f *finds) {
	for _, h := range f.hits {
		switch h.tag {
		case tagCrude:
			if !f.before(tagThing, h.from, 8) && !f.after(tagThing, h.to, 8) {
				v.hit("abuse.crude", Harassment, RiskMedium, w, h)
			}
		case tagInsult:
			if !f.excused(h) {
				v.hit("abuse.insult", Harassment, RiskMedium, w, h)
			}
		case tagSlight:
			if f.aimed(w, h) {
				v.hit("abuse.insult", Harassment, RiskMedium, w, h)
			}
		}
	}
}

// excused reports insults a speaker turns on themselves or on a thing of the game.
func (f *finds) excused(h hit) bool {
	if f.before(tagTarget, h.from, 14) {
		return false
	}
	near := 14
	if h.lang == "ja" || h.lang == "zh" || h.lang == "ko" {
		near = 6
	}
	return f.before(tagSelf, h.from, near) || f.before(tagThing, h.from, near) || f.after(tagThing, h.to, 3)
}

// aimed reports weaker words that hit a person: right after or before one, or as all there is to say.
func (f *finds) aimed(w *view, h hit) bool {
	if f.after(tagThing, h.to, 12) || f.has(tagTurn) && f.has(tagPraise) {
		return false
	}
	if f.excused(h) {
		return false
	}
	if h.lang == "en" || h.lang == "es" {
		return f.before(tagTarget, h.from, 12) && !f.before(tagThing, h.from, 20) || f.after(tagTarget, h.to, 1) && f.afterStreamer(h.to) || bare(w, h)
	}
	return f.before(tagTarget, h.from, 8) || f.after(tagTarget, h.to, 2) || bare(w, h)
}

// afterStreamer reports that the one called names is the streamer: "ugly streamer".
func (f *finds) afterStreamer(at int) bool {
	for _, h := range f.hits {
		if h.tag == tagTarget && h.from >= at && h.from <= at+1 && h.word == "streamer" {
			return true
		}
	}
	return false
}

// bare reports that the hit is nearly the whole text.
func bare(w *view, h hit) bool {
	letters := 0
	for i, k := range w.kind {
		if (i < h.from || i >= h.to) && k != separator {
			letters++
		}
	}
	return letters <= 3
}

// hostility finds words that want to hurt a stream rather than to better it.
func (v *verdict) hostility(w *view, f *finds) {
	if h, ok := f.first(tagBait); ok {
		v.hit("hostile.bait", Baiting, RiskMedium, w, h)
		v.hit("hostile.feedback", HostileFeedback, RiskMedium, w, h)
	}
	if h, ok := f.first(tagDemoral); ok {
		v.hit("hostile.demoralizing", Demoralizing, RiskMedium, w, h)
		v.hit("hostile.feedback", HostileFeedback, RiskMedium, w, h)
	}
	if f.has(tagCue) && !v.has(Harassment) || f.has(tagTurn) && f.has(tagPraise) {
		return
	}
	for _, h := range f.hits {
		if h.tag != tagNegative {
			continue
		}
		far := 24
		if eastern(w.kind[h.from]) {
			far = 8
		}
		about := f.before(tagStream, h.from, far) || f.after(tagStream, h.to, 3) || f.before(tagTarget, h.from, 8)
		if f.before(tagThing, h.from, far) && !f.before(tagTarget, h.from, 4) || f.before(tagSelf, h.from, 8) && (!about || !f.has(tagTarget) && eastern(w.kind[h.from])) {
			continue
		}
		if f.technical() && !v.has(Harassment) {
			continue
		}
		if about || bare(w, h) {
			v.hit("hostile.feedback", HostileFeedback, RiskMedium, w, h)
			return
		}
	}
}

// technical reports talk about how the stream comes over, where harsh words still help.
func (f *finds) technical() bool {
	return f.has(tagAudio) || f.has(tagVideo) || f.has(tagLag) || f.has(tagMic) || f.has(tagStutter) || f.has(tagNoise) || f.has(tagNoSound) || f.has(tagNoPicture)
}

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
