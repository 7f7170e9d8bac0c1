package ops

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"urakata/internal/agent"
	"urakata/internal/lang"
	"urakata/internal/ops/comment"
	"urakata/internal/ops/source"
)

// sample is a report with something, and something hostile, in every part.
func sample(t *testing.T) ReportData {
	t.Helper()
	start := time.Date(2026, 11, 14, 12, 0, 0, 0, time.UTC)
	c := &compiler{
		st:     Stream{ID: "str_1", Title: "=cmd|'/c calc'!A1 <b>*bold*</b> | @everyone", Language: "en", StartedAt: start, EndedAt: start.Add(time.Hour), Counts: source.Counts{Records: 12, Read: 7, Skipped: 5}},
		groups: map[string]*groupSum{}, subjects: map[comment.Subject]*subjectSum{}, feedback: map[comment.Subject]*groupSum{}, findings: map[comment.Category]*findingSum{},
		people: map[string]*person{}, paid: map[string]*paidSum{}, langs: tally[string]{}, platforms: tally[string]{},
	}
	add := func(s Stored, text string) {
		s.Comment.Text = text
		c.take(s)
	}
	for i := range 6 {
		viewer := string(rune('a' + i))
		add(said(i+1, time.Duration(i)*time.Second, viewer, comment.Analysis{Lang: "en", Question: true, Group: "q1", Subject: comment.SubjectEquipment, Mood: 1}),
			"+what mic? see https://evil.example/x @someone 090-1234-5678 <script>alert(1)</script>")
	}
	add(said(7, 10*time.Minute, "g", comment.Analysis{Lang: "ja", Group: "t1", Subject: comment.SubjectAudio, Cluster: comment.ClusterFeedback, Mood: -1}), "音が小さい")
	add(said(8, 11*time.Minute, "h", comment.Analysis{Action: comment.Withhold, Risk: comment.RiskHigh, Categories: []comment.Category{comment.Harassment}, Group: "q1"}), "HATEFUL WORDS")
	raid := said(9, 12*time.Minute, "i", comment.Analysis{})
	raid.Comment.Kind, raid.Comment.Raid = comment.KindRaid, 42
	add(raid, "")
	for i, money := range []comment.Money{{Micros: 5e6, Currency: "USD"}, {Micros: 1000e6, Currency: "JPY"}, {Micros: 2e6, Currency: "USD"}} {
		s := said(10+i, 13*time.Minute, "payer", comment.Analysis{})
		s.Comment.Kind, s.Comment.Money = comment.KindPaid, &money
		add(s, "thanks")
	}
	c.cards = []Card{
		{ID: "card_1", Kind: QuestionSurge, Incident: "question-surge/q1", State: CardHandled, Offset: 5 * time.Second},
		{ID: "card_2", Kind: SafetyConcern, Severity: High, Incident: "safety-concern/v8", Observed: "@here | look", Offset: 11 * time.Minute, Evidence: []string{"m8"}},
		{ID: "card_3", Kind: Highlight, Observed: "*A raid*", Offset: 12 * time.Minute, Evidence: []string{"m9"}},
	}
	at := start.Add(11 * time.Minute)
	c.items = []Item{
		{ID: "i1", Kind: ItemApproval, Tool: ToolDelete, State: ItemAllowed, Outcome: OutcomeDone, At: at, DecidedAt: at.Add(4 * time.Second), DecidedBy: "Rin"},
		{ID: "i2", Kind: ItemApproval, Tool: ToolDelete, State: ItemAllowed, Outcome: OutcomeDone, At: at, DecidedAt: at.Add(8 * time.Second), DecidedBy: "Sora"},
		{ID: "i3", Kind: ItemApproval, Tool: ToolDelete, State: ItemExpired, At: at, DecidedAt: at.Add(time.Hour)},
		{ID: "i4", Kind: ItemApproval, Tool: ToolAnnounce, State: ItemCancelled, Why: "stream ended", At: at},
		{ID: "i5", Kind: ItemApproval, Tool: ToolTimeout, State: ItemDenied, At: at, DecidedAt: at.Add(2 * time.Second), DecidedBy: "Rin"},
	}
	d := c.data()
	d.Technical = ReportTechnical{Backend: "rules", Turns: 3, Errors: []ReportError{{Code: "network", Count: 1}}}
	d.Summary = HostWords(printer(t, "en"), d)
	return d
}

