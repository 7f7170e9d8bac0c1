package rules

// questions tells of one question that several viewers ask, in whatever words.
func questions(v view) []finding {
	var out []finding
	for _, g := range v.Groups {
		if g.Kind != "question" || g.Voices < 2 || g.Size < 3 {
			continue
		}
		severity := low
		switch {
		case g.Voices >= 2*manyVoices:
			severity = high
		case g.Voices >= manyVoices:
			severity = medium
		}
		observed, name := "rules.surge.observed", v.subject(g.Subject)
		if name == "" {
			observed = "rules.surge.observed.plain"
		}
		out = append(out, finding{
			incident: surge + "/" + g.Group, size: g.Size,
			card: card{
				Kind: surge, Severity: severity, Evidence: g.Evidence, Suggested: v.words.Text("rules.surge.suggested"),
				Observed: v.words.Count(observed, g.Size, "Subject", name, "Voices", v.number(g.Voices), "When", v.span(g.First, g.Last)),
			},
		})
	}
	return out
}
