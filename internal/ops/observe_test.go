package ops

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"urakata/internal/ops/comment"
)

// textFields are the fields of a briefing that hold strings, each with what keeps a viewer's words out of it. A new field fails the test until
// somebody says here what closes it.
var textFields = map[string]string{
	"Briefing.Stream.ID":                  "ours",
	"Briefing.Stream.Language":            "langOf",
	"Briefing.Observations.Ref":           "a number",
	"Briefing.Observations.Viewer":        "a number",
	"Briefing.Observations.Role":          "roleOf",
	"Briefing.Observations.Platform":      "platformOf",
	"Briefing.Observations.Lang":          "langOf",
	"Briefing.Observations.Reasons":       "reasonsOf",
	"Briefing.Observations.Cluster":       "clusterOf",
	"Briefing.Observations.Subject":       "subjectOf",
	"Briefing.Observations.Group":         "groupOf",
	"Briefing.Observations.Wave":          "groupOf",
	"Briefing.Observations.Paid.Currency": "moneyOf",
	"Briefing.Observations.Action":        "actionOf",
	"Briefing.Observations.Risk":          "riskOf",
	"Briefing.Observations.Categories":    "categoriesOf",
	"Briefing.Groups.Group":               "groupOf",
	"Briefing.Groups.Kind":                "two constants",
	"Briefing.Groups.Subject":             "subjectOf",
	"Briefing.Groups.Evidence":            "numbers",
	"Briefing.Waves.Wave":                 "groupOf",
	"Briefing.Waves.Evidence":             "numbers",
	"Briefing.Subjects.Subject":           "subjectOf",
	"Briefing.Shift.From":                 "subjectOf",
	"Briefing.Shift.To":                   "subjectOf",
	"Briefing.Shift.Evidence":             "numbers",
	"Briefing.Raised.Tool":                "a tool the runtime knows",
	"Briefing.Raised.Refs":                "numbers",
	"Briefing.Raised.Groups":              "groupOf",
	"Briefing.Raised.Viewers":             "numbers",
	"Briefing.Raised.State":               "itemStates",
	"Briefing.Open.Incident":              "incident",
	"Briefing.Open.Kind":                  "cardKinds",
	"Briefing.Open.Severity":              "severities",
}

func TestNoFieldOfABriefingCanHoldViewerText(t *testing.T) {
	var walk func(path string, v reflect.Type)
	walk = func(path string, v reflect.Type) {
		switch v.Kind() {
		case reflect.Pointer, reflect.Slice:
			walk(path, v.Elem())
		case reflect.Struct:
			for i := range v.NumField() {
				walk(path+"."+v.Field(i).Name, v.Field(i).Type)
			}
		case reflect.String:
			if textFields[path] == "" {
				t.Errorf("%s holds a string that nothing closes", path)
			}
		case reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64:
		default:
			t.Errorf("%s is a %s, which could hold anything", path, v.Kind())
		}
	}
	walk("Briefing", reflect.TypeFor[Briefing]())
}

// hostile is a comment in which every text is a token, analysed by somebody who passes tokens on.
func hostile(n int) Stored {
	token := func(what string) string { return fmt.Sprintf("TOKEN-%s-%d", what, n) }
	return Stored{
		Seq: int64(n),
		Comment: comment.Comment{
			ID: token("id"), Platform: comment.Platform(token("platform")), Kind: comment.KindPaid, Text: token("text"), Offset: time.Duration(n) * time.Second,
			Author: comment.Author{ID: token("author"), Name: token("name"), Roles: []string{token("role"), "member"}}, Money: &comment.Money{Micros: 1, Currency: token("money")},
			ReplyTo: token("reply"), Target: token("target"), Topic: token("topic"),
		},
		Analysis: comment.Analysis{
			ID: token("aid"), Action: comment.Action(token("action")), Risk: comment.Risk(token("risk")), Categories: []comment.Category{comment.Category(token("category"))},
			Lang: token("lang"), Cluster: token("cluster"), Reasons: []string{token("reason"), "fresh"}, Subject: comment.Subject(token("subject")), Group: token("q"), GroupSize: 9,
			GroupVoices: 9, Wave: token("w"), WaveSize: 9, DuplicateOf: token("duplicate"),
		},
	}
}

