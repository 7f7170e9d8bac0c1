package rules

import (
	"slices"
	"strings"

	"urakata/internal/lang"
)

// reportFacts are the numbers of a stream that has ended, as far as the words of a report need them. Any part may be missing.
type reportFacts struct {
	Seconds   int                 `json:"seconds"`
	Numbers   map[string]*float64 `json:"numbers"` // nil: nobody measured it
	Questions []struct {
		Subject  string `json:"subject"`
		Count    int    `json:"count"`
		Voices   int    `json:"voices"`
		Answered *bool  `json:"answered"`
	} `json:"questions"`
	Safety []struct {
		Category string `json:"category"`
		Count    int    `json:"count"`
	} `json:"safety"`
	Feedback []struct {
		Subject string `json:"subject"`
		Count   int    `json:"count"`
		Voices  int    `json:"voices"`
	} `json:"feedback"`
	Topics []struct {
		Subject string `json:"subject"`
		Count   int    `json:"count"`
	} `json:"topics"`
	Community struct {
		Viewers int `json:"viewers"`
		New     int `json:"new"`
	} `json:"community"`
}

// teller words the report.
type teller struct {
	reportFacts
	view // for its words only
}

// report hands in three sentences and three things to do next time, all of them from the numbers.
func report(f reportFacts, p lang.Printer) call {
	t := teller{reportFacts: f, view: view{words: p}}
	return call{toolReport, map[string]any{
		"summary": []string{t.size(), t.talk(), t.care()},
		"next":    t.next(),
	}}
}

// figure is a number at the top of the report, and whether it was measured.
func (t teller) figure(name string) (int, bool) {
	if n := t.Numbers[name]; n != nil {
		return int(*n), true
	}
	return 0, false
}

// size says how long, how many and by whom.
func (t teller) size() string {
	n, ok := t.figure("comments")
	if !ok {
		return t.words.Text("rules.report.size.unknown")
	}
	viewers, ok := t.figure("viewers")
	if !ok {
		viewers = t.Community.Viewers
	}
	return t.words.Count("rules.report.size", n, "Time", t.offset(t.Seconds), "Viewers", t.number(viewers), "New", t.number(t.Community.New))
}

// talk says what it was about and what was asked.
func (t teller) talk() string {
	var names []string
	for _, topic := range t.Topics {
		if name := t.subject(topic.Subject); name != "" && len(names) < 2 {
			names = append(names, t.words.Text("rules.report.topic", "Subject", name, "Count", t.number(topic.Count)))
		}
	}
	said := t.words.Text("rules.report.topics.none")
	if len(names) > 0 {
		said = t.words.Text("rules.report.topics", "Topics", strings.Join(names, t.words.Text("rules.comma")))
	}
	if n := len(t.Questions); n > 0 {
		return said + t.words.Count("rules.report.questions", n, "Voices", t.number(t.Questions[0].Voices))
	}
	return said + t.words.Text("rules.report.questions.none")
}

// care says what needed it.
func (t teller) care() string {
	count, total := map[string]int{}, 0
	for _, f := range t.Safety {
		if f.Category == "repetition" {
			continue
		}
		count[f.Category] += f.Count
		total += f.Count
	}
	if total == 0 {
		return t.words.Text("rules.report.care.none")
	}
	var names []string
	for _, c := range most(count) {
		if t.words.Has("rules.category."+c) && len(names) < 2 {
			names = append(names, t.words.Text("rules.report.topic", "Subject", t.words.Text("rules.category."+c), "Count", t.number(count[c])))
		}
	}
	if len(names) == 0 {
		names = []string{t.words.Text("rules.category.other")}
	}
	return t.words.Count("rules.report.care", total, "What", strings.Join(names, t.words.Text("rules.comma")))
}

// next are three things to do: what the numbers ask for first, then what is always worth it.
func (t teller) next() []string {
	var out []string
	add := func(s string) {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	for _, q := range t.Questions {
		if q.Answered != nil && *q.Answered {
			continue
		}
		if name := t.subject(q.Subject); name != "" {
			add(t.words.Text("rules.report.next.question", "Subject", name, "Voices", t.number(q.Voices)))
		} else {
			add(t.words.Text("rules.report.next.question.plain", "Voices", t.number(q.Voices)))
		}
		break
	}
	for _, f := range t.Feedback {
		if name := t.subject(f.Subject); name != "" {
			add(t.words.Count("rules.report.next.feedback", f.Count, "Subject", name))
			break
		}
	}
	for _, f := range t.Safety {
		if f.Category == "self_harm" {
			add(t.words.Text("rules.report.next.distress"))
		}
	}
	if len(t.Safety) > 0 {
		add(t.words.Text("rules.report.next.safety"))
	}
	for _, key := range []string{"rules.report.next.recap", "rules.report.next.sound", "rules.report.next.thanks"} {
		add(t.words.Text(key))
	}
	return out[:3]
}
