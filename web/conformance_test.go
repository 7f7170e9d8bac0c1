package web_test

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
	"time"

	"urakata/internal/agent"
	"urakata/internal/ops"
)

// elsewhere is why an id of the reference's server and screen tests has no test in this package.
var elsewhere = map[string]string{
	"AO-SO-01": "a subtest of this name in internal/ops",
	"AO-SO-02": "a subtest of this name in internal/ops", "AO-SO-03": "a subtest of this name in internal/ops", "AO-SO-04": "a subtest of this name in internal/ops",
	"AO-SO-05": "a subtest of this name in internal/ops", "AO-SO-06": "a subtest of this name in internal/ops",
	"AO-SO-13": "bound to the reference's client library: our pages hold no state that a client could get wrong",
	"AO-SO-14": "bound to the reference's client library: events carry turn and call ids instead of an operation id of the client's",
	"AO-SO-15": "bound to the reference's client library", "AO-SO-16": "bound to the reference's client library: no call of ours waits for a turn",
	"AO-SO-18": "bound to the reference's voice screen: voices are a later issue", "AO-SO-19": "bound to the reference's voice screen",
	"AO-SO-20": "bound to the reference's scripted playback of 16 comments: the browser test plays our example to its report",
	"AO-SO-21": "bound to the reference's playback timer: comments never wait for the model here, see the tests of ops",
	"AO-SO-22": "bound to the reference's screen state: there is no flag to clear, a page is drawn from rows",
	"AO-SO-24": "bound to the reference's fixed insights, which are computed from data here: the tests of ops",
	"AO-SO-25": "as 24", "AO-SO-26": "as 24",
	"AO-SO-27": "bound to the reference's voice engines", "AO-SO-28": "bound to the reference's voice engines", "AO-SO-29": "bound to the reference's voice engines",
	"AO-WS-09": "bound to the reference's workspace folder on disk: this product seeds none", "AO-WS-11": "bound to the reference's workspace folder on disk",
}

func TestReferenceIDsAreAccountedFor(t *testing.T) {
	t.Parallel()
	for id, why := range elsewhere {
		if why == "" {
			t.Errorf("%s has no reason", id)
		}
	}
	for prefix, last := range map[string]int{"AO-SO-": 29, "AO-WS-": 11} {
		for n := 1; n <= last; n++ {
			id := prefix + string(rune('0'+n/10)) + string(rune('0'+n%10))
			if _, ok := here[id]; ok == (elsewhere[id] != "") {
				t.Errorf("%s needs a test or a reason, and not both", id)
			}
		}
	}
}

