package ops

import (
	"slices"
	"strings"
	"testing"
	"time"

	"urakata/internal/ops/comment"
)

const goodCard = `{"kind":"question-surge","severity":"medium","observed":"Six viewers ask.","suggested":"Answer.","evidence":["c2","c1"]}`

func TestParseCards(t *testing.T) {
	view := map[string]bool{"c1": true, "c2": true}
	for _, tt := range []struct {
		name, text string
		cards      int
		issue      string
	}{
		{"a card", `{"cards":[` + goodCard + `]}`, 1, ""},
		{"nothing to tell", `{"cards":[]}`, 0, ""},
		{"no words at all", " \n", 0, ""},
		{"a fence is tolerated", "```json\n{\"cards\":[" + goodCard + "]}\n```", 1, ""},
		{"a fence of one line is tolerated", "```{\"cards\":[]}```", 0, ""},
		{"words are not", "I see nothing.", 0, "not the JSON"},
		{"words after it are not", `{"cards":[]} so calm`, 0, "after the JSON"},
		{"no list", `{}`, 0, `"cards" is missing`},
		{"a field too many", `{"cards":[],"mood":"good"}`, 0, "not in the schema"},
		{"a field too many in a card", `{"cards":[{"kind":"highlight","title":"x"}]}`, 0, "not in the schema"},
		{"another kind", `{"cards":[` + strings.Replace(goodCard, "question-surge", "gossip", 1) + `]}`, 0, "kind must be one of"},
		{"another severity", `{"cards":[` + strings.Replace(goodCard, "medium", "urgent", 1) + `]}`, 0, "severity must be one of"},
		{"nothing observed", `{"cards":[` + strings.Replace(goodCard, "Six viewers ask.", " ", 1) + `]}`, 0, "observed needs"},
		{"too many words", `{"cards":[` + strings.Replace(goodCard, "Answer.", strings.Repeat("あ", 601), 1) + `]}`, 0, "suggested may have 600"},
		{"no evidence", `{"cards":[` + strings.Replace(goodCard, `["c2","c1"]`, `[]`, 1) + `]}`, 0, "evidence needs"},
		{"evidence nobody showed", `{"cards":[` + strings.Replace(goodCard, "c2", "c3", 1) + `]}`, 0, `"c3" is not among`},
		{"a wrong type", `{"cards":[{"kind":3}]}`, 0, "belongs"},
		{"seven cards", `{"cards":[` + strings.TrimSuffix(strings.Repeat(goodCard+",", 7), ",") + `]}`, 0, "7 cards"},
		{"broken off", `{"cards":[` + goodCard, 0, "breaks off"},
	} {
		cards, issues := ParseCards(tt.text, view)
		if len(cards) != tt.cards {
			t.Errorf("%s: got %d cards, want %d", tt.name, len(cards), tt.cards)
		}
		if tt.issue == "" && len(issues) > 0 || tt.issue != "" && !strings.Contains(strings.Join(issues, "\n"), tt.issue) {
			t.Errorf("%s: got issues %q, want %q", tt.name, issues, tt.issue)
		}
	}
}

func FuzzParseCards(f *testing.F) {
	f.Add(`{"cards":[` + goodCard + `]}`)
	f.Add("```\n{\"cards\":[]}")
	f.Fuzz(func(t *testing.T, text string) {
		cards, issues := ParseCards(text, map[string]bool{"c1": true})
		if len(cards) > 0 && len(issues) > 0 {
			t.Error("cards and issues together")
		}
		for _, c := range cards {
			if !slices.Equal(c.Evidence, []string{"c1"}) {
				t.Errorf("evidence %v was not in view", c.Evidence)
			}
		}
	})
}

func TestIncidentNamesTheMatterByItsEvidence(t *testing.T) {
	viewer := func(s Stored) string { return s.Comment.Author.ID }
	raid := said(9, time.Minute, "v9", comment.Analysis{})
	raid.Comment.Kind = comment.KindRaid
	for _, tt := range []struct {
		name     string
		kind     CardKind
		evidence []Stored
		want     string
	}{
		{"a question by its group", QuestionSurge, []Stored{said(1, 0, "v1", comment.Analysis{Group: "q3"}), said(2, 0, "v2", comment.Analysis{Group: "q3"}), said(3, 0, "v3", comment.Analysis{})}, "question-surge/q3"},
		{"safety by the viewer", SafetyConcern, []Stored{said(1, 0, "v7", comment.Analysis{}), said(2, 0, "v7", comment.Analysis{})}, "safety-concern/v7"},
		{"safety of many by the wave", SafetyConcern, []Stored{said(1, 0, "v1", comment.Analysis{Wave: "w1"}), said(2, 0, "v2", comment.Analysis{Wave: "w1"}), said(3, 0, "v3", comment.Analysis{Wave: "w1"})}, "safety-concern/w1"},
		{"safety of many by the category", SafetyConcern, []Stored{said(1, 0, "v1", comment.Analysis{Categories: []comment.Category{comment.Scam}}), said(2, 0, "v2", comment.Analysis{Categories: []comment.Category{comment.Scam}}), said(3, 0, "v3", comment.Analysis{Categories: []comment.Category{comment.Scam}})}, "safety-concern/scam"},
		{"trouble by its group", Information, []Stored{said(1, 0, "v1", comment.Analysis{Group: "t2", Subject: comment.SubjectAudio})}, "information/t2"},
		{"feedback by its subject", ConstructiveFeedback, []Stored{said(1, 0, "v1", comment.Analysis{Subject: comment.SubjectMusic})}, "constructive-feedback/music"},
		{"a shift by its subject", TopicShift, []Stored{said(1, 0, "v1", comment.Analysis{Subject: comment.SubjectGame})}, "topic-shift/game"},
		{"a highlight by its raid", Highlight, []Stored{raid}, "highlight/raid-c9"},
		{"anything else by its time", Highlight, []Stored{said(1, 7*time.Minute, "v1", comment.Analysis{})}, "highlight/m2"},
	} {
		if got := incident(tt.kind, tt.evidence, viewer); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestRefsNamePlaces(t *testing.T) {
	for ref, want := range map[string]int64{"c1": 1, "c120": 120, "c0": 0, "c01": 0, "c-1": 0, "c+1": 0, "1": 0, "c": 0, "x1": 0, "c1x": 0, "": 0} {
		got, ok := place(ref)
		if (want > 0) != ok || ok && got != want {
			t.Errorf("place(%q) is %d, %v", ref, got, ok)
		}
	}
}
