package rules

import (
	"encoding/json"
	"slices"
)

// Ids of the tools that the rules know how to use.
const (
	toolAsk      = "operator.ask"
	toolReport   = "report.submit"
	toolDelete   = "chat.delete"
	toolTimeout  = "viewer.timeout"
	toolAnnounce = "chat.announce"
)

// Bounds of what is proposed in one step, so that the inbox stays readable.
const (
	maxCalls       = 6
	maxDeletions   = 3
	timeoutSeconds = 600
	patience       = 3   // attacks on people that one viewer may make before a time-out is proposed; grave ones count until the second
	unanswered     = 60  // seconds a question of many voices waits before the operator is asked
	announceAgain  = 600 // seconds between two announcements about trouble, when the first is no longer in the history
)

// call is a call to make.
type call struct {
	tool string
	args map[string]any
}

func (c call) arguments() string {
	data, err := json.Marshal(c.args)
	if err != nil {
		return "{}" // texts, numbers and lists of texts always marshal
	}
	return string(data)
}

// proposals are the calls of this step: care first, then the operator's wishes, then what protects others, then what helps the many. None of
// them is made twice for the same target, and none when the stream has ended.
func (s scene) proposals() []call {
	var out []call
	for _, l := range s.looks {
		if l.Stream.Ended {
			continue
		}
		v := view{look: l, words: s.words, heard: s.heard}
		for _, propose := range []func(view) []call{care, timeouts, deletions, outages, openQuestions} {
			for _, c := range propose(v) {
				if s.tools[c.tool] && !slices.ContainsFunc(out, c.same) {
					out = append(out, c)
				}
			}
		}
	}
	for _, c := range s.wished() {
		if s.tools[c.tool] && !slices.ContainsFunc(out, c.same) {
			out = append(out, c)
		}
	}
	return out[:min(len(out), maxCalls)]
}

func (c call) same(o call) bool { return c.tool == o.tool && c.arguments() == o.arguments() }

// did says whether a call of this tool that fits was made before, or waits for a person.
func (h *heard) did(tool string, fits func(made) bool) bool {
	return slices.ContainsFunc(h.called, func(m made) bool { return m.tool == tool && fits(m) })
}

// raised says whether the inbox of this stream already holds a call of this tool that fits: what the history has forgotten, the briefing still tells.
func (l look) raised(tool string, fits func(raised) bool) bool {
	return slices.ContainsFunc(l.Raised, func(r raised) bool { return r.Tool == tool && fits(r) })
}

// timedOut says whether a time-out of the viewer was proposed.
func (h *heard) timedOut(who string, l look) bool {
	return l.raised(toolTimeout, func(r raised) bool { return slices.Contains(r.Viewers, who) }) || h.did(toolTimeout, func(m made) bool { return l.find(m.args.Comment).Viewer == who })
}

