package rules

import (
	"slices"
)

// suggests says whether a comment is feedback that helps.
func suggests(o observation) bool {
	return (o.Cluster == "constructive_feedback" || slices.Contains(o.Reasons, "feedback")) && o.Action == "allow" && o.Group == ""
}

// suggestions tells of feedback about one subject by more than one viewer.
func suggestions(v view) []finding {
	var out []finding
	done := map[string]bool{}
	for _, o := range v.pick(suggests) {
		if done[o.Subject] {
			continue
		}
		done[o.Subject] = true
		list := v.recall(func(p observation) bool { return suggests(p) && p.Subject == o.Subject && p.Offset >= v.Window.To-600 })
		voices := people(list)
		if voices < 2 {
			continue
		}
		severity := low
		if voices >= 4 {
			severity = medium
		}
		key, name := "rules.feedback.observed", v.subject(o.Subject)
		incident := feedback + "/" + o.Subject
		if name == "" {
			key, incident = "rules.feedback.observed.plain", feedback+"/"+v.moment(list)
		}
		out = append(out, finding{
			incident: incident, size: len(list),
			card: card{
				Kind: feedback, Severity: severity, Evidence: refs(list), Suggested: v.about("rules.feedback.suggested", o.Subject),
				Observed: v.words.Count(key, len(list), "Subject", name, "Voices", v.number(voices), "When", v.spanOf(list)),
			},
		})
	}
	return out
}
