package rules

import (
	"encoding/json"
	"fmt"
	"slices"

	"urakata/internal/agent"
	"urakata/internal/lang"
)

// heard is what the messages of a request come to.
type heard struct {
	seen      *seen
	briefings []look // every one of the history, oldest first
	unsaid    int    // how many of the last ones have not been answered with cards
	called    []made // every call of the history, and what waits for a person
	proposed  bool   // calls were made since the newest briefing
	answers   []operatorAnswer
	report    *reportFacts
	reported  bool
	repair    *repair
	tools     map[string]bool
}

// look is a briefing with what was known at that moment.
type look struct {
	briefing
	seen *seen
	upTo int    // how many observations were seen then
	said []card // the cards that answered it; nil while it is unsaid
}

// seen is every observation of the history, in the order in which they came.
type seen struct {
	all []observation
	at  map[string]int // by ref
}

func (s *seen) add(list []observation) {
	for _, o := range list {
		if _, again := s.at[o.Ref]; !again {
			s.at[o.Ref] = len(s.all)
			s.all = append(s.all, o)
		}
	}
}

// find gives the observation that a ref names; the zero one when it had not been seen then.
func (l look) find(ref string) observation {
	if i, ok := l.seen.at[ref]; ok && i < l.upTo {
		return l.seen.all[i]
	}
	return observation{}
}

// made is a call that was asked for. Result is what came back at once.
type made struct {
	id     string
	tool   string
	args   arguments
	result string
}

// arguments are those of every tool of the desk.
type arguments struct {
	Comment  string   `json:"comment"`
	Evidence []string `json:"evidence"`
	Text     string   `json:"text"`
}

// operatorAnswer is what a person said to a question.
type operatorAnswer struct {
	Question string `json:"question"`
	Answer   string `json:"answer"`
	fresh    bool   // nothing was said since
}

func offers(req *agent.Request, tool string) bool {
	return slices.ContainsFunc(req.Tools, func(d agent.ToolDef) bool { return d.ID == tool })
}

// hear goes through the messages once, in order.
func hear(req *agent.Request) (*heard, error) {
	h := &heard{tools: map[string]bool{}, seen: &seen{at: map[string]int{}}}
	for _, d := range req.Tools {
		h.tools[d.ID] = true
	}
	for i, m := range req.Messages {
		switch m.Role {
		case agent.RoleContext:
			if err := h.context(m); err != nil {
				return nil, fmt.Errorf("message %d: %w", i, err)
			}
		case agent.RoleAssistant:
			h.repair = nil
			if len(m.Calls) > 0 {
				h.calls(m.Calls)
			} else if !refused(req.Messages[i+1:]) {
				h.spoke(m.Text)
			}
		case agent.RoleTool:
			for at := len(h.called) - 1; at >= 0; at-- {
				if h.called[at].id == m.Call {
					h.called[at].result = m.Text
					break
				}
			}
		case agent.RoleInstruction:
			if m.Kind == "repair" {
				h.repair = mending(req.Messages[:i], m.Text)
			}
		}
	}
	return h, nil
}

// refused says whether the next word after an answer is that it was not accepted.
func refused(after []agent.Message) bool {
	return len(after) > 0 && after[0].Kind == "repair"
}

func (h *heard) context(m agent.Message) error {
	switch m.Kind {
	case "observations":
		var b briefing
		if err := json.Unmarshal(m.Data, &b); err != nil {
			return fmt.Errorf("observations: %w", err)
		}
		h.seen.add(b.Observations)
		h.briefings, h.unsaid, h.proposed, h.repair = append(h.briefings, look{briefing: b, seen: h.seen, upTo: len(h.seen.all)}), h.unsaid+1, false, nil
	case "operator-answer":
		var a operatorAnswer
		if err := json.Unmarshal(m.Data, &a); err != nil {
			return fmt.Errorf("operator-answer: %w", err)
		}
		a.fresh = true
		h.answers, h.proposed = append(h.answers, a), false
	case "report-facts":
		f := reportFacts{}
		if err := json.Unmarshal(m.Data, &f); err != nil {
			return fmt.Errorf("report-facts: %w", err)
		}
		h.report, h.reported = &f, false
	case "awaiting-approval", "pending":
		h.waiting(m.Data)
	}
	return nil
}

// waiting notes what a person has been asked for. A list that cannot be read says nothing that the history does not.
func (h *heard) waiting(data json.RawMessage) {
	var rows []struct {
		Tool      string    `json:"toolId"`
		Arguments arguments `json:"arguments"`
	}
	if json.Unmarshal(data, &rows) != nil {
		return
	}
	for _, r := range rows {
		h.called = append(h.called, made{tool: r.Tool, args: r.Arguments})
	}
}

func (h *heard) calls(list []agent.ToolCall) {
	h.proposed = true
	h.settle()
	for _, c := range list {
		m := made{id: c.ID, tool: c.Tool}
		if err := json.Unmarshal([]byte(c.Arguments), &m.args); err != nil {
			m.args = arguments{} // another mind wrote it, and wrote it badly: it named no target
		}
		h.called = append(h.called, m)
		h.reported = h.reported || c.Tool == toolReport
	}
}

// spoke notes an answer with cards: every briefing before it has been dealt with.
func (h *heard) spoke(text string) {
	h.settle()
	said, ok := parse(text)
	if !ok {
		return
	}
	for at := len(h.briefings) - h.unsaid; at < len(h.briefings); at++ {
		h.briefings[at].said = said
	}
	h.unsaid, h.proposed = 0, false
}

func (h *heard) settle() {
	for i := range h.answers {
		h.answers[i].fresh = false
	}
}

func parse(text string) ([]card, bool) {
	var a struct {
		Cards *[]card `json:"cards"`
	}
	if json.Unmarshal([]byte(text), &a) != nil || a.Cards == nil {
		return nil, false
	}
	return *a.Cards, true
}

// now is the scene of this step: the briefings that nobody has answered yet, and what was told before.
func (h *heard) now(p lang.Printer) scene {
	return scene{heard: h, looks: h.briefings[len(h.briefings)-h.unsaid:], told: h.memory(p), words: p}
}
