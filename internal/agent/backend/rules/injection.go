package rules

import "slices"

func givesOrders(o observation) bool { return slices.Contains(o.Categories, "prompt_injection") }

// injection tells that somebody gave orders to the machine. The card is all that follows from it.
func injection(v view) []finding {
	if len(v.pick(givesOrders)) == 0 {
		return nil
	}
	list := v.recall(givesOrders)
	name := leading(each(list, func(o observation) string { return o.Viewer }))
	if name == "" {
		name = "prompt_injection"
	}
	severity := medium
	if len(list) >= 6 {
		severity = high
	}
	return []finding{{
		incident: safety + "/" + name, size: len(list),
		card: card{
			Kind: safety, Severity: severity, Evidence: refs(list), Suggested: v.words.Text("rules.injection.suggested"),
			Observed: v.words.Count("rules.injection.observed", len(list), "When", v.spanOf(list)),
		},
	}}
}