func printer(t *testing.T, tag string) lang.Printer {
	t.Helper()
	words, err := lang.Load()
	if err != nil {
		t.Fatal(err)
	}
	return words.Printer(tag)
}

func TestAReportIsComputedFromRows(t *testing.T) {
	d := sample(t)
	if d.Questions[0].Count != 7 || d.Questions[0].Voices != 7 || d.Questions[0].Answered == nil || !*d.Questions[0].Answered {
		t.Errorf("questions are %+v", d.Questions)
	}
	for _, q := range d.Questions[0].Quotes {
		for _, no := range []string{"HATEFUL", "evil.example", "someone", "090"} {
			if strings.Contains(q, no) {
				t.Errorf("the quote %q holds %q", q, no)
			}
		}
	}
	var deleted ReportAction
	states := map[ItemState]int{}
	for _, a := range d.Safety.Actions {
		states[a.State] += a.Count
		if a.Outcome == OutcomeDone {
			deleted = a
		}
		if a.State == ItemExpired && (a.MedianSeconds != nil || len(a.By) > 0) {
			t.Errorf("nobody decided, and yet: %+v", a)
		}
	}
	if deleted.Count != 2 || deleted.MedianSeconds == nil || *deleted.MedianSeconds != 6 || len(deleted.By) != 2 {
		t.Errorf("deletions are %+v", deleted)
	}
	if states[ItemExpired] != 1 || states[ItemDenied] != 1 || states[ItemCancelled] != 1 {
		t.Errorf("states are %v", states)
	}
	if len(d.Paid) != 2 || d.Paid[0].Currency != "JPY" || d.Paid[0].Micros != 1000e6 || d.Paid[1].Micros != 7e6 || d.Paid[1].Count != 2 {
		t.Errorf("paid is %+v", d.Paid)
	}
	if len(d.Timeline.Gaps) != 1 || d.Timeline.Gaps[0] != (ReportGap{From: 5, To: 600}) {
		t.Errorf("gaps are %+v", d.Timeline.Gaps)
	}
	if d.Timeline.Minutes[11].High != 1 || d.Timeline.Minutes[0].Questions != 6 || len(d.Timeline.Minutes) != 14 {
		t.Errorf("minutes are %+v", d.Timeline.Minutes)
	}
	raw, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(raw, []byte(`"viewers":null`)) || !bytes.Contains(raw, []byte(`"tokens":null`)) {
		t.Error("what nobody measured is not null")
	}
}

func TestExportsHoldNoMarkupFormulaOrMissingWord(t *testing.T) {
	d := sample(t)
	for _, tag := range lang.Languages() {
		md := d.Markdown(printer(t, tag))
		for _, no := range []string{"«", "<no value>", "<script", "<b>", "@everyone", "*bold*", "*A raid*", "HATEFUL"} {
			if strings.Contains(md, no) {
				t.Errorf("%s: the page holds %q", tag, no)
			}
		}
		raw := d.CSV(printer(t, tag))
		if !bytes.HasPrefix(raw, []byte("\ufeff")) {
			t.Errorf("%s: no mark of UTF-8", tag)
		}
		rows, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(raw, []byte("\ufeff")))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range rows {
			for _, cell := range row {
				if strings.HasPrefix(cell, "=") || strings.HasPrefix(cell, "+w") || strings.HasPrefix(cell, "@") {
					t.Errorf("%s: a spreadsheet would run %q", tag, cell)
				}
			}
		}
	}
	for in, want := range map[string]string{"=1+1": "'=1+1", "-5": "-5", "-cmd": "'-cmd", "@a": "'@a", "a=b": "a=b", "": ""} {
		if got := cell(in); got != want {
			t.Errorf("cell(%q) is %q, want %q", in, got, want)
		}
	}
}

