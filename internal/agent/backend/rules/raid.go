package rules

// raids tells that another channel's viewers came. It is good news: information, never a matter of safety.
func raids(v view) []finding {
	list := v.pick(func(o observation) bool { return o.Raid > 0 })
	if len(list) == 0 {
		return nil
	}
	came := 0
	for _, o := range list {
		came += o.Raid
	}
	evidence, name := refs(list), v.moment(list)
	key := "rules.raid.observed"
	for _, w := range v.Waves {
		if w.Friendly {
			evidence, name, key = append(evidence, w.Evidence...), w.Wave, "rules.raid.observed.greeting"
			break
		}
	}
	return []finding{{
		incident: information + "/" + name, size: came,
		card: card{
			Kind: information, Severity: low, Evidence: evidence, Suggested: v.words.Text("rules.raid.suggested"),
			Observed: v.words.Count(key, came, "When", v.spanOf(list)),
		},
	}}
}
