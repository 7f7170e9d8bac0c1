package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"urakata/internal/ops"
)

// problemJSON is RFC 9457 as a script reads it.
type problemJSON struct {
	Type, Title, Detail string
	Status              int
	Errors              []struct{ Field, Say string }
	DecidedBy, Decision string
	Version             int
}

func (s site) problem(a ask, status int) problemJSON {
	s.Helper()
	rec := s.want(s.do(a), status)
	if got := rec.Header().Get("Content-Type"); got != "application/problem+json" {
		s.Errorf("got content type %q", got)
	}
	p := decode[problemJSON](s.T, rec)
	if p.Status != status || p.Title == "" || p.Detail == "" || !strings.HasPrefix(p.Type, "urn:urakata:problem:") || strings.Contains(p.Title+p.Detail, "«") {
		s.Errorf("got problem %+v", p)
	}
	return p
}

func TestStatusesOfTheAPI(t *testing.T) {
	t.Parallel()
	const js, lines = "application/json", "application/x-ndjson"
	huge := `{"text":"` + strings.Repeat("x", 1<<20) + `"}`
	for _, tt := range []struct {
		method, path, body, media string
		want                      int
	}{
		{"GET", "/streams", "", "", 200},
		{"GET", "/streams?limit=1", "", "", 200},
		{"GET", "/streams?limit=0", "", "", 422},
		{"GET", "/streams?limit=x", "", "", 422},
		{"GET", "/streams/s1", "", "", 200},
		{"GET", "/streams/nope", "", "", 404},
		{"POST", "/streams", `{"title":"New","source":{"kind":"push"}}`, js, 201},
		{"POST", "/streams", `{"title":"","source":{"kind":"twitch"}}`, js, 422},
		{"POST", "/streams", `{"title":"New","sauce":1}`, js, 422},
		{"POST", "/streams", `{"title":7}`, js, 422},
		{"POST", "/streams", `{"title":`, js, 400},
		{"POST", "/streams", `{} {}`, js, 400},
		{"POST", "/streams", ``, js, 400},
		{"POST", "/streams", `title=New`, "application/x-www-form-urlencoded", 415},
		{"POST", "/streams", `{}`, "", 415},
		{"POST", "/streams", `{"title":"New","source":{"kind":"replay","file":"../../etc/passwd"}}`, js, 422},
		{"POST", "/streams", huge, js, 413},
		{"POST", "/streams/s1/start", "", "", 200},
		{"POST", "/streams/s1/pause", "", "", 200},
		{"POST", "/streams/s1/end", "", "", 200},
		{"POST", "/streams/nope/end", "", "", 404},
		{"POST", "/streams/s1/explode", "", "", 404},
		{"GET", "/streams/s1/start", "", "", 405},
		{"DELETE", "/streams/s1", "", "", 405},
		{"GET", "/streams/s1/cards", "", "", 200},
		{"GET", "/streams/nope/cards", "", "", 404},
		{"GET", "/streams/s1/comments?filter=questions&from=-10&to=600", "", "", 200},
		{"GET", "/streams/s1/comments?filter=nonsense", "", "", 422},
		{"GET", "/streams/s1/comments?from=NaN", "", "", 422},
		{"GET", "/streams/s1/comments?after=-1", "", "", 400},
		{"GET", "/streams/s1/comments?after=x", "", "", 400},
		{"GET", "/streams/nope/comments", "", "", 404},
		{"GET", "/streams/s1/pulse", "", "", 200},
		{"GET", "/streams/nope/pulse", "", "", 404},
		{"POST", "/streams/s1/comments", `{"id":"n1","text":"hello","author":{"id":"a","name":"A"}}`, js, 202},
		{"POST", "/streams/s1/comments", "{\"id\":\"n1\",\"text\":\"hello\"}\nnot json\n", lines, 202},
		{"POST", "/streams/s1/comments", "[]", js, 202},
		{"POST", "/streams/s1/comments", "[1,2", js, 400},
		{"POST", "/streams/s1/comments", "hello", "text/plain", 415},
		{"POST", "/streams/s1/comments", huge, js, 413},
		{"POST", "/streams/nope/comments", `{"id":"n1","text":"hello"}`, js, 404},
		{"POST", "/cards/card-1/handled", "", "", 200},
		{"POST", "/cards/card-1/dismissed", `{"note":"not useful"}`, js, 200},
		{"POST", "/cards/card-1/dismissed", `{"note":"not useful"}`, "text/plain", 415},
		{"POST", "/cards/card-1/eaten", "", "", 404},
		{"POST", "/cards/nope/handled", "", "", 404},
		{"GET", "/inbox", "", "", 200},
		{"GET", "/inbox?state=done", "", "", 200},
		{"GET", "/inbox?state=lost", "", "", 422},
		{"GET", "/inbox/item-1", "", "", 200},
		{"GET", "/inbox/nope", "", "", 404},
		{"POST", "/inbox/item-1/decision", `{"decision":"allow-once"}`, js, 200},
		{"POST", "/inbox/item-1/decision", `{"decision":"always"}`, js, 422},
		{"POST", "/inbox/item-1/decision", `{}`, js, 422},
		{"POST", "/inbox/item-1/decision", `{"decision":"allow-once","arguments":{"comment":"c2"}}`, js, 422},
		{"POST", "/inbox/item-1/decision", `{"id":"item-2","decision":"deny"}`, js, 422},
		{"POST", "/inbox/nope/decision", `{"decision":"deny"}`, js, 404},
		{"POST", "/inbox/ask-1/decision", `{"decision":"deny"}`, js, 409},
		{"POST", "/inbox/ask-1/answer", `{"text":"Yes"}`, js, 200},
		{"POST", "/inbox/ask-1/answer", `{"text":""}`, js, 422},
		{"POST", "/inbox/decisions", `{"decisions":[]}`, js, 422},
		{"POST", "/inbox/decisions", `{"decisions":[{"id":"item-1","decision":"maybe"}]}`, js, 422},
		{"GET", "/reports", "", "", 200},
		{"GET", "/reports/rep-1", "", "", 200},
		{"GET", "/reports/rep-1.json", "", "", 200},
		{"GET", "/reports/rep-1.md", "", "", 200},
		{"GET", "/reports/rep-1.csv", "", "", 200},
		{"GET", "/reports/rep-1.html", "", "", 200},
		{"GET", "/reports/rep-1.exe", "", "", 404},
		{"GET", "/reports/nope.json", "", "", 404},
		{"GET", "/characters", "", "", 200},
		{"GET", "/characters/nagi", "", "", 200},
		{"GET", "/characters/nope", "", "", 404},
		{"PUT", "/characters/nagi", `{"name":"Nagi","version":1}`, js, 200},
		{"PUT", "/characters/nagi", `{"name":"","version":1}`, js, 422},
		{"PUT", "/characters/nagi", `{"name":"Nagi"}`, js, 422},
		{"PUT", "/characters/nagi", `{"name":"Nagi","version":9}`, js, 409},
		{"PUT", "/characters/nope", `{"name":"Nagi","version":1}`, js, 404},
		{"GET", "/sessions/ses-1/events", "", "", 200},
		{"GET", "/sessions/ses-1/events?after=99", "", "", 200},
		{"GET", "/sessions/nope/events", "", "", 404},
		{"GET", "/sessions/nope/events?after=5", "", "", 404},
		{"GET", "/changes", "", "", 200},
		{"GET", "/changes?stream=s1&after=0&limit=1", "", "", 200},
		{"GET", "/changes?after=minus", "", "", 400},
		{"GET", "/live?stream=s1", "", "", 426},

		// Of later issues: nothing answers there yet.
		{"POST", "/inbox/item-1/extend", `{"seconds":60}`, js, 404},
		{"POST", "/inbox/item-1/undo", "", "", 404},
		{"POST", "/inbox/item-1/reask", "", "", 404},
		{"POST", "/characters/nagi/rehearse", "", "", 404},
		{"POST", "/characters/nagi/events", `{}`, js, 404},
		{"GET", "/streams/s1/highlights", "", "", 404},
		{"GET", "/nothing", "", "", 404},
	} {
		t.Run(tt.method+" "+tt.path+" "+short(tt.body)[:min(len(tt.body), 40)], func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			a := ask{method: tt.method, path: "/api/v1" + tt.path, body: tt.body, media: tt.media, as: "token"}
			if tt.want < 400 {
				s.want(s.do(a), tt.want)
				return
			}
			s.problem(a, tt.want)
		})
	}
}

