package rules

import (
	"regexp"
	"slices"
	"strconv"

	"urakata/internal/agent"
)

// A repaired answer holds at most this many cards: a small one that stands is better than a whole one that falls again.
const maxMended = 3

// repair is an answer that was not accepted, and what was said about it.
type repair struct {
	cards []card
	bad   []int
	again bool // an answer of this turn was refused before
}

// mending finds the refused answer in front of a repair instruction.
func mending(before []agent.Message, issues string) *repair {
	r := &repair{}
	for i := len(before) - 1; i >= 0; i-- {
		if before[i].Role == agent.RoleAssistant && len(before[i].Calls) == 0 {
			r.cards, _ = parse(before[i].Text)
			break
		}
		if before[i].Role != agent.RoleAssistant && before[i].Kind != "repair" {
			break
		}
	}
	for i := len(before) - 1; i >= 0 && i >= len(before)-2; i-- {
		r.again = r.again || before[i].Kind == "repair"
	}
	for _, m := range regexp.MustCompile(`cards[.\[](\d+)`).FindAllStringSubmatch(issues, -1) {
		if n, err := strconv.Atoi(m[1]); err == nil {
			r.bad = append(r.bad, n)
		}
	}
	return r
}

// mend leaves out the cards that were at fault; when none was named, all but the first; the second time, all.
func (r *repair) mend() string {
	var kept []card
	for i, c := range r.cards {
		if r.again || slices.Contains(r.bad, i) || (len(r.bad) == 0 && i > 0) || len(kept) == maxMended {
			continue
		}
		kept = append(kept, c)
	}
	return cards(kept)
}
