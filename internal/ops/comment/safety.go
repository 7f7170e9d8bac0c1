package comment

import "slices"

// Categories that only a rule of this package gives, beside those of analysis.go.
const (
	Empty      Category = "empty"       // nothing a person could read
	BannedWord Category = "banned_word" // a word the operator listed
)

// finding is one thing the rules have against a comment.
type finding struct {
	Rule
	action Action
}

// verdict collects findings; the worst one decides.
type verdict struct {
	found  []finding
	raw    string // the text, for the letters' case
	inName bool
	fixed  *[2]int // the span of every finding while a decoded payload is judged
}

// maxRules bounds the findings of one comment; the first ones say enough.
const maxRules = 32

// add notes a finding once per rule and place.
func (v *verdict) add(id string, c Category, severity Risk, lang string, span [2]int) {
	if v.fixed != nil {
		span = *v.fixed
	}
	if len(v.found) >= maxRules {
		return
	}
	action := Withhold
	if c == SelfHarm {
		action = Escalate
	}
	for _, f := range v.found {
		if f.ID == id && (f.Span == span || overlap(f.Span, span)) && f.InName == v.inName {
			return
		}
	}
	v.found = append(v.found, finding{Rule: Rule{ID: id, Category: c, Span: span, Lang: lang, Severity: severity, InName: v.inName}, action: action})
}

func overlap(a, b [2]int) bool { return a[0] < b[1] && b[0] < a[1] }

func (v *verdict) has(c Category) bool {
	for _, f := range v.found {
		if f.Category == c {
			return true
		}
	}
	return false
}

// spare drops findings inside spans the operator allowed.
func (v *verdict) spare(allowed [][2]int) {
	if len(allowed) == 0 {
		return
	}
	v.found = slices.DeleteFunc(v.found, func(f finding) bool {
		if f.InName {
			return false
		}
		for _, a := range allowed {
			if a[0] <= f.Span[0] && f.Span[1] <= a[1] && f.Span[1] > 0 {
				return true
			}
		}
		return false
	})
}

var riskOrder = map[Risk]int{RiskNone: 0, "": 0, RiskLow: 1, RiskMedium: 2, RiskHigh: 3}

// settle writes the verdict into the analysis. A cry for help is escalated whatever else was found.
func (v *verdict) settle(a *Analysis) {
	a.Action, a.Risk = Allow, RiskNone
	a.Categories, a.Rules = []Category{}, []Rule{}
	for _, f := range v.found {
		a.Rules = append(a.Rules, f.Rule)
		switch {
		case f.action == Escalate:
			a.Action = Escalate
		case f.action == Withhold && a.Action == Allow:
			a.Action = Withhold
		}
		if riskOrder[f.Severity] > riskOrder[a.Risk] {
			a.Risk = f.Severity
		}
		if !slices.Contains(a.Categories, f.Category) {
			a.Categories = append(a.Categories, f.Category)
		}
		if f.Severity == RiskHigh && blocks(f.Category) {
			a.BlockViewer = true
		}
	}
}

// blocks reports categories whose grave findings make the viewer's next comments withheld too. A person in danger, or one whose data was
// posted, is never silenced for it.
func blocks(c Category) bool {
	switch c {
	case SelfHarm, PersonalInfo, URL, Spam, Repetition, ViewerBlocked, Empty:
		return false
	}
	return true
}

// judge runs every rule that reads words over one view.
func (v *verdict) judge(w *view, f *finds) {
	if f.any == [2]uint64{} {
		return
	}
	v.injection(w, f)
	v.selfHarm(w, f)
	v.threats(w, f)
	v.hate(w, f)
	v.sexual(w, f)
	v.harassment(w, f)
	v.hostility(w, f)
	v.privacy(w, f)
	v.scams(w, f)
}

// hit adds a finding for one term.
func (v *verdict) hit(id string, c Category, severity Risk, w *view, h hit) {
	v.add(id, c, severity, h.lang, w.span(h.from, h.to))
}

// pair adds a finding that spans two terms and what lies between.
func (v *verdict) pair(id string, c Category, severity Risk, w *view, a, b hit) {
	v.add(id, c, severity, a.lang, w.span(min(a.from, b.from), max(a.to, b.to)))
}
