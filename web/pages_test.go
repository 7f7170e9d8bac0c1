package web_test

import (
	"net/http"
	"strings"
	"testing"

	"urakata/internal/ops"
)

// pages is every page there is, as an owner opens it.
var pages = []string{
	"/", "/live", "/streams", "/streams/new", "/streams/s1", "/streams/s1/live", "/streams/s1/pulse", "/streams/s1/comments",
	"/streams/s1/comments?id=m1", "/streams/s1/comments?from=0&to=60&filter=questions&group=q1&author=a-m1&subject=audio", "/inbox", "/inbox?state=done",
	"/inbox/item-1", "/inbox/ask-1", "/reports", "/reports/rep-1", "/characters", "/characters/new", "/characters/nagi", "/audit",
	"/settings/operators", "/sessions/ses-1", "/gallery",
}

func TestEveryPageOpens(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, path := range pages {
		rec := s.want(s.get("op-owner", path), 200)
		if got := rec.Header().Get("Content-Type"); got != "text/html; charset=UTF-8" {
			t.Errorf("%s: got content type %q", path, got)
		}
		body := rec.Body.String()
		if !strings.Contains(body, "<main") || !strings.HasSuffix(strings.TrimSpace(body), "</html>") {
			t.Errorf("%s is no whole page: %s", path, short(body))
		}
		for _, forbidden := range []string{"<script>", " style=\"", " onclick=", "javascript:"} {
			if strings.Contains(body, forbidden) {
				t.Errorf("%s holds %q, which the policy forbids", path, forbidden)
			}
		}
		s.want(s.do(ask{method: http.MethodHead, as: "op-owner", path: path}), 200)
	}
	s.want(s.get("", "/login"), 200)
	s.want(s.get("op-owner", "/login"), 303)
}

func TestPagesThatAreNotThere(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, path := range []string{
		"/nothing", "/streams/nope", "/streams/nope/live", "/streams/nope/comments", "/streams/nope/pulse", "/inbox/nope", "/reports/nope",
		"/reports/nope.csv", "/characters/nope", "/sessions/nope", "/../../etc/passwd", "/static/../web.go", "/static/nothing.js",
	} {
		rec := s.get("op-owner", path)
		if rec.Code != 404 && rec.Code != 301 {
			t.Errorf("%s: got status %d", path, rec.Code)
		}
	}
	s.want(s.get("op-owner", "/streams/s1/comments?from=yesterday"), 422)
	s.want(s.get("op-owner", "/audit?after=x"), 400)
	fragment := s.want(s.do(ask{as: "op-owner", path: "/inbox/nope", header: map[string]string{"HX-Request": "true"}}), 404)
	if strings.Contains(fragment.Body.String(), "<html") || fragment.Header().Get("HX-Reswap") != "none" {
		t.Errorf("an htmx request got a whole page: %s", short(fragment.Body.String()))
	}
}

// hostile is what viewers write: markup, script, an override of direction, a pile of accents, a NUL, a broken surrogate, and our own ids.
var hostile = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, "\u202Egnp.exe", "Z" + strings.Repeat("\u0351\u0360\u0315", 200), "a\x00b", "\xed\xa0\x80 lone",
	`</textarea><script>alert(2)</script>`, `javascript:alert(3)`, `{{.}} ${7*7}`, `<hx-partial hx-target="#cards">stolen</hx-partial>`, strings.Repeat("W", 5000),
}

