package comment

import (
	"strconv"
	"time"
)

// Bounds of the memory of questions and troubles.
const (
	groupFor     = 15 * time.Minute
	groupMost    = 200
	groupSamples = 4
	groupTries   = 48 // comparisons for one comment, newest groups first
	sameQuestion = 0.55
	sameSubject  = 0.25
)

// gist is what two questions must share to be one: the thing asked about and the question word. Wording and language do not matter.
type gist struct {
	concept, want tag
	next          bool
}

// group is one question, or one trouble, as many viewers put it.
type group struct {
	id      string
	gist    gist
	lang    string
	samples []sample
	voices  map[uint64]struct{}
	size    int
	last    time.Time
}

// sample is how one viewer put it.
type sample struct {
	shingles []uint32
	bands    [4]uint64
}

// groups remembers the open groups of one kind.
type groups struct {
	prefix string
	made   int
	open   []*group
}

// join puts a comment into the group it belongs to, a new one if none fits.
func (g *groups) join(k gist, lang string, shingles []uint32, voice uint64, at time.Time) *group {
	g.forget(at)
	found := g.find(k, lang, shingles)
	if found == nil {
		g.made++
		found = &group{id: g.prefix + strconv.Itoa(g.made), gist: k, lang: lang, voices: map[uint64]struct{}{}}
		g.open = append(g.open, found)
	}
	found.size++
	found.last = at
	if len(found.voices) < 1024 {
		found.voices[voice] = struct{}{}
	}
	if len(found.samples) < groupSamples && len(shingles) > 0 {
		found.samples = append(found.samples, sample{shingles, bands(shingles)})
	}
	return found
}

func (g *groups) find(k gist, lang string, shingles []uint32) *group {
	var best *group
	score := 0.0
	own := bands(shingles)
	tries := groupTries
	for i := len(g.open) - 1; i >= 0 && tries > 0; i-- {
		o := g.open[i]
		need, head := sameQuestion, 0.0
		same := k.want != 0 && k.concept != 0 && o.gist == k
		switch {
		case same && broad(k.concept) && o.lang == lang:
			need, head = 0.5+sameSubject, 0.5
		case same:
			need, head = 0, 0.5
		case k.concept != 0 && o.gist.concept != 0 && k.concept != o.gist.concept || k.want != 0 && o.gist.want != 0 && k.want != o.gist.want:
			continue
		}
		close := head
		for _, s := range o.samples {
			if same || s.bands[0] == own[0] || s.bands[1] == own[1] || s.bands[2] == own[2] || s.bands[3] == own[3] {
				tries--
				close = max(close, head+alike(s.shingles, shingles))
			}
		}
		if close >= need && close > score {
			best, score = o, close
		}
	}
	return best
}

// broad reports concepts under which quite different questions are asked.
func broad(t tag) bool {
	switch t {
	case tagGame, tagArt, tagStreamer, tagChat, tagSchedule, tagFood, tagVoice, tagAudio, tagVideo:
		return true
	}
	return false
}

func (g *groups) forget(now time.Time) {
	keep := g.open[:0]
	for _, o := range g.open {
		if now.Sub(o.last) <= groupFor {
			keep = append(keep, o)
		}
	}
	clear(g.open[len(keep):])
	g.open = keep
	if len(g.open) >= groupMost {
		oldest := 0
		for i, o := range g.open {
			if o.last.Before(g.open[oldest].last) {
				oldest = i
			}
		}
		g.open = append(g.open[:oldest], g.open[oldest+1:]...)
	}
}

// gistOf reduces a question to what it asks. Of things on the desk people ask "which", however they put it.
func gistOf(f *finds, a asking, concept tag) gist {
	k := gist{concept: concept, want: a.want, next: f.has(tagNext)}
	switch concept {
	case tagMic, tagMachine, tagCamera, tagTablet, tagSoftware, tagBrush:
		k.next = false
		switch {
		case f.has(tagBuy) || k.want == tagMuch:
			k.want = tagMuch
		case k.want == tagWhere, k.want == tagCan, k.want == tagAsking, k.want == 0:
			k.want = tagWhat
		}
	case tagEnd:
		k.want, k.next = tagLong, false
	case tagSchedule:
		if k.want == tagLong {
			k.concept, k.next = tagEnd, false
		}
	}
	if k.want == 0 && k.next && concept != 0 {
		k.want = tagWhat
	}
	if k.want == tagAsking {
		k.want = tagCan
	}
	return k
}

// troubleOf names the trouble a text reports, 0 for none.
func troubleOf(f *finds) tag {
	for _, t := range [...]tag{tagNoSound, tagNoPicture, tagStutter, tagNoise} {
		if f.has(t) {
			return t
		}
	}
	return 0
}
