package agent

import (
	"fmt"
	"strings"
	"time"
)

// NextAfter folds a log event by event and says, after each, what comes next.
func NextAfter(log []Event, lim Limits) ([]string, error) {
	lim = lim.withDefaults()
	st := newState(lim.History)
	var lines []string
	for _, e := range log {
		if err := st.apply(e); err != nil {
			return lines, err
		}
		lines = append(lines, fmt.Sprintf("%3d %-20s → %s", e.Seq, e.Kind, words(next(st, st.at, lim), st)))
	}
	return lines, nil
}

func words(m move, st *state) string {
	name := map[action]string{
		idle: "idle", await: "await", expire: "expire", runTools: "run", callModel: "call the model", startTurn: "start a turn", finish: "finish",
	}[m.do]
	var about []string
	for _, c := range m.calls {
		about = append(about, c.Call)
	}
	about = append(about, m.inputs...)
	for _, a := range m.lapsed {
		about = append(about, a.ID)
	}
	if m.do == await && !m.until.IsZero() {
		about = append(about, "for "+m.until.Sub(st.at).Round(time.Second).String())
	}
	if m.do == finish {
		about = append(about, string(m.kind), m.stop)
	}
	return strings.TrimSpace(name + " " + strings.Join(about, " "))
}

// HistoryOf is the history that a log folds to.
func HistoryOf(log []Event, lim Limits) ([]Message, error) {
	st := newState(lim.withDefaults().History)
	for _, e := range log {
		if err := st.apply(e); err != nil {
			return nil, err
		}
	}
	return st.history, nil
}

// Exports for tests of the parts.
var (
	Subset  = subset
	Excerpt = excerpt
)

// Redact redacts one value.
func Redact(raw string, paths ...string) string { return string(newRedactor(paths).json([]byte(raw))) }

// CheckSchema compiles and checks.
func CheckSchema(parameters, value string) ([]string, error) {
	s, err := newSchema([]byte(parameters))
	if err != nil {
		return nil, err
	}
	v, err := decodeJSON([]byte(value))
	if err != nil {
		return nil, err
	}
	return s.check(v), nil
}
