package rules

import "strings"

// paid tells of support in money: sums by currency, never added up across them and never by person.
func paid(v view) []finding {
	list := v.pick(func(o observation) bool { return o.Paid != nil && o.Action != "withhold" && !inDistress(o) })
	if len(list) == 0 {
		return nil
	}
	sums, count := map[string]int64{}, map[string]int{}
	for _, o := range list {
		if o.Paid.Micros > 0 && o.Paid.Currency != "XXX" {
			sums[o.Paid.Currency] += o.Paid.Micros
			count[o.Paid.Currency]++
		}
	}
	var amounts []string
	for _, c := range most(count) {
		amounts = append(amounts, v.words.Money(sums[c], c))
	}
	key := "rules.paid.observed"
	if len(amounts) == 0 {
		key = "rules.paid.observed.plain"
	}
	return []finding{{
		incident: information + "/" + v.moment(list), size: len(list),
		card: card{
			Kind: information, Severity: low, Evidence: refs(list), Suggested: v.words.Text("rules.paid.suggested"),
			Observed: v.words.Count(key, len(list), "Amounts", strings.Join(amounts, v.words.Text("rules.comma")), "When", v.spanOf(list)),
		},
	}}
}
