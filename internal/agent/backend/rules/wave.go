package rules

import "slices"

// waves tells of the same post by many viewers: a copied harm, a shared joy, or only a copy. Friendly ones belong to a raid.
func waves(v view) []finding {
	var out []finding
	for _, w := range v.Waves {
		if w.Friendly || w.Voices < 3 || w.Size < 5 {
			continue
		}
		list := v.recall(func(o observation) bool { return slices.Contains(w.Evidence, o.Ref) })
		kind, severity, key := information, low, "rules.wave.plain"
		switch {
		case len(list) == 0:
		case slices.ContainsFunc(list, harmful):
			kind, severity, key = safety, medium, "rules.wave.harm"
			if w.Size >= 20 || slices.ContainsFunc(list, grave) {
				severity = high
			}
		case slices.ContainsFunc(list, func(o observation) bool { return o.Mood > 0 || o.Cluster == "reaction" || o.Cluster == "praise" }):
			kind, key = highlight, "rules.wave.joy"
		}
		out = append(out, finding{
			incident: kind + "/" + w.Wave, size: w.Size,
			card: card{
				Kind: kind, Severity: severity, Evidence: w.Evidence, Suggested: v.words.Text(key + ".suggested"),
				Observed: v.words.Count(key+".observed", w.Size, "Voices", v.number(w.Voices)),
			},
		})
	}
	return out
}