func TestHostileWordsStayWords(t *testing.T) {
	t.Parallel()
	for _, words := range hostile {
		s := newSite(t)
		w := s.world
		w.say("s1", "m<9>"+words[:min(8, len(words))], words, words)
		w.streams[0].Title, w.streams[0].Topic, w.streams[0].Err = words, words, words
		card := w.cards["card-1"]
		card.Observed, card.Suggested, card.Note, card.By = words, words, words, words
		w.cards["card-1"] = card
		for _, id := range []string{"item-1", "ask-1"} {
			it := w.items[id]
			it.Reason, it.Note, it.Question, it.Choices, it.Character = words, words, words, []string{words}, words
			w.items[id] = it
		}
		ch := w.characters["nagi"][0]
		ch.Name, ch.Brief, ch.UpdatedBy = words, words, words
		w.characters["nagi"][0] = ch
		w.reports[0].Title = words
		w.data.Summary = ops.ReportSummary{Sentences: []string{words}, Next: []string{words}, Author: words}
		w.data.Questions = []ops.ReportQuestion{{Group: "q1", Count: 3, Quotes: []string{words}}}
		w.accounts["op-mod"].Name = words
		w.audit = append(w.audit, ops.AuditEntry{At: at, By: words, Action: "inbox.allow", Detail: words, Ref: words})
		for _, path := range append(pages, "/reports/rep-1.html") {
			body := s.want(s.get("op-owner", path), 200).Body.String()
			for _, markup := range []string{"<script>alert", "<img src=x", "</textarea><script", `>stolen</hx-partial>`, "\x00", `href="javascript:`} {
				if strings.Contains(body, markup) {
					t.Errorf("%s: %q became markup", path, markup)
				}
			}
		}
	}
}

func TestHostileWordsInForms(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, words := range hostile {
		body := s.want(s.post("", "/login", form("name", words, "password", words, "next", words)), 422).Body.String()
		body += s.post("op-owner", "/characters/nagi", form("name", "", "brief", words, "version", words)).Body.String()
		body += s.post("op-owner", "/streams", form("kind", words, "title", words, "upload", words)).Body.String()
		body += s.post("op-owner", "/settings/operators", form("name", "", "role", words)).Body.String()
		if strings.Contains(body, "<script>alert") || strings.Contains(body, "<img src=x") || strings.Contains(body, "\x00") {
			t.Errorf("%q became markup", words)
		}
		s.world.mu.Lock()
		clear(s.world.sessions)
		s.world.sessions["session-op-owner"] = "op-owner"
		s.world.mu.Unlock()
		s = newSite(t) // the door lets nobody try for ever
	}
}

func TestHomeIsTheBoardOfWhatIsLive(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	if body := s.get("op-owner", "/").Body.String(); !strings.Contains(body, "First stream") || !strings.Contains(body, "/socket?") {
		t.Errorf("the board is not there: %s", short(body))
	}
	s.world.streams[0].State = ops.StreamEnded
	if got := s.want(s.get("op-owner", "/"), 303).Header().Get("Location"); got != "/streams" {
		t.Errorf("got redirect to %q", got)
	}
	s.want(s.get("op-owner", "/live"), 200)
}

func TestFormsWithoutScript(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, tt := range []struct{ path, to string }{
		{"/cards/card-1/handled", "/streams/s1/live"},
		{"/streams/s1/pause", "/streams/s1"},
	} {
		rec := s.want(s.post("op-owner", tt.path, form()), 303)
		if got := rec.Header().Get("Location"); got != tt.to {
			t.Errorf("%s: got redirect to %q, want %q", tt.path, got, tt.to)
		}
	}
	rec := s.want(s.post("op-owner", "/cards/card-1/dismissed", form("back", "/streams/s1/live?x=1")), 303)
	if got := rec.Header().Get("Location"); got != "/streams/s1/live?x=1" {
		t.Errorf("got redirect to %q", got)
	}
	part := s.want(s.do(ask{method: "POST", as: "op-owner", path: "/cards/card-1/open", header: map[string]string{"HX-Request": "true"}}), 200).Body.String()
	if !strings.Contains(part, `id="card-card-1"`) || strings.Contains(part, "<html") {
		t.Errorf("got %s", short(part))
	}
}

func TestFlashIsShownOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	flash := func(value string) string {
		return s.do(ask{as: "op-owner", path: "/streams", header: map[string]string{"Cookie": "urakata=session-op-owner; urakata_flash=" + value}}).Body.String()
	}
	if body := flash("handled"); !strings.Contains(body, "The card is marked as handled.") {
		t.Errorf("the message is not there: %s", short(body))
	}
	if body := flash("made-up"); strings.Contains(body, "made-up") || strings.Contains(body, "«web.flash") {
		t.Error("a made-up message is shown")
	}
}

