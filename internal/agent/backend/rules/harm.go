package rules

import "slices"

// harms are the categories that hurt others.
func harms() []string {
	return []string{
		"harassment", "hate", "threat", "sexual", "violence", "spam", "scam", "personal_info", "impersonation", "minors",
		"hostile_feedback", "baiting", "demoralizing", "url", "banned_word",
	}
}

// harmful says whether a comment may hurt others. Distress never does; orders to the machine have a rule of their own.
func harmful(o observation) bool {
	if inDistress(o) || givesOrders(o) || (o.Action != "withhold" && rank(o.Risk) < rank(medium)) {
		return false
	}
	return slices.ContainsFunc(o.Categories, func(c string) bool { return slices.Contains(harms(), c) })
}

func grave(o observation) bool { return harmful(o) && o.Risk == high }

// attacks says whether a comment is harm that is aimed at people, or grave: a link or a copied line is neither.
func attacks(o observation) bool {
	aimed := []string{"harassment", "hate", "threat", "sexual", "violence", "hostile_feedback", "baiting", "demoralizing"}
	return grave(o) || (harmful(o) && slices.ContainsFunc(o.Categories, func(c string) bool { return slices.Contains(aimed, c) }))
}

func ofCrew(o observation) bool { return o.Role == "owner" || o.Role == "moderator" }

// harm tells of viewers who hurt others, one finding each; single mild ones of many viewers come together.
func harm(v view) []finding {
	var out []finding
	var mild []observation
	for _, who := range viewers(v.pick(func(o observation) bool { return harmful(o) && o.Wave == "" })) {
		list := v.recall(func(o observation) bool { return o.Viewer == who && harmful(o) })
		n := 0
		for _, o := range list {
			if grave(o) {
				n++
			}
		}
		severity := low
		switch {
		case n >= 2:
			severity = high
		case n == 1, len(list) >= 3:
			severity = medium
		case len(list) == 1:
			mild = append(mild, list...)
			continue
		}
		out = append(out, v.harmOf(who, list, n, severity))
	}
	if len(mild) > 2 {
		return append(out, v.scattered(mild))
	}
	for _, o := range mild {
		out = append(out, v.harmOf(o.Viewer, []observation{o}, 0, low))
	}
	return out
}

func (v view) harmOf(who string, list []observation, grave int, severity string) finding {
	observed, suggested := "rules.harm.observed", "rules.harm.watch"
	if grave > 0 {
		observed = "rules.harm.observed.high"
	}
	if v.timedOut(who, v.look) {
		suggested = "rules.harm.proposed"
	} else if v.did(toolDelete, func(m made) bool { return slices.Contains(refs(list), m.args.Comment) }) {
		suggested = "rules.harm.deletion"
	} else if grave > 0 {
		suggested = "rules.harm.check"
	}
	return finding{
		incident: safety + "/" + who, size: len(list),
		card: card{
			Kind: safety, Severity: severity, Evidence: refs(list), Suggested: v.words.Text(suggested),
			Observed: v.words.Count(observed, len(list), "Viewer", who, "What", v.categories(list), "When", v.spanOf(list), "High", v.number(grave)),
		},
	}
}

// scattered tells of mild findings of several viewers in one card.
func (v view) scattered(list []observation) finding {
	name := leading(each(list, func(o observation) string { return o.Categories[0] }))
	if name == "" {
		name = v.moment(list)
	}
	return finding{
		incident: safety + "/" + name, size: len(list),
		card: card{
			Kind: safety, Severity: low, Evidence: refs(list), Suggested: v.words.Text("rules.harm.watch"),
			Observed: v.words.Count("rules.harm.scattered", len(list), "Voices", v.number(people(list)), "What", v.categories(list), "When", v.spanOf(list)),
		},
	}
}