// What a character learns of an ended stream may hold no viewer's word: every string of the facts is a key or a value of a closed list.
func TestReportFactsHoldNoViewerText(t *testing.T) {
	d := sample(t)
	raw, err := json.Marshal(factsOf(d))
	if err != nil {
		t.Fatal(err)
	}
	for _, no := range []string{"mic?", "HATEFUL", "音が", "raid*", "calc", "Rin", "m8", "card_"} {
		if strings.Contains(string(raw), no) {
			t.Errorf("the facts hold %q: %s", no, raw)
		}
	}
	if !strings.Contains(string(raw), `"rawViewerTextIncluded":false`) {
		t.Error("the facts do not say that they hold no viewer text")
	}
}

// Every word that a report or a form may ask the catalogue for is there.
func TestEveryWordOfAReportIsThere(t *testing.T) {
	p := printer(t, "ja")
	var keys []string
	for _, s := range subjects {
		keys = append(keys, "report.subject."+string(s))
	}
	for _, c := range categories {
		keys = append(keys, "report.category."+string(c))
	}
	for _, r := range risks {
		keys = append(keys, "report.risk."+string(r))
	}
	for _, l := range langs {
		keys = append(keys, "report.lang."+string(l))
	}
	for _, s := range []ItemState{ItemPending, ItemAllowed, ItemDenied, ItemExpired, ItemCancelled, ItemAnswered} {
		keys = append(keys, "report.state."+string(s))
	}
	for _, o := range []OutcomeState{OutcomeWaiting, OutcomeRunning, OutcomeDone, OutcomeRefused, OutcomeFailed, OutcomeUnknown} {
		keys = append(keys, "report.outcome."+string(o))
	}
	for _, tool := range Tools() {
		keys = append(keys, "tool."+tool.ID+".name", "tool."+tool.ID+".help")
	}
	for _, why := range []string{endedWhy, stoppedWhy} {
		if whyWord(p, why) == why {
			t.Errorf("the cause %q has no words", why)
		}
	}
	for _, key := range keys {
		if !p.Has(key) {
			t.Errorf("%s is missing", key)
		}
	}
}

// C06: whatever way a tool comes to be registered, a character without a rule for it may not use it, and what acts is asked for at the least.
func TestC06EveryRegisteredToolIsDeniedWithoutARule(t *testing.T) {
	everything := Character{Tools: map[string]ToolRule{}}
	for _, s := range specs() {
		everything.Tools[s.ID] = ToolRule{Permission: PermitAllow}
	}
	for _, tool := range (toolbox{}).tools(Character{}) {
		call, in := &agent.Call{Tool: tool.Spec().ID}, agent.PolicyInput{Spec: tool.Spec(), Audience: agent.Operator, Trust: agent.Untrusted}
		for name, c := range map[string]Character{"no rules": {}, "an unknown permission": {Tools: map[string]ToolRule{call.Tool: {Permission: "always"}}}} {
			if v, err := policyOf(c).Decide(t.Context(), call, in); err != nil || v.Action != agent.Deny {
				t.Errorf("%s with %s: %q, %v", call.Tool, name, v.Action, err)
			}
		}
		v, err := policyOf(everything).Decide(t.Context(), call, in)
		if acts(tool.Spec().Risk) && (err != nil || v.Action != agent.Ask) {
			t.Errorf("%s is not asked for: %q, %v", call.Tool, v.Action, err)
		}
	}
	if !reflect.DeepEqual(visible(Character{}), []string(nil)) {
		t.Errorf("a character without rules sees %v", visible(Character{}))
	}
}