func TestListsHaveCursors(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.world.say("s1", "m2", "Kai", "two")
	s.world.say("s1", "m3", "Kai", "three")
	type list struct {
		Items []struct {
			Seq int64
			ID  string
		}
		Next *int64
	}
	first := decode[list](t, s.get("token", "/api/v1/streams/s1/comments?limit=2"))
	if len(first.Items) != 2 || first.Next == nil || *first.Next != 2 {
		t.Fatalf("got %+v", first)
	}
	second := decode[list](t, s.get("token", "/api/v1/streams/s1/comments?limit=2&after=2"))
	if len(second.Items) != 1 || second.Items[0].ID != "m3" || second.Next != nil {
		t.Errorf("got %+v", second)
	}
	changes := decode[list](t, s.get("token", "/api/v1/changes?stream=s1&after=2"))
	if len(changes.Items) != 1 || changes.Items[0].Seq != 3 {
		t.Errorf("got %+v", changes)
	}
	if body := s.get("token", "/api/v1/changes?stream=none").Body.String(); !strings.Contains(body, `"items":[]`) || !strings.Contains(body, `"next":null`) {
		t.Errorf("an empty list is %s", body)
	}
}

func TestPushedCommentsAreCounted(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	type counts struct {
		Accepted, Duplicates int
		Rejected             []struct {
			Index int
			Error string
		}
	}
	got := decode[counts](t, s.send("/api/v1/streams/s1/comments",
		`[{"id":"a","text":"one","author":{"id":"v"}},{"id":"a","text":"one"},{"id":"b","text":""},{"text":"no id"},7,{"id":"c","text":"x","at":"the year 3000"}]`))
	if got.Accepted != 2 || got.Duplicates != 1 || len(got.Rejected) != 3 {
		t.Fatalf("got %+v", got)
	}
	for i, want := range []int{2, 4, 5} {
		if r := got.Rejected[i]; r.Index != want || r.Error == "" {
			t.Errorf("got %+v, want index %d", r, want)
		}
	}
	again := decode[counts](t, s.send("/api/v1/streams/s1/comments", `{"id":"a","text":"one"}`))
	if again.Accepted != 0 || again.Duplicates != 1 || again.Rejected == nil {
		t.Errorf("got %+v", again)
	}
	several := decode[counts](t, s.send("/api/v1/streams/s1/comments", "{\"id\":\"p\",\"text\":\"x\"}\n{\"id\":\"q\",\"text\":\"y\"}"))
	if several.Accepted != 2 {
		t.Errorf("got %+v", several)
	}
	hostile := decode[counts](t, s.send("/api/v1/streams/s1/comments", `{"id":"nul","text":"a\u0000b\ud800","author":{"name":"\u202Eevil"}}`))
	if hostile.Accepted != 1 {
		t.Errorf("got %+v", hostile)
	}
}