// here is the ids that hold for this package, each with what it means here.
var here = map[string]func(*testing.T){
	"AO-SO-07": func(t *testing.T) { // a stream of events that goes on after Last-Event-ID
		s := newSite(t)
		srv := s.run()
		first := follow(s, srv.URL, "")
		for _, want := range []string{"id: 1", "id: 2", "id: 3"} {
			first.until(want)
		}
		s.world.append("ses-1", event("ses-1", 4, agent.TurnCompleted, `{"stop":"done"}`))
		first.until("id: 4")
		again := follow(s, srv.URL, "3")
		if got := again.until("id: "); got != "id: 4" {
			t.Errorf("after the third comes %q", got)
		}
	},
	"AO-SO-08": func(t *testing.T) { // approvals and stopping have routes
		s := newSite(t)
		s.want(s.post("op-mod", "/inbox/item-1/decision", form("decision", "allow-once")), 303)
		s.want(s.post("op-mod", "/staff/pause", form("character", "nagi", "paused", "true")), 303)
		if !s.world.characters["nagi"][0].Paused {
			t.Error("nobody was stopped")
		}
		s.want(s.post("op-mod", "/staff/pause", form("character", "nope", "paused", "true")), 404)
		s.want(s.post("op-mod", "/staff/pause", form("character", "nagi", "paused", "perhaps")), 422)
	},
	"AO-SO-09": func(t *testing.T) { // stopping a character comes before anything else of it: the audit says it first
		s := newSite(t)
		s.want(s.post("op-mod", "/characters/nagi/pause", form("paused", "true")), 303)
		s.want(s.post("op-run", "/streams/s1/end", form()), 303)
		if got := s.world.audit[0].Action; got != "character.pause" {
			t.Errorf("got %q first", got)
		}
	},
	"AO-SO-10": func(t *testing.T) { // a failure is an event that the page gets, not silence
		s := newSite(t)
		s.world.append("ses-1", event("ses-1", 4, agent.TurnFailed, `{"stop":"error","error":{"code":"backend.down","message":"no answer"}}`))
		if body := s.want(s.get("token", "/api/v1/sessions/ses-1/events?after=3"), 200).Body.String(); !strings.Contains(body, "backend.down") {
			t.Errorf("got %s", body)
		}
		p := s.open(s.run(), "op-owner", "s1", 1)
		s.world.lockChanged("s1", ops.ChangeSession, "ses-1")
		p.until(`"#activity"`)
	},
	"AO-SO-11": foreignAndUntyped,
	"AO-SO-12": func(t *testing.T) { // no way out of the folders
		s := newSite(t)
		for _, path := range []string{
			"/static/../../go.mod", "/static/%2e%2e/%2e%2e/go.mod", "/static/..%2f..%2fgo.mod", "/static/css/../../static.go", "/../go.mod",
			"/reports/..%2f..%2fetc%2fpasswd.json", "/api/v1/reports/..%2fx", "/streams/..%2f..%2fetc",
		} {
			if rec := s.get("op-owner", path); rec.Code == 200 || strings.Contains(rec.Body.String(), "module urakata") {
				t.Errorf("%s: got status %d", path, rec.Code)
			}
		}
	},
	"AO-SO-17": func(t *testing.T) { // only the two answers
		s := newSite(t)
		for _, word := range []string{"allow", "allow-always", "", "Deny"} {
			s.want(s.post("op-mod", "/inbox/item-1/decision", form("decision", word)), 422)
		}
	},
	"AO-SO-23": func(t *testing.T) { // an error is shown, in words
		s := newSite(t)
		s.world.fail["Stream"] = errSecret{}
		rec := s.do(ask{method: "POST", as: "op-run", path: "/streams/s1/pause", header: map[string]string{"HX-Request": "true"}})
		if body := s.want(rec, 500).Body.String(); !strings.Contains(body, "alert") {
			t.Errorf("got %s", short(body))
		}
	},
	"AO-WS-01": func(t *testing.T) { // how an idle program stands
		s := newSite(t)
		got := decode[map[string]any](t, s.get("token", "/api/v1/streams/s1"))
		if got["state"] != "live" || got["backend"] != "rules (offline)" || got["pending"] == nil {
			t.Errorf("got %v", got)
		}
	},
	"AO-WS-02": func(t *testing.T) { // a whole turn can be followed
		s := newSite(t)
		f := follow(s, s.run().URL, "")
		for _, kind := range []string{"event: session.started", "event: tool.requested", "event: tool.completed"} {
			f.until(kind)
		}
	},
	"AO-WS-03": func(t *testing.T) { // what is going on already cannot be begun otherwise: 409
		s := newSite(t)
		s.world.streams[0].State = ops.StreamEnded
		s.want(s.post("op-run", "/streams/s1/start", form()), 409)
		s.problem(ask{method: "POST", as: "token", path: "/api/v1/streams/s1/pause"}, 409)
	},
	"AO-WS-04": func(t *testing.T) { decided(t, "allow-once", ops.ItemAllowed, 1) },
	"AO-WS-05": func(t *testing.T) { decided(t, "deny", ops.ItemDenied, 0) },
	"AO-WS-06": func(t *testing.T) { // interrupting
		s := newSite(t)
		s.want(s.post("op-run", "/streams/s1/pause", form()), 303)
		if got := s.world.streams[0].State; got != ops.StreamPaused {
			t.Errorf("the stream is %s", got)
		}
	},
	"AO-WS-07": func(t *testing.T) { // unknown approval, bad decision
		s := newSite(t)
		a := ask{method: "POST", as: "token", path: "/api/v1/inbox/nope/decision", body: `{"decision":"deny"}`, media: "application/json"}
		s.problem(a, 404)
		a.path, a.body = "/api/v1/inbox/item-1/decision", `{"decision":"always"}`
		s.problem(a, 422)
		a.body = `{`
		s.problem(a, 400)
	},
	"AO-WS-08": foreignAndUntyped,
	"AO-WS-10": func(t *testing.T) { // a session's id comes from the store and is checked
		s := newSite(t)
		for _, id := range []string{"nope", "..%2f..%2fetc", "%00", strings.Repeat("x", 3000)} {
			s.want(s.get("token", "/api/v1/sessions/"+id+"/events"), 404)
		}
	},
}

func TestReference(t *testing.T) {
	t.Parallel()
	for id, test := range here {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			test(t)
		})
	}
}

func foreignAndUntyped(t *testing.T) {
	s := newSite(t)
	a := ask{method: "POST", as: "op-mod", path: "/api/v1/inbox/item-1/decision", body: `{"decision":"deny"}`, media: "application/json"}
	a.header = map[string]string{"Origin": "https://evil.example"}
	s.problem(a, 403)
	a.header, a.media = nil, "text/plain"
	s.problem(a, 415)
	if s.world.items["item-1"].State != ops.ItemPending {
		t.Error("something was decided")
	}
}

func decided(t *testing.T, word string, want ops.ItemState, ran int) {
	s := newSite(t)
	s.want(s.send("/api/v1/inbox/item-1/decision", `{"decision":"`+word+`"}`), 200)
	if got := s.world.items["item-1"].State; got != want || s.world.ran["item-1"] != ran {
		t.Errorf("the item is %s and ran %d times", got, s.world.ran["item-1"])
	}
}

// append adds to a session's log and rings.
func (w *world) append(session string, e agent.Event) {
	defer w.lock()()
	w.events[session] = append(w.events[session], e)
	w.ring("session/" + session)
}

func (w *world) lockChanged(stream string, kind ops.ChangeKind, ref string) {
	defer w.lock()()
	w.changed(stream, kind, ref)
}

// follower reads server-sent events.
type follower struct {
	*testing.T
	lines *bufio.Scanner
}

func follow(s site, url, last string) follower {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), http.MethodGet, url+"/api/v1/sessions/ses-1/events", nil)
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Accept", "text/event-stream")
	r.Header.Set("Authorization", "Bearer "+token)
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	client := http.Client{Timeout: 30 * time.Second}
	res, err := client.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { _ = res.Body.Close() })
	if got := res.Header.Get("Content-Type"); res.StatusCode != 200 || got != "text/event-stream" {
		s.Fatalf("got status %d, content type %q", res.StatusCode, got)
	}
	return follower{T: s.T, lines: bufio.NewScanner(res.Body)}
}

// until reads to a line that begins like this.
func (f follower) until(begin string) string {
	f.Helper()
	for f.lines.Scan() {
		if strings.HasPrefix(f.lines.Text(), begin) {
			return f.lines.Text()
		}
	}
	f.Fatalf("the stream ended before %q: %v", begin, f.lines.Err())
	return ""
}