// care asks the operator about a person who may be in distress, once for each.
func care(v view) []call {
	var fresh []observation
	for _, o := range v.pick(inDistress) {
		asked := v.raised(toolAsk, func(r raised) bool { return slices.Contains(r.Viewers, o.Viewer) && len(r.Groups) == 0 }) || v.did(toolAsk, func(m made) bool {
			return slices.ContainsFunc(m.args.Evidence, func(ref string) bool { p := v.look.find(ref); return p.Viewer == o.Viewer && inDistress(p) })
		})
		if !asked {
			fresh = append(fresh, o)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	return []call{{toolAsk, map[string]any{
		"question": v.words.Count("rules.ask.distress", len(fresh), "When", v.spanOf(fresh)),
		"evidence": tidy(refs(fresh)),
		"choices":  []string{v.words.Text("rules.ask.distress.reach"), v.words.Text("rules.ask.distress.help"), v.words.Text("rules.ask.distress.watch")},
	}}}
}

// untouchable says whom nothing may be done to: the crew, and whoever may be in distress.
func (v view) untouchable(who string) bool {
	return len(v.recall(func(o observation) bool { return o.Viewer == who && (ofCrew(o) || inDistress(o)) })) > 0
}

// timeouts proposes to time out a viewer who hurt others gravely twice, or went on attacking people.
func timeouts(v view) []call {
	var out []call
	for _, who := range viewers(v.pick(attacks)) {
		list := v.recall(func(o observation) bool { return o.Viewer == who && attacks(o) })
		worst := v.recall(func(o observation) bool { return o.Viewer == who && grave(o) })
		reason := "rules.timeout.reason.repeated"
		if len(worst) >= 2 {
			list, reason = worst, "rules.timeout.reason"
		} else if len(list) < patience {
			continue
		}
		if v.untouchable(who) || v.timedOut(who, v.look) {
			continue
		}
		out = append(out, call{toolTimeout, map[string]any{
			"comment": list[len(list)-1].Ref, "seconds": timeoutSeconds,
			"reason": v.words.Count(reason, len(list), "What", v.categories(list), "When", v.spanOf(list)),
		}})
	}
	return out
}

// deletions proposes to delete comments that hurt others gravely and are withheld.
func deletions(v view) []call {
	var out []call
	for _, o := range v.pick(grave) {
		gone := v.raised(toolDelete, func(r raised) bool { return slices.Contains(r.Refs, o.Ref) }) || v.did(toolDelete, func(m made) bool { return m.args.Comment == o.Ref })
		if o.Action != "withhold" || gone || v.untouchable(o.Viewer) || len(out) == maxDeletions {
			continue
		}
		out = append(out, call{toolDelete, map[string]any{
			"comment": o.Ref, "reason": v.words.Text("rules.delete.reason", "What", v.categories([]observation{o}), "When", v.offset(o.Offset)),
		}})
	}
	return out
}

// outages proposes to tell the chat that a trouble of many is known.
func outages(v view) []call {
	var out []call
	for _, g := range v.Groups {
		text := v.about("rules.announce.trouble", g.Subject)
		if g.Kind != "trouble" || g.Voices < manyVoices || v.did(toolAnnounce, func(m made) bool { return m.args.Text == text }) ||
			v.raised(toolAnnounce, func(r raised) bool { return r.Age < announceAgain }) {
			continue
		}
		out = append(out, call{toolAnnounce, map[string]any{
			"text":   text,
			"reason": v.words.Count("rules.announce.reason", g.Size, "Voices", v.number(g.Voices), "When", v.span(g.First, g.Last)),
		}})
	}
	return out
}

// openQuestions asks the operator about a question of many voices that goes on being asked.
func openQuestions(v view) []call {
	var out []call
	for _, g := range v.Groups {
		if g.Kind != "question" || g.Voices < manyVoices || g.Last-g.First < unanswered || v.askedAbout(g.Group) ||
			v.raised(toolAsk, func(r raised) bool { return slices.Contains(r.Groups, g.Group) }) {
			continue
		}
		key, name := "rules.ask.question", v.subject(g.Subject)
		if name == "" {
			key = "rules.ask.question.plain"
		}
		out = append(out, call{toolAsk, map[string]any{
			"question": v.words.Count(key, g.Size, "Subject", name, "Voices", v.number(g.Voices), "When", v.span(g.First, g.Last)),
			"evidence": tidy(g.Evidence),
			"choices":  []string{v.words.Text("rules.ask.question.stream"), v.words.Text("rules.ask.question.announce"), v.words.Text("rules.ask.question.wait")},
		}})
	}
	return out
}

// askedAbout says whether the operator was asked about a group, by the refs the group ever had.
func (h *heard) askedAbout(name string) bool {
	return h.did(toolAsk, func(m made) bool { return h.groupOf(m.args.Evidence).Group == name })
}

// groupOf finds the group that refs belong to, as it was seen last.
func (h *heard) groupOf(evidence []string) group {
	for i := len(h.briefings) - 1; i >= 0; i-- {
		for _, g := range h.briefings[i].Groups {
			if slices.ContainsFunc(g.Evidence, func(ref string) bool { return slices.Contains(evidence, ref) }) {
				return g
			}
		}
	}
	return group{}
}

// wished does what the operator chose: an announcement, when that was the answer to one of our questions. A person decides again on its words.
func (s scene) wished() []call {
	var out []call
	for _, a := range s.answers {
		if !a.fresh || a.Answer != s.words.Text("rules.ask.question.announce") {
			continue
		}
		for _, m := range s.called {
			var r struct {
				Question string `json:"question"`
			}
			if m.tool != toolAsk || json.Unmarshal([]byte(m.result), &r) != nil || r.Question == "" || r.Question != a.Question {
				continue
			}
			text := s.words.Text("rules.announce.question.plain")
			if name := (view{words: s.words}).subject(s.groupOf(m.args.Evidence).Subject); name != "" {
				text = s.words.Text("rules.announce.question", "Subject", name)
			}
			if !s.did(toolAnnounce, func(m made) bool { return m.args.Text == text }) {
				out = append(out, call{toolAnnounce, map[string]any{"text": text, "reason": s.words.Text("rules.announce.wished")}})
			}
		}
	}
	return out
}
