package comment

import "slices"

// cluster names the coarse kind of a comment, the most telling one first.
func cluster(a *Analysis, w *view, f *finds) string {
	switch {
	case slices.Contains(a.Categories, PromptInjection):
		return ClusterUnsafe
	case slices.Contains(a.Categories, URL):
		return ClusterURL
	case slices.Contains(a.Categories, Spam) || slices.Contains(a.Categories, Repetition) || slices.Contains(a.Categories, Scam):
		return ClusterSpam
	case a.Action != Allow:
		return ClusterOther
	case troubleOf(f) != 0:
		return ClusterTrouble
	case f.has(tagFirst):
		return ClusterFirstTime
	case a.Question && a.TopicRelated:
		return ClusterTopicQ
	case a.Question:
		return ClusterQuestion
	case feedback(f):
		return ClusterFeedback
	case f.has(tagRequest):
		return ClusterRequest
	}
	greet, greets := f.first(tagGreet)
	switch {
	case greets && (!f.has(tagPraise) || greet.from == 0):
		return ClusterGreeting
	case f.has(tagPraise) || f.has(tagThanks):
		return ClusterPraise
	case f.has(tagLaugh) || reaction(w):
		return ClusterReaction
	}
	return ClusterOther
}

// feedback reports a wish to better how the stream comes over: a mild word beside something technical, or beside a complaint about the stream.
func feedback(f *finds) bool {
	if !f.has(tagCue) && !f.has(tagNegative) {
		return false
	}
	technical := f.technical() || f.has(tagMusic) && f.has(tagCue) || f.has(tagVoice)
	return technical && (f.has(tagCue) || f.has(tagNegative)) && !f.has(tagPraise) || f.has(tagCue) && f.has(tagNegative) && f.has(tagStream)
}

// reaction reports a text with hardly a word in it: clapping, laughing, emoji.
func reaction(w *view) bool {
	letters := 0
	for _, k := range w.kind {
		if k != separator && k != digit {
			letters++
		}
	}
	return letters <= 1 || laughing(w)
}

// mood sums up words: -1 worried or hostile, 1 glad.
func mood(a *Analysis, w *view, f *finds) int {
	switch {
	case slices.Contains(a.Categories, SelfHarm), slices.Contains(a.Categories, HostileFeedback), slices.Contains(a.Categories, Harassment), slices.Contains(a.Categories, Threat),
		slices.Contains(a.Categories, Hate), slices.Contains(a.Categories, Demoralizing):
		return -1
	}
	glad, sad := 0, 0
	for _, h := range f.hits {
		switch h.tag {
		case tagPraise, tagThanks, tagLaugh:
			glad++
		case tagSad, tagNegative, tagNoSound, tagNoPicture, tagStutter, tagNoise:
			sad++
		}
	}
	if glad == 0 && sad == 0 && laughing(w) && len(w.r) > 1 {
		glad++
	}
	switch {
	case glad > sad:
		return 1
	case sad > glad:
		return -1
	}
	return 0
}