func TestTokensNeverReachABriefing(t *testing.T) {
	n := numbering{}
	l := Look{Stream: Stream{ID: "str_1", Title: "TOKEN-title", Topic: "TOKEN-topic", Language: "TOKEN-language"}, Viewers: n.meet}
	for i := 1; i <= 60; i++ {
		l.Recent = append(l.Recent, hostile(i))
	}
	data, err := json.Marshal(Observe(l))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(strings.ToUpper(string(data)), "TOKEN") {
		t.Errorf("a token is in the briefing: %s", data)
	}
	if !strings.Contains(string(data), `"role":"member"`) || !strings.Contains(string(data), `"viewer":"v40"`) {
		t.Errorf("what is known is missing: %s", data)
	}
}

func said(n int, at time.Duration, viewer string, a comment.Analysis) Stored {
	if a.Action == "" {
		a.Action, a.Risk = comment.Allow, comment.RiskNone
	}
	return Stored{
		Seq: int64(n), Comment: comment.Comment{ID: fmt.Sprintf("m%d", n), Platform: comment.YouTube, Text: "words", Offset: at, Author: comment.Author{ID: viewer}}, Analysis: a,
	}
}

func TestEverySafetyFindingIsObservedFirst(t *testing.T) {
	l := Look{Viewers: numbering{}.meet}
	for i := 1; i <= 100; i++ {
		a := comment.Analysis{Score: 0.9}
		if i%10 == 0 {
			a = comment.Analysis{Action: comment.Withhold, Risk: comment.RiskMedium, Score: 0.1}
		}
		if i == 50 {
			a = comment.Analysis{Action: comment.Escalate, Risk: comment.RiskHigh}
		}
		l.Recent = append(l.Recent, said(i, time.Duration(i)*time.Second, "a", a))
	}
	b := Observe(l)
	if len(b.Observations) != maxObservations {
		t.Fatalf("got %d observations, want %d", len(b.Observations), maxObservations)
	}
	if b.Observations[0].Ref != "c50" {
		t.Errorf("the gravest is %s, want c50", b.Observations[0].Ref)
	}
	for _, o := range b.Observations[:10] {
		if o.Action == comment.Allow {
			t.Errorf("%s stands before a safety finding", o.Ref)
		}
	}
	if b.Window.Withheld != 9 || b.Window.Escalated != 1 || b.Window.Comments != 100 {
		t.Errorf("window is %+v", b.Window)
	}
}

func TestABriefingTellsOnlyWhatIsNew(t *testing.T) {
	l := Look{Viewers: numbering{}.meet, Taken: 8}
	for i := 1; i <= 10; i++ {
		l.Recent = append(l.Recent, said(i, time.Duration(i)*time.Second, "a", comment.Analysis{}))
	}
	b := Observe(l)
	if b.Window.Comments != 2 || b.Window.From != 9 || b.Window.To != 10 || len(b.Observations) != 2 {
		t.Errorf("got %+v with %d observations, want the last two comments", b.Window, len(b.Observations))
	}
	if b.Stream.Analysed != 10 || b.Stream.Elapsed != 10 {
		t.Errorf("stream is %+v", b.Stream)
	}
}

func TestGroupsWavesAndShift(t *testing.T) {
	l := Look{Viewers: numbering{}.meet}
	add := func(at time.Duration, viewer string, a comment.Analysis) {
		l.Recent = append(l.Recent, said(len(l.Recent)+1, at, viewer, a))
	}
	for i := range 12 {
		add(time.Duration(i)*20*time.Second, fmt.Sprint("art", i), comment.Analysis{Subject: comment.SubjectArt})
	}
	raid := said(13, 245*time.Second, "raider", comment.Analysis{})
	raid.Comment.Kind, raid.Comment.Raid = comment.KindRaid, 40
	l.Recent = append(l.Recent, raid)
	for i := range 6 {
		at := 250*time.Second + time.Duration(i)*10*time.Second
		add(at, fmt.Sprint("game", i), comment.Analysis{Subject: comment.SubjectGame, Question: true, Group: "q2", GroupSize: i + 1, GroupVoices: i + 1})
		add(at, fmt.Sprint("wave", i), comment.Analysis{Wave: "w1", WaveSize: i + 1})
	}
	b := Observe(l)
	if len(b.Groups) != 1 || b.Groups[0].Group != "q2" || b.Groups[0].Voices != 6 || b.Groups[0].Kind != "question" || b.Groups[0].Subject != comment.SubjectGame {
		t.Errorf("groups are %+v", b.Groups)
	}
	if len(b.Waves) != 1 || !b.Waves[0].Friendly || b.Waves[0].Size != 6 || b.Waves[0].Voices != 6 {
		t.Errorf("waves are %+v", b.Waves)
	}
	if b.Shift == nil || b.Shift.To != comment.SubjectGame || b.Shift.From != comment.SubjectArt || b.Shift.At != 250 || len(b.Shift.Evidence) != 6 {
		t.Errorf("shift is %+v", b.Shift)
	}
	if b.Observations[0].Raid != 40 {
		t.Errorf("the raid is not first: %+v", b.Observations[0])
	}
}

