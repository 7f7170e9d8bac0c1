package comment

import (
	"slices"
	"strings"
	"time"
)

// Analyzer understands one stream's chat. It is pure and incremental: the same comments in the same order give the same analyses, whatever
// the batches. It keeps no text beyond its windows. One goroutine uses it at a time.
type Analyzer struct {
	stream Stream
	lex    *lexicon
	deny   *lexicon // the operator's words, nil for none
	allow  *lexicon
	theme  *theme

	viewers   viewers
	window    *window
	questions groups
	troubles  groups
	newest    time.Time
	raided    time.Time

	plain, words, spelled, loose, tmp view // scratch, reused for every comment
	finds, extra                      finds
}

// New returns an analyser for one stream.
func New(stream Stream) *Analyzer {
	a := &Analyzer{stream: stream, lex: sharedLexicon(), viewers: viewers{by: map[string]*viewer{}}, window: newWindow(),
		questions: groups{prefix: "q"}, troubles: groups{prefix: "t"}}
	a.theme = a.lex.themeOf(stream.Topic)
	a.deny, a.allow = listed(stream.Deny), listed(stream.Allow)
	return a
}

// listed makes a lexicon of an operator's words. A word of Latin letters matches whole words, one of katakana whole runs, hiragana when no
// hiragana touches it, anything else wherever it stands: a list of short words must not hit longer ones.
func listed(list []string) *lexicon {
	if len(list) == 0 {
		return nil
	}
	l := &lexicon{terms: map[uint64][]*term{}, masked: map[int][][]rune{}}
	for _, s := range list {
		r := foldTerm(strings.TrimSpace(s))
		if len(r) == 0 {
			continue
		}
		var p view
		fold(&p, strings.TrimSpace(s))
		m := inside
		switch {
		case all(&p, latin), all(&p, digit), !eastern(p.kind[0]):
			m = word
		case all(&p, katakana):
			m = run
		case all(&p, hiragana):
			m = kana
		}
		t := &term{runes: r, tag: tagBanned, mode: m, word: s}
		k := termKey(r, 0)
		l.terms[k] = append(l.terms[k], t)
		l.firsts[slot(r[0])] = true
	}
	return l
}

func all(p *view, k class) bool {
	for _, x := range p.kind {
		if x != k {
			return false
		}
	}
	return len(p.kind) > 0
}

// Take understands the next comments of the stream, in order; it returns one analysis for each.
func (a *Analyzer) Take(batch ...Comment) []Analysis {
	out := make([]Analysis, len(batch))
	for i := range batch {
		a.one(&out[i], &batch[i])
	}
	return out
}

// one understands one comment.
func (a *Analyzer) one(out *Analysis, c *Comment) {
	*out = Analysis{ID: c.ID, Action: Allow, Risk: RiskNone, Categories: []Category{}, Rules: []Rule{}, Reasons: []string{}, Lang: "und", Cluster: ClusterOther, At: c.At}
	at := c.At
	if at.IsZero() {
		at = time.Time{}.Add(c.Offset + 24*time.Hour)
	}
	if at.After(a.newest) {
		a.newest = at
	}
	if c.Kind == KindRaid {
		a.raided = at
	}
	switch c.Kind {
	case KindMessage:
	case KindPaid, KindMembership, KindNotice:
		if strings.TrimSpace(c.Text) == "" {
			rate(out, c, standing{late: a.newest.Sub(at)})
			return
		}
	default:
		return
	}
	who := a.viewers.of(c.Platform, c.Author)
	before := who.count
	out.FirstTime = before == 0

	odd := fold(&a.plain, c.Text)
	words(&a.words, &a.plain)
	a.finds.look(a.lex, &a.words)
	f := &a.finds

	v := verdict{raw: c.Text}
	a.safety(&v, c, odd)
	out.Lang = language(&a.plain, f, a.stream.Language)
	asked := question(&a.words, f)
	out.Question = asked.yes && !v.has(PromptInjection)

	a.memory(out, &v, who, c, at, asked)
	a.name(&v, who, c.Author.Name)
	v.spare(a.allowed())
	if at.Before(who.blocked) {
		v.add("viewer.blocked", ViewerBlocked, RiskHigh, "", [2]int{})
	}
	v.settle(out)
	if out.Lang == "und" && len(out.Rules) > 0 && out.Rules[0].Lang != "" && !out.Rules[0].InName {
		out.Lang = out.Rules[0].Lang // a disguised word says it
	}
	if out.BlockViewer {
		who.blocked = at.Add(blockFor)
	}
	a.meaning(out, c, asked, who.voice, at)
	rate(out, c, standing{count: before, topic: a.theme.text != "", duplicate: out.DuplicateOf != "" && !reaction(&a.words), late: a.newest.Sub(at), reaction: reaction(&a.words)})
}

// safety judges the text in every reading of it.
func (a *Analyzer) safety(v *verdict, c *Comment, odd oddities) {
	f := &a.finds
	v.judge(&a.words, f)
	v.forgery(&a.plain, c.Text, f)
	link := v.links(&a.plain, c.Text)
	if !link && spell(&a.spelled, &a.plain) {
		link = v.links(&a.spelled, c.Text)
	}
	v.shapes(&a.plain, &a.words, f)
	if a.lex.loosen(&a.loose, &a.tmp, &a.plain) {
		a.extra.look(a.lex, &a.loose)
		v.judge(&a.loose, &a.extra)
		a.denied(v, &a.loose)
	}
	if odd.override > 0 {
		reversed(&a.tmp, &a.plain, odd.override)
		words(&a.loose, &a.tmp)
		a.extra.look(a.lex, &a.loose)
		v.judge(&a.loose, &a.extra)
	}
	for _, p := range payloads(cutAt(c.Text, maxBytes)) {
		v.fixed = &p.span
		a.reading(v, p.text)
		v.fixed = nil
	}
	a.denied(v, &a.words)
	v.form(&a.plain, odd, c.Text)
	v.advertises(&a.words, f, strings.Contains(c.Text, "@"), link)
}

