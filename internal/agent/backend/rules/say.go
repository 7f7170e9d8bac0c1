package rules

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// offset words a second of the stream: "2:10".
func (v view) offset(s int) string { return v.words.Offset(time.Duration(s) * time.Second) }

// span words a time from one second to another: "0:45–2:10", or one place when they are the same.
func (v view) span(from, to int) string {
	if from == to {
		return v.offset(from)
	}
	return v.words.Text("rules.span", "From", v.offset(from), "To", v.offset(to))
}

// spanOf words the time that observations lie in.
func (v view) spanOf(list []observation) string {
	from, to := list[0].Offset, list[0].Offset
	for _, o := range list {
		from, to = min(from, o.Offset), max(to, o.Offset)
	}
	return v.span(from, to)
}

// number words a count.
func (v view) number(n int) string { return v.words.Number(n) }

// subject names a subject in the reader's language; "" when there is none, or one that is not known here.
func (v view) subject(s string) string {
	if s == "" || !v.words.Has("rules.subject."+s) {
		return ""
	}
	return v.words.Text("rules.subject." + s)
}

// categories names what a safety finding is about, most frequent first, at most three. Names that are not known here are left out.
func (v view) categories(list []observation) string {
	count := map[string]int{}
	for _, o := range list {
		for _, c := range o.Categories {
			if v.words.Has("rules.category." + c) {
				count[c]++
			}
		}
	}
	var names []string
	for _, c := range most(count) {
		names = append(names, v.words.Text("rules.category."+c))
	}
	if len(names) == 0 {
		return v.words.Text("rules.category.other")
	}
	return strings.Join(names[:min(len(names), 3)], v.words.Text("rules.comma"))
}

// about picks the words for a subject: those that are written for it, else the general ones.
func (v view) about(key, subject string) string {
	if subject != "" && v.words.Has(key+"."+subject) {
		return v.words.Text(key + "." + subject)
	}
	return v.words.Text(key)
}

// pick gives the observations of this briefing that fit.
func (v view) pick(fits func(observation) bool) []observation {
	var out []observation
	for _, o := range v.Observations {
		if fits(o) {
			out = append(out, o)
		}
	}
	return out
}

// recall gives every observation so far that fits, oldest first.
func (l look) recall(fits func(observation) bool) []observation {
	var out []observation
	for _, o := range l.seen.all[:l.upTo] {
		if fits(o) {
			out = append(out, o)
		}
	}
	slices.SortFunc(out, func(a, b observation) int { return place(a.Ref) - place(b.Ref) })
	return out
}

func refs(list []observation) []string {
	var out []string
	for _, o := range list {
		out = append(out, o.Ref)
	}
	return out
}

// people counts the viewers behind observations.
func people(list []observation) int {
	seen := map[string]bool{}
	for _, o := range list {
		seen[o.Viewer] = true
	}
	return len(seen)
}

// viewers lists them in the order in which they appear.
func viewers(list []observation) []string {
	var out []string
	for _, o := range list {
		if !slices.Contains(out, o.Viewer) {
			out = append(out, o.Viewer)
		}
	}
	return out
}

// most lists names by how often they came, ties by name.
func most(count map[string]int) []string {
	var names []string
	for n := range count {
		names = append(names, n)
	}
	slices.SortFunc(names, func(a, b string) int {
		if count[a] != count[b] {
			return count[b] - count[a]
		}
		return strings.Compare(a, b)
	})
	return names
}

// leading is the most frequent of some names, when at least half of them are it.
func leading(names []string) string {
	count := map[string]int{}
	for _, n := range names {
		if n != "" {
			count[n]++
		}
	}
	if top := most(count); len(top) > 0 && count[top[0]]*2 >= len(names) {
		return top[0]
	}
	return ""
}

// each applies a question to every observation.
func each(list []observation, ask func(observation) string) []string {
	out := make([]string, len(list))
	for i, o := range list {
		out[i] = ask(o)
	}
	return out
}

// moment names a matter that has no other name: a part of three minutes.
func (v view) moment(list []observation) string {
	last := list[0].Offset
	for _, o := range list {
		last = max(last, o.Offset)
	}
	return "m" + strconv.Itoa(last/60/3)
}
