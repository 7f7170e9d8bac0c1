package comment

import (
	"math"
	"slices"
	"time"
)

// What makes a comment worth a look. The sum of all positive parts may exceed 1 and is cut there.
const (
	weightQuestion = 0.25
	weightTopic    = 0.20
	weightSafe     = 0.20
	weightNew      = 0.15
	weightKnown    = 0.15
	weightFresh    = 0.05
	weightTrouble  = 0.55
	weightFeedback = 0.15
	weightPaid     = 0.25
	weightMod      = 0.12
	weightMember   = 0.06
	manyMessages   = 50
	freshFor       = time.Minute
)

// standing is what the score needs beyond the analysis itself.
type standing struct {
	count     int // comments of this viewer before this one
	topic     bool
	duplicate bool
	late      time.Duration // behind the newest comment
	reaction  bool
}

// rate sets score and reasons.
func rate(a *Analysis, c *Comment, s standing) {
	score := weightSafe
	a.Reasons = []string{}
	because := func(on bool, reason string, w float64) {
		if on {
			a.Reasons = append(a.Reasons, reason)
			score += w
		}
	}
	because(a.Question, "direct_question", weightQuestion)
	because(a.Cluster == ClusterTrouble, "trouble", weightTrouble)
	because(a.Cluster == ClusterFeedback, "feedback", weightFeedback)
	because(s.topic && a.TopicRelated, "topic_related", weightTopic)
	because(s.topic && !a.TopicRelated, "topic_unrelated", 0)
	because(a.FirstTime || a.Cluster == ClusterFirstTime, "new_viewer", weightNew)
	because(s.count >= 10, "returning_viewer", 0)
	score += weightKnown * float64(min(s.count, manyMessages)) / manyMessages
	because(c.Kind == KindPaid || c.Money != nil, "super_chat", paid(c.Money))
	because(slices.Contains(c.Author.Roles, "moderator") || slices.Contains(c.Author.Roles, "owner"), "moderator", weightMod)
	if slices.Contains(c.Author.Roles, "member") || slices.Contains(c.Author.Roles, "subscriber") {
		score += weightMember
	}
	because(a.Cluster == ClusterPraise, "praise", 0.03)
	fresh := max(0, 1-float64(s.late)/float64(freshFor))
	because(fresh > 0.8, "fresh", weightFresh*fresh)
	because(s.duplicate, "duplicate", -0.25)
	spam := slices.Contains(a.Categories, Spam) || slices.Contains(a.Categories, Repetition)
	because(spam, "spam_like", -0.3)
	if s.reaction {
		score -= 0.2
	}
	if len(c.Text) > 600 {
		score -= 0.1
	}
	because(slices.Contains(a.Categories, ViewerBlocked), "blocked_viewer", -2)
	if a.Action == Withhold {
		because(true, "unsafe", -0.5)
		if a.Risk == RiskHigh {
			score = 0
		}
	}
	if a.Action == Escalate {
		score = 1
	}
	a.Score = math.Round(1000*min(1, max(0, score))) / 1000
}

// paid grows slowly with the amount, so that a large gift is seen before a small one and neither drowns a fault.
func paid(m *Money) float64 {
	if m == nil || m.Micros <= 0 {
		return weightPaid / 2
	}
	units := float64(m.Micros) / 1e6
	switch m.Currency {
	case "JPY", "KRW", "BITS", "HUF", "CLP", "TWD", "INR", "RUB":
		units /= 100
	}
	return weightPaid * (0.5 + 0.5*min(1, math.Log10(1+units)/2))
}
