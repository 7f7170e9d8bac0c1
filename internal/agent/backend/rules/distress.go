package rules

import "slices"

// inDistress says whether a person may need care: words of self-harm, or anything the analysis brought to a person with care.
func inDistress(o observation) bool {
	return o.Action == "escalate" || slices.Contains(o.Categories, "self_harm")
}

// distress tells of a person who may be in danger, at once and gravely. It never leads to a deletion or a time-out.
func distress(v view) []finding {
	var out []finding
	for _, who := range viewers(v.pick(inDistress)) {
		list := v.recall(func(o observation) bool { return o.Viewer == who && inDistress(o) })
		out = append(out, finding{
			incident: safety + "/" + who, size: len(list), urgent: true,
			card: card{
				Kind: safety, Severity: high, Evidence: refs(list),
				Observed:  v.words.Count("rules.distress.observed", len(list), "When", v.spanOf(list), "Viewer", who),
				Suggested: v.words.Text("rules.distress.suggested"),
			},
		})
	}
	return out
}
