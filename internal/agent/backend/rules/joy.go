package rules

// joy tells of a moment worth finding again: many are glad at once, and the chat is faster than usual.
func joy(v view) []finding {
	w := v.Window
	if w.Glad < 5 || w.Glad*5 < w.Comments*2 || w.PerMinute < w.Usual*1.5 {
		return nil
	}
	list := v.pick(func(o observation) bool { return o.Mood > 0 })
	if len(list) == 0 {
		return nil
	}
	name := leading(each(list, func(o observation) string { return o.Wave }))
	if name == "" {
		name = v.moment(list)
	}
	severity, key := low, "rules.joy.observed"
	if w.Glad >= 20 {
		severity = medium
	}
	if w.Usual == 0 {
		key = "rules.joy.observed.plain"
	}
	return []finding{{
		incident: highlight + "/" + name, size: w.Glad,
		card: card{
			Kind: highlight, Severity: severity, Evidence: refs(list), Suggested: v.words.Text("rules.joy.suggested"),
			Observed: v.words.Count(key, w.Glad, "Comments", v.number(w.Comments), "When", v.span(w.From, w.To),
				"PerMinute", v.words.Number(w.PerMinute), "Usual", v.words.Number(w.Usual)),
		},
	}}
}
