package rules

// manyVoices is how many viewers make a trouble or a question the matter of the whole chat.
const manyVoices = 5

// trouble tells of something that keeps viewers from following: no sound, no picture, lag.
func trouble(v view) []finding {
	var out []finding
	for _, g := range v.Groups {
		if g.Kind != "trouble" || g.Voices < 2 {
			continue
		}
		severity := low
		switch {
		case g.Voices >= manyVoices:
			severity = high
		case g.Voices >= 3:
			severity = medium
		}
		observed, name := "rules.trouble.observed", v.subject(g.Subject)
		if name == "" {
			observed = "rules.trouble.observed.plain"
		}
		out = append(out, finding{
			incident: information + "/" + g.Group, size: g.Size,
			card: card{
				Kind: information, Severity: severity, Evidence: g.Evidence, Suggested: v.about("rules.trouble.suggested", g.Subject),
				Observed: v.words.Count(observed, g.Size, "Subject", name, "Voices", v.number(g.Voices), "When", v.span(g.First, g.Last)),
			},
		})
	}
	return out
}
