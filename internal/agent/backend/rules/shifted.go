package rules

// shifted tells that the chat has turned to another subject.
func shifted(v view) []finding {
	s := v.Shift
	if s == nil || v.subject(s.To) == "" {
		return nil
	}
	now := len(s.Evidence)
	before := 0
	for _, c := range v.Subjects {
		if c.Subject == s.To {
			now, before = c.Count, c.Before
		}
	}
	key := "rules.shift.observed"
	if v.subject(s.From) == "" {
		key = "rules.shift.observed.plain"
	}
	return []finding{{
		incident: turned + "/" + s.To, size: now,
		card: card{
			Kind: turned, Severity: low, Evidence: s.Evidence, Suggested: v.words.Text("rules.shift.suggested"),
			Observed: v.words.Text(key, "From", v.subject(s.From), "To", v.subject(s.To), "At", v.offset(s.At), "Now", v.number(now), "Before", v.number(before)),
		},
	}}
}