// denied looks for the operator's words.
func (a *Analyzer) denied(v *verdict, w *view) {
	if a.deny == nil {
		return
	}
	for _, h := range a.deny.find(nil, w) {
		v.hit("operator.banned", BannedWord, RiskMedium, w, h)
	}
}

// allowed gives the spans the operator allows.
func (a *Analyzer) allowed() [][2]int {
	if a.allow == nil {
		return nil
	}
	var out [][2]int
	for _, h := range a.allow.find(nil, &a.words) {
		out = append(out, a.words.span(h.from, h.to))
	}
	return out
}

// reading judges a text that is not the comment's own: a name, a decoded payload.
func (a *Analyzer) reading(v *verdict, text string) {
	var plain, w view
	var f finds
	odd := fold(&plain, text)
	words(&w, &plain)
	f.look(a.lex, &w)
	v.judge(&w, &f)
	v.forgery(&plain, text, &f)
	if a.lex.loosen(&a.loose, &a.tmp, &plain) {
		f.look(a.lex, &a.loose)
		v.judge(&a.loose, &f)
	}
	if odd.override > 0 {
		reversed(&a.tmp, &plain, odd.override)
		words(&a.loose, &a.tmp)
		f.look(a.lex, &a.loose)
		v.judge(&a.loose, &f)
	}
}

// name judges the author's name, once for every name a viewer takes. What is rude in a sentence may be a joke in a name: only orders, slurs,
// threats, insults and addresses count there.
func (a *Analyzer) name(v *verdict, who *viewer, name string) {
	if who.name != name {
		who.name, who.naming = name, nil
		n := verdict{inName: true}
		a.reading(&n, name)
		var plain view
		fold(&plain, name)
		if strings.ContainsAny(name, "./") {
			n.links(&plain, name)
		}
		for _, x := range n.found {
			switch x.Category {
			case PromptInjection, Hate, Harassment, Threat, Sexual, Minors, URL, Scam:
				who.naming = append(who.naming, x)
			}
		}
	}
	v.found = append(v.found, who.naming...)
}

// memory compares the comment with what was said lately.
func (a *Analyzer) memory(out *Analysis, v *verdict, who *viewer, c *Comment, at time.Time, asked asking) {
	p := fingerprint(&a.words)
	if p.weight == 0 {
		who.spoke(nil, at)
		return
	}
	seen := a.window.see(c.ID, who.voice, at, p)
	if seen.count > 1 {
		out.DuplicateOf = seen.first
	}
	if seen.wave != "" {
		out.Wave, out.WaveSize = seen.wave, seen.count
	}
	same, fast := who.spoke(seen, at)
	f := &a.finds
	laugh := reaction(&a.words) || f.has(tagLaugh) && p.weight < 16
	raid := !a.raided.IsZero() && at.Sub(a.raided) >= 0 && at.Sub(a.raided) <= raidFor
	if raid && len(v.found) == 0 {
		return
	}
	if same && p.weight >= 6 && !laugh {
		v.add("repetition.viewer", Repetition, RiskLow, "", [2]int{})
	}
	if fast {
		v.add("spam.flood", Spam, RiskLow, "", [2]int{})
	}
	useful := asked.yes || troubleOf(f) != 0 || feedback(f) || f.has(tagFirst) || f.has(tagCue) || f.has(tagRequest)
	kind := useful || f.has(tagPraise) || f.has(tagThanks) || f.has(tagGreet) || f.has(tagBye)
	if seen.wave != "" && !laugh && !useful && (p.weight >= 20 && !kind || p.weight >= 64) {
		v.add("spam.wave", Spam, RiskMedium, "", [2]int{})
	}
}

// meaning fills in what the comment is about.
func (a *Analyzer) meaning(out *Analysis, c *Comment, asked asking, voice uint64, at time.Time) {
	f := &a.finds
	if topic := c.Topic; topic != "" && topic != a.theme.text {
		a.theme = a.lex.themeOf(topic)
	} else if topic == "" && a.theme.text != a.stream.Topic {
		a.theme = a.lex.themeOf(a.stream.Topic)
	}
	out.TopicRelated = a.theme.text != "" && a.theme.related(&a.words, f)
	var concept tag
	out.Subject, concept = subject(f)
	out.Cluster = cluster(out, &a.words, f)
	out.Mood = mood(out, &a.words, f)
	if out.Action == Withhold && !slices.Equal(out.Categories, []Category{Repetition}) {
		return // a bad comment never swells a question
	}
	shingles := fingerprint(&a.words).shingles
	var g *group
	switch t := troubleOf(f); {
	case t != 0:
		out.Subject = subjectOf[t]
		g = a.troubles.join(gist{concept: t, want: tagAsking}, out.Lang, shingles, voice, at)
	case out.Question:
		g = a.questions.join(gistOf(f, asked, concept), out.Lang, shingles, voice, at)
	default:
		return
	}
	out.Group, out.GroupSize, out.GroupVoices = g.id, g.size, len(g.voices)
}
