package ops_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"urakata/internal/agent"
	"urakata/internal/agent/agenttest"
	"urakata/internal/db/dbtest"
	"urakata/internal/ops"
	"urakata/internal/ops/comment"
)

// reporter raises nothing while the stream runs, and hands in the words given when it is asked for the report.
func reporter(words string) answer {
	return func(n int, req *agent.Request) agenttest.Step {
		asked := slices.ContainsFunc(req.Messages, func(m agent.Message) bool { return m.Kind == "report-facts" })
		tried := strings.Contains(told(req), "report.submit") && last(req).Role == agent.RoleTool
		if asked && !tried {
			return agenttest.Step{Calls: []agent.ToolCall{agenttest.Ask("r", ops.ToolReport, words)}}
		}
		return quiet(n, req)
	}
}

const goodWords = `{"summary":["One.","Two.","Three."],"next":["A.","B.","C."],"evidence":["c1"]}`

// TestConformance names the reference's behaviours that belong to the staff's work; those of its pages are in web.
func TestConformance(t *testing.T) {
	for id, run := range map[string]func(t *testing.T){
		"AO-SO-01": func(t *testing.T) { // rules analyse before a model is asked, and it gets no raw text, but the signals
			o := open(t, "", quiet)
			defer o.stop()
			st := o.live(asking())
			o.push(st.ID, append(crowd(0), chat(90, "tokenname", "what microphone is that tokentext?"))...)
			reqs := o.script.Requests()
			if len(reqs) == 0 {
				t.Fatal("nobody was asked")
			}
			all, err := json.Marshal(reqs[0])
			if err != nil || strings.Contains(string(all), "token") {
				t.Errorf("the request holds viewer text (%v)", err)
			}
			b, _ := briefing(t, reqs[0])
			if b.RawText || !slices.ContainsFunc(b.Observations, func(x ops.Observation) bool { return x.Question && x.Subject == comment.SubjectEquipment }) {
				t.Errorf("the signals are missing: %+v", b.Observations)
			}
			if stored := must(o.board.Chat(t.Context(), st.ID, ops.Range{})); stored[0].Analysis.Action == "" {
				t.Error("a comment was stored without its analysis")
			}
		},
		"AO-SO-02": func(t *testing.T) { // the report's words are validated, and made without raw text
			o := open(t, "", reporter(goodWords))
			defer o.stop()
			st := o.live(asking())
			o.push(st.ID, append(crowd(0), chat(90, "tokenname", "tokentext"))...)
			d := o.ended(st.ID)
			if d.Summary.Author != "Nagi" || d.Summary.Sentences[0] != "One." {
				t.Errorf("the report has other words: %+v", d.Summary)
			}
			reqs := o.script.Requests()
			if all, err := json.Marshal(reqs); err != nil || strings.Contains(string(all), "token") {
				t.Errorf("a request holds viewer text (%v)", err)
			}
		},
		"AO-SO-03": func(t *testing.T) { // nothing to tell is a valid answer
			o := open(t, "", quiet)
			defer o.stop()
			st := o.live(asking())
			o.push(st.ID, crowd(0)...)
			if v := must(o.staff.Stream(t.Context(), st.ID)); v.Session.LastEnd == nil || v.Session.LastEnd.Stop != "end" || v.Cards != 0 {
				t.Errorf("an empty answer ended with %+v and %d cards", v.Session.LastEnd, v.Cards)
			}
		},
		"AO-SO-04": func(t *testing.T) { // words that do not fit the form never become a report's
			o := open(t, "", reporter(`{"summary":"all fine","next":[]}`))
			defer o.stop()
			st := o.live(asking())
			o.push(st.ID, crowd(0)...)
			if d := o.ended(st.ID); strings.Contains(strings.Join(d.Summary.Sentences, " "), "all fine") || len(d.Summary.Sentences) == 0 || d.Summary.Author == "Nagi" {
				t.Errorf("the report says %+v, want the host's own sentences", d.Summary)
			}
		},
		"AO-SO-05": func(t *testing.T) { // a cold resume goes on in the same session
			path := dbtest.Path(t)
			o := open(t, path, quiet)
			st := o.live(asking())
			o.push(st.ID, crowd(0)...)
			before := must(o.db.SessionsOf(t.Context(), st.ID))
			o.stop()
			o = open(t, path, quiet)
			defer o.stop()
			synctest.Wait()
			o.push(st.ID, crowd(100)...)
			after := must(o.db.SessionsOf(t.Context(), st.ID))
			if len(after) != 1 || after[0].ID != before[0].ID || len(o.script.Requests()) == 0 {
				t.Errorf("sessions before %+v, after %+v", before, after)
			}
		},
		"AO-SO-06": func(t *testing.T) { // no mind can be had: the desk goes on taking comments, and a later start finds the same session's work undone
			path := dbtest.Path(t)
			o := open(t, path, quiet, func(c *ops.StaffConfig) { c.Minds = mind{err: errors.New("no such server")} })
			st := o.live(asking())
			if added := o.push(st.ID, crowd(0)...); len(added.Fresh) != 12 {
				t.Errorf("%d comments were taken, want all 12", len(added.Fresh))
			}
			if v := must(o.staff.Stream(t.Context(), st.ID)); v.State != ops.StreamLive || v.Backend != "none" {
				t.Errorf("the stream is %s with the mind %q", v.State, v.Backend)
			}
			o.stop()
			o = open(t, path, quiet)
			defer o.stop()
			synctest.Wait()
			o.push(st.ID, crowd(100)...)
			if reqs := o.script.Requests(); len(reqs) == 0 {
				t.Error("with a mind again, nobody was asked")
			} else if b, _ := briefing(t, reqs[len(reqs)-1]); b.Stream.Analysed != 24 {
				t.Errorf("the look tells of %d comments, want those of before, too", b.Stream.Analysed)
			}
		},
	} {
		t.Run(id, func(t *testing.T) { synctest.Test(t, run) })
	}
}