func TestPreferences(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ja := s.do(ask{as: "op-owner", path: "/streams", header: map[string]string{"Cookie": "urakata=session-op-owner; urakata_lang=ja; urakata_theme=light"}})
	if body := ja.Body.String(); !strings.Contains(body, `lang="ja"`) || !strings.Contains(body, `data-theme="light"`) {
		t.Errorf("got %s", short(body))
	}
	s.want(s.post("", "/settings/language", form("lang", "tlh")), 422)
	rec := s.want(s.post("", "/settings/language", form("lang", "ja", "back", "/login")), 303)
	if c := rec.Result().Cookies(); len(c) != 1 || c[0].Value != "ja" || rec.Header().Get("Location") != "/login" {
		t.Errorf("got cookies %v", c)
	}
}

func TestCharacterForm(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ok := form("name", "Nagi", "job", "stream-operations", "brief", "Watch well.", "language", "en", "backend", "rules", "art", "nagi", "version", "1",
		"tool.chat.delete", "ask", "deadline.chat.delete", "60")
	s.want(s.post("op-owner", "/characters/nagi", ok), 303)
	now := s.world.characters["nagi"][1]
	if rule := now.Tools["chat.delete"]; rule.Permission != ops.PermitAsk || rule.Deadline != 60 || len(now.Tools) != 1 {
		t.Errorf("got tools %v", now.Tools)
	}
	stale := s.want(s.post("op-run", "/characters/nagi", ok), 409).Body.String()
	if !strings.Contains(stale, "Watch well.") {
		t.Error("what was typed is lost")
	}
	ok.Set("version", "2")
	ok.Set("deadline.chat.delete", "soon")
	s.want(s.post("op-run", "/characters/nagi", ok), 422)
	s.want(s.post("op-run", "/characters", form("name", "Rin", "version", "0")), 303)
	s.want(s.post("op-run", "/characters/nope", ok), 404)
}

func TestOperatorsPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	link := s.want(s.post("op-owner", "/settings/operators", form("name", "Rin", "role", "moderator")), 200).Body.String()
	if !strings.Contains(link, "http://127.0.0.1:8080/login/link?token=link-0") {
		t.Errorf("the link is not there: %s", short(link))
	}
	s.want(s.post("op-owner", "/settings/operators", form("name", "Rin", "role", "moderator")), 422)
	s.want(s.post("op-owner", "/settings/operators/nobody/reset", form()), 404)
	s.want(s.post("op-mod", "/settings/password", form("password", "short")), 422)
	if body := s.get("op-mod", "/settings/operators").Body.String(); strings.Contains(body, "Vivi") {
		t.Error("a moderator sees the others")
	}
	s.want(s.get("token", "/settings/operators"), 303) // a script has no password
}

func TestOneTimeLink(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.world.links["abc"] = "op-owner"
	for range 3 { // previews look as often as they like
		for _, path := range []string{"/login?token=abc", "/login/link?token=abc"} {
			if body := s.want(s.get("", path), 200).Body.String(); !strings.Contains(body, `value="abc"`) {
				t.Errorf("the button does not carry the link: %s", short(body))
			}
		}
	}
	rec := s.want(s.post("", "/login", form("token", "abc")), 303)
	if c := rec.Result().Cookies(); len(c) == 0 || c[0].Name != "urakata" {
		t.Errorf("got cookies %v", c)
	}
	s.want(s.post("", "/login", form("token", "abc")), 422)
}

func TestReportFiles(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for ext, want := range map[string]string{
		".json": "application/json", ".md": "text/markdown; charset=utf-8", ".csv": "text/csv; charset=utf-8", ".html": "text/html; charset=UTF-8",
	} {
		h := s.want(s.get("op-view", "/reports/rep-1"+ext), 200).Header()
		if got := h.Get("Content-Type"); got != want {
			t.Errorf("%s: got content type %q", ext, got)
		}
		if got := h.Get("Content-Disposition"); !strings.Contains(got, `filename="report-rep-1`+ext+`"`) {
			t.Errorf("%s: got disposition %q", ext, got)
		}
	}
}

func TestStaticFilesMayBeKept(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	body := s.get("", "/login").Body.String()
	_, rest, _ := strings.Cut(body, `rel="stylesheet" href="`)
	path, _, _ := strings.Cut(rest, `"`)
	rec := s.want(s.get("", path), 200)
	if got := rec.Header().Get("Cache-Control"); !strings.Contains(got, "immutable") {
		t.Errorf("%s: got Cache-Control %q", path, got)
	}
}
