package main

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"urakata/internal/ops"
)

// meters counts the staff's work for Prometheus. Every label comes from a closed list; none can hold a viewer's word or name.
func meters(r prometheus.Registerer) ops.Meters {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "urakata", Name: name, Help: help}, labels)
		r.MustRegister(c)
		return c
	}
	comments := counter("comments_total", "Comments stored, by platform.", "platform")
	briefings := counter("briefings_total", "Briefings sent to sessions.")
	cards := counter("cards_total", "Cards saved, by kind; fresh is false for an update of a card that stood.", "kind", "fresh")
	turns := counter("turns_total", "Turns ended, by how.", "ended")
	tokens := counter("tokens_total", "Tokens that backends said they used.")
	decisions := counter("decisions_total", "Inbox items decided, by state.", "state")
	actions := counter("actions_total", "Actions carried out, by tool and by what the platform said.", "tool", "code")
	took := prometheus.NewHistogram(prometheus.HistogramOpts{
		Namespace: "urakata", Name: "turn_seconds", Help: "How long turns took.", Buckets: []float64{.01, .05, .25, 1, 5, 15, 60, 300},
	})
	r.MustRegister(took)
	return ops.Meters{
		Comments: func(platform string, n int) { comments.WithLabelValues(platform).Add(float64(n)) },
		Briefing: func() { briefings.WithLabelValues().Inc() },
		Card:     func(kind ops.CardKind, fresh bool) { cards.WithLabelValues(string(kind), word(fresh)).Inc() },
		Turn: func(ended string, d time.Duration, n int) {
			turns.WithLabelValues(ended).Inc()
			tokens.WithLabelValues().Add(float64(n))
			took.Observe(d.Seconds())
		},
		Decision: func(state ops.ItemState) { decisions.WithLabelValues(string(state)).Inc() },
		Action:   func(tool, code string) { actions.WithLabelValues(tool, code).Inc() },
	}
}

func word(b bool) string {
	if b {
		return "true"
	}
	return "false"
}