func TestBusyDesk(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.world.fail["Offer"] = &ops.Busy{RetryAfter: 1500 * time.Millisecond}
	rec := s.want(s.send("/api/v1/streams/s1/comments", `{"id":"a","text":"one"}`), 429)
	if got := rec.Header().Get("Retry-After"); got != "2" {
		t.Errorf("got Retry-After %q", got)
	}
	s.world.fail["Offer"] = ops.ErrState
	s.want(s.send("/api/v1/streams/s1/comments", `{"id":"a","text":"one"}`), 409)
}

func TestOurFaultsSayNothingOfThemselves(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.world.fail["Stream"] = errSecret{}
	p := s.problem(ask{as: "token", path: "/api/v1/streams/s1"}, 500)
	page := s.want(s.get("op-owner", "/streams/s1"), 500).Body.String()
	if strings.Contains(p.Detail+p.Title+page, "SQL") {
		t.Error("the cause left the program")
	}
	if !strings.Contains(s.logs.String(), "SQL") {
		t.Error("the cause is not in the log")
	}
}

func TestAPanicIsAPageAndALogLine(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.world.fail["Pulse"] = panicking{}
	if body := s.want(s.get("op-owner", "/streams/s1/pulse"), 500).Body.String(); !strings.Contains(body, "Our fault") || strings.Contains(body, "VIEWER") {
		t.Errorf("got %s", short(body))
	}
	s.problem(ask{as: "token", path: "/api/v1/streams/s1/pulse"}, 500)
	if log := s.logs.String(); !strings.Contains(log, "msg=panic") || !strings.Contains(log, "board.go") || strings.Contains(log, "VIEWER") {
		t.Errorf("the log says %s", log)
	}
	s.want(s.get("op-owner", "/streams/s1"), 200) // and life goes on
}

type errSecret struct{}

func (errSecret) Error() string { return "SQL: near SELECT" }

// panicking stands for a fault that quotes a viewer.
type panicking struct{}

func (panicking) Error() string { return "VIEWER TEXT" }

func TestProblemsSpeakTheLanguageAsked(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := ask{as: "token", path: "/api/v1/streams/nope", header: map[string]string{"Accept-Language": "ja-JP,ja;q=0.9,en;q=0.5"}}
	if got := s.problem(a, 404).Title; got != "見つかりません" {
		t.Errorf("got title %q", got)
	}
	a.header = map[string]string{"Accept-Language": "fr, de"}
	if got := s.problem(a, 404).Title; got != "Not here" {
		t.Errorf("got title %q", got)
	}
}

func TestEventsHideWhatStaysInside(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	body := s.want(s.get("token", "/api/v1/sessions/ses-1/events"), 200).Body.String()
	for _, secret := range []string{"FROZEN", "WHOLE RESULT"} {
		if strings.Contains(body, secret) {
			t.Errorf("the log shows %q: %s", secret, body)
		}
	}
	if !strings.Contains(body, `"arguments":{"comment":"c1"}`) {
		t.Errorf("the redacted arguments are gone: %s", body)
	}
}

func TestStreamShape(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	got := decode[map[string]any](t, s.get("token", "/api/v1/streams/s1"))
	for _, name := range []string{"id", "title", "state", "sources", "comments", "analysed", "cards", "pending", "usage", "startedAt", "endedAt"} {
		if _, ok := got[name]; !ok {
			t.Errorf("a stream has no %q: %v", name, got)
		}
	}
	if got["usage"] != nil || got["endedAt"] != nil {
		t.Errorf("what is unknown is not null: %v, %v", got["usage"], got["endedAt"])
	}
	rec := s.want(s.send("/api/v1/streams", `{"title":"New","source":{"kind":"push"}}`), http.StatusCreated)
	if got := rec.Header().Get("Location"); got != "/api/v1/streams/s2" {
		t.Errorf("got Location %q", got)
	}
}