func TestPace(t *testing.T) {
	plain := comment.Analysis{Action: comment.Allow, Risk: comment.RiskNone}
	grave := comment.Analysis{Action: comment.Escalate, Risk: comment.RiskHigh, Categories: []comment.Category{comment.SelfHarm}}
	for _, tt := range []struct {
		name string
		feed func(see func(at time.Duration, viewer string, a comment.Analysis) bool) bool
		want bool
	}{
		{"one greeting is not worth a turn", func(see func(time.Duration, string, comment.Analysis) bool) bool { return see(0, "a", plain) }, false},
		{"twelve are", func(see func(time.Duration, string, comment.Analysis) bool) (due bool) {
			for range 12 {
				due = see(0, "a", plain)
			}
			return due
		}, true},
		{"anything is after twenty seconds", func(see func(time.Duration, string, comment.Analysis) bool) bool {
			see(0, "a", plain)
			return see(20*time.Second, "a", plain)
		}, true},
		{"somebody in distress is at once", func(see func(time.Duration, string, comment.Analysis) bool) bool { return see(0, "a", grave) }, true},
		{"the same finding is not again", func(see func(time.Duration, string, comment.Analysis) bool) bool {
			see(0, "a", grave)
			return see(time.Second, "a", grave)
		}, false},
		{"about somebody else it is", func(see func(time.Duration, string, comment.Analysis) bool) bool {
			see(0, "a", grave)
			return see(time.Second, "b", grave)
		}, true},
		{"a question of three voices is", func(see func(time.Duration, string, comment.Analysis) bool) bool {
			return see(0, "a", comment.Analysis{Group: "q1", GroupVoices: 3})
		}, true},
		{"a fourth voice is not", func(see func(time.Duration, string, comment.Analysis) bool) bool {
			see(0, "a", comment.Analysis{Group: "q1", GroupVoices: 3})
			return see(0, "a", comment.Analysis{Group: "q1", GroupVoices: 4})
		}, false},
		{"a sixth is", func(see func(time.Duration, string, comment.Analysis) bool) bool {
			see(0, "a", comment.Analysis{Group: "q1", GroupVoices: 3})
			return see(5*time.Second, "a", comment.Analysis{Group: "q1", GroupVoices: 6})
		}, true},
		{"a sixth right after it waits a moment", func(see func(time.Duration, string, comment.Analysis) bool) bool {
			see(0, "a", comment.Analysis{Group: "q1", GroupVoices: 3})
			return see(time.Second, "a", comment.Analysis{Group: "q1", GroupVoices: 6})
		}, false},
		{"but is not forgotten", func(see func(time.Duration, string, comment.Analysis) bool) bool {
			see(0, "a", comment.Analysis{Group: "q1", GroupVoices: 3})
			see(time.Second, "a", comment.Analysis{Group: "q1", GroupVoices: 6})
			return see(5*time.Second, "a", plain)
		}, true},
		{"a wave is", func(see func(time.Duration, string, comment.Analysis) bool) bool {
			return see(0, "a", comment.Analysis{Wave: "w1", WaveSize: 4})
		}, true},
	} {
		p, n := newPace(), 0
		got := tt.feed(func(at time.Duration, viewer string, a comment.Analysis) bool {
			n++
			due := p.see(said(n, at, viewer, a))
			if due {
				p.look(at)
			}
			return due
		})
		if got != tt.want {
			t.Errorf("%s: got %v", tt.name, got)
		}
	}
}

func TestMemoryKeepsWhatWasNotTold(t *testing.T) {
	var m memory
	for i := 1; i <= 100; i++ {
		m.keep(said(i, time.Duration(i)*time.Minute, "a", comment.Analysis{}), 20)
	}
	got := m.until(100, 20)
	if len(got) != 80 || got[0].Seq != 21 {
		t.Errorf("got %d from c%d, want everything after c20", len(got), got[0].Seq)
	}
	if got = m.until(100, 100); len(got) != 11 || got[0].Seq != 90 {
		t.Errorf("got %d from c%d, want ten minutes", len(got), got[0].Seq)
	}
	if got = m.until(95, 94); got[len(got)-1].Seq != 95 {
		t.Errorf("got until c%d, want c95", got[len(got)-1].Seq)
	}
	if _, ok := m.find("c50"); !ok {
		t.Error("c50 is not found")
	}
}
