package views

import (
	"encoding/json"
	"strings"
	"testing"

	"urakata/internal/ops"
)

func TestArgumentsHideNothing(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ in, want string }{
		"in the order they were written":         {`{"b":1,"a":"x"}`, "b=1 a=x"},
		"nested values by their path":            {`{"poll":{"options":["yes","no"]},"pin":null}`, "poll.options.0=yes poll.options.1=no pin=null"},
		"a direction override is shown":          {`{"text":"a\u202eb"}`, "text=a⟦U+202E⟧b"},
		"a zero width space in a name is shown":  {`{"te\u200bxt":true}`, "te⟦U+200B⟧xt=true"},
		"an empty object is not left out":        {`{"options":{},"list":[]}`, "options={} list=[]"},
		"a big number is not rounded":            {`{"id":12345678901234567890}`, "id=12345678901234567890"},
		"broken JSON is shown whole":             {`{"a":`, `…={"a":`},
		"something after the value is not lost":  {`{"a":1} {"b":2}`, `…={"a":1} {"b":2}`},
		"a name that stands twice is seen twice": {`{"a":1,"a":2}`, "a=1 a=2"},
		"nothing":                                {``, ""},
	}
	for name, c := range cases {
		var got []string
		for _, a := range arguments(json.RawMessage(c.in)) {
			got = append(got, a.Name+"="+a.Value)
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("%s: %q, want %q", name, s, c.want)
		}
	}
}

func TestCalmKeepsLettersAndAtMostTwoMarks(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"é が": "é が", "Z̃̂̄̆x": "Z̃̂x", "ดี้": "ดี้"} {
		if got := calm(in); got != want {
			t.Errorf("calm(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestWhoMayNotDecideGetsNoButtons(t *testing.T) {
	t.Parallel()
	s := Samples{Moment: moment}
	v := s.Items()[0]
	v.Reader = ops.Who{ID: "op-2", Name: "guest"}
	if text := draw(t, setFor(t, "en"), ItemDetail(v)); strings.Contains(text, "<button") {
		t.Error("a viewer is offered a decision")
	}
}

func TestCommentsPathNamesOnlyWhatLimits(t *testing.T) {
	t.Parallel()
	q := Around(61_000_000_000)
	q.IDs, q.Filter = []string{"a&b", "c"}, "safety"
	if got, want := CommentsPath("s/1", q), "/streams/s%2F1/comments?filter=safety&from=-59&id=a%26b&id=c&to=181"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := CommentsPath("s", CommentQuery{}); got != "/streams/s/comments" {
		t.Errorf("got %s", got)
	}
}
