package web_test

import (
	"net/http"
	"strings"
	"testing"

	"urakata/web"
)

func TestHostAndOrigin(t *testing.T) {
	t.Parallel()
	plain := newSite(t)
	public := newSite(t, func(c *web.Config) { c.PublicURL = "https://desk.example" })
	everywhere := newSite(t, func(c *web.Config) { c.Addr = "0.0.0.0:8080" })
	named := newSite(t, func(c *web.Config) { c.Hosts = []string{"desk.lan"} })
	for _, tt := range []struct {
		name         string
		site         site
		method, host string
		header       map[string]string
		want         int
	}{
		{"the listen address", plain, "GET", "127.0.0.1:8080", nil, 200},
		{"localhost is the same machine", plain, "GET", "localhost:8080", nil, 200},
		{"another port in front of us", plain, "GET", "localhost:9000", nil, 200},
		{"IPv6 loopback", plain, "GET", "[::1]:8080", nil, 200},
		{"upper case and a trailing dot", plain, "GET", "LOCALHOST.:8080", nil, 200},
		{"a stranger's name pointed at us", plain, "GET", "evil.example:8080", nil, 421},
		{"a name that only begins like ours", plain, "GET", "localhost.evil.example", nil, 421},
		{"no host", plain, "GET", " ", nil, 421},
		{"a lan address nobody listens on", plain, "GET", "192.168.1.7:8080", nil, 421},
		{"a lan address when listening everywhere", everywhere, "GET", "192.168.1.7:8080", nil, 200},
		{"a stranger's name when listening everywhere", everywhere, "GET", "evil.example:8080", nil, 421},
		{"the public name", public, "GET", "desk.example", nil, 200},
		{"a further name", named, "GET", "desk.lan:8080", nil, 200},

		{"own origin", plain, "POST", "127.0.0.1:8080", map[string]string{"Origin": "http://127.0.0.1:8080"}, 303},
		{"own origin by localhost", plain, "POST", "localhost:8080", map[string]string{"Origin": "http://localhost:8080"}, 303},
		{"foreign origin", plain, "POST", "127.0.0.1:8080", map[string]string{"Origin": "https://evil.example"}, 403},
		{"foreign origin reading", plain, "GET", "127.0.0.1:8080", map[string]string{"Origin": "https://evil.example"}, 403},
		{"foreign port", plain, "POST", "127.0.0.1:8080", map[string]string{"Origin": "http://127.0.0.1:3000"}, 403},
		{"null origin", plain, "POST", "127.0.0.1:8080", map[string]string{"Origin": "null"}, 403},
		{"broken origin", plain, "POST", "127.0.0.1:8080", map[string]string{"Origin": "http://[::1"}, 403},
		{"public origin behind a proxy that changes the host", public, "POST", "127.0.0.1:8080", map[string]string{"Origin": "https://desk.example"}, 303},
		{"public origin in plain text", public, "POST", "127.0.0.1:8080", map[string]string{"Origin": "http://desk.example"}, 403},
		{"fetched from the same origin", plain, "POST", "127.0.0.1:8080", map[string]string{"Sec-Fetch-Site": "same-origin"}, 303},
		{"fetched from another site", plain, "POST", "127.0.0.1:8080", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		{"fetched from a sibling site", plain, "POST", "127.0.0.1:8080", map[string]string{"Sec-Fetch-Site": "same-site"}, 403},
		{"a link from another site", plain, "GET", "127.0.0.1:8080", map[string]string{"Sec-Fetch-Site": "cross-site"}, 200},
		{"no browser", plain, "POST", "127.0.0.1:8080", nil, 303},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := ask{method: tt.method, host: tt.host, header: tt.header, as: "op-owner", path: "/inbox"}
			if tt.method == "POST" {
				a.path, a.body, a.media = "/settings/theme", "theme=light", "application/x-www-form-urlencoded"
			}
			tt.site.T = t
			tt.site.want(tt.site.do(a), tt.want)
		})
	}
}

func TestHeaders(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(c *web.Config) { c.PublicURL = "https://desk.example" })
	h := s.want(s.get("op-owner", "/inbox"), 200).Header()
	for name, want := range map[string]string{
		"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "X-Frame-Options": "DENY", "Cache-Control": "no-store",
		"Strict-Transport-Security": "max-age=31536000",
	} {
		if got := h.Get(name); got != want {
			t.Errorf("got %s %q, want %q", name, got, want)
		}
	}
	csp := h.Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "script-src 'self';", "style-src 'self';", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"} {
		if !strings.Contains(csp, part) {
			t.Errorf("policy %q lacks %q", csp, part)
		}
	}
	if strings.Contains(csp, "unsafe") {
		t.Errorf("policy %q allows what is unsafe", csp)
	}
	if id := h.Get("X-Request-Id"); len(id) < 8 {
		t.Errorf("got request id %q", id)
	}
}

func TestCookiesOfALogin(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(*web.Config)
		path   string
		secure bool
		want   string
	}{
		{"plain", func(*web.Config) {}, "/login", false, "/"},
		{"behind https", func(c *web.Config) { c.PublicURL = "https://desk.example" }, "/login", true, "/"},
		{"below a path", func(c *web.Config) { c.BasePath = "/urakata/" }, "/urakata/login", false, "/urakata/"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, tt.change)
			rec := s.want(s.post("", tt.path, form("name", "Owner", "password", "correct horse", "next", "/inbox?state=done")), 303)
			if got, want := rec.Header().Get("Location"), strings.TrimSuffix(tt.want, "/")+"/inbox?state=done"; got != want {
				t.Errorf("got redirect to %q, want %q", got, want)
			}
			for _, c := range rec.Result().Cookies() {
				if c.Name != "urakata" {
					continue
				}
				if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Secure != tt.secure || c.Path != tt.want {
					t.Errorf("got cookie %+v", c)
				}
				return
			}
			t.Error("got no cookie")
		})
	}
}

func TestEverythingIsBelowTheBasePath(t *testing.T) {
	t.Parallel()
	s := newSite(t, func(c *web.Config) { c.BasePath = "/urakata" })
	if got := s.want(s.get("", "/urakata"), 308).Header().Get("Location"); got != "/urakata/" {
		t.Errorf("got redirect to %q", got)
	}
	s.want(s.get("op-owner", "/inbox"), 404)
	body := s.want(s.get("op-owner", "/urakata/inbox"), 200).Body.String()
	for _, attribute := range []string{`href="/`, `src="/`, `action="/`} {
		for rest := body; ; {
			_, after, found := strings.Cut(rest, attribute)
			if !found {
				break
			}
			if !strings.HasPrefix(after, "urakata/") {
				t.Errorf("a link leaves the base path: %s", short(attribute + after)[:60])
			}
			rest = after
		}
	}
	if got := s.want(s.get("", "/urakata/inbox"), 303).Header().Get("Location"); got != "/urakata/login?next=%2Finbox" {
		t.Errorf("got redirect to %q", got)
	}
}

func TestRedirectsStayHere(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, next := range []string{
		"https://evil.example/", "//evil.example/", `/\evil.example`, `\\evil.example`, "javascript:alert(1)", "evil.example", "/\tevil", "http:evil.example", "",
	} {
		rec := s.want(s.post("", "/login", form("name", "Owner", "password", "correct horse", "next", next)), 303)
		if got := rec.Header().Get("Location"); got != "/" {
			t.Errorf("next %q: got redirect to %q", next, got)
		}
		rec = s.want(s.post("op-owner", "/settings/theme", form("theme", "light", "back", next)), 303)
		if got := rec.Header().Get("Location"); got != "/" {
			t.Errorf("back %q: got redirect to %q", next, got)
		}
	}
}

func TestNobodyWithoutALogin(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, path := range []string{"/", "/live", "/inbox", "/streams/s1/live", "/reports/rep-1", "/characters", "/audit", "/settings/operators", "/sessions/ses-1"} {
		rec := s.want(s.get("", path), 303)
		if got := rec.Header().Get("Location"); !strings.HasPrefix(got, "/login?next=") {
			t.Errorf("%s: got redirect to %q", path, got)
		}
	}
	for _, path := range []string{"/inbox/item-1/decision", "/streams/s1/end", "/cards/card-1/handled", "/staff/pause"} {
		s.want(s.post("", path, form()), 401)
	}
	s.want(s.get("", "/api/v1/streams"), 401)
	s.want(s.do(ask{path: "/api/v1/streams", header: map[string]string{"Authorization": "Bearer wrong"}}), 401)
	s.want(s.do(ask{path: "/api/v1/streams", header: map[string]string{"Authorization": "Bearer "}}), 401)
	s.want(s.do(ask{path: "/api/v1/streams", header: map[string]string{"Cookie": "urakata=made-up"}}), 401)
	s.want(s.do(ask{path: "/inbox", header: map[string]string{"HX-Request": "true"}}), 401)
	none := newSite(t, func(c *web.Config) { c.Token = "" })
	none.want(none.do(ask{path: "/api/v1/streams", header: map[string]string{"Authorization": "Bearer "}}), 401)
}

func TestRoles(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		path string
		form []string
		need int // 0 viewer, 1 moderator, 2 operator, 3 owner
	}{
		{"/inbox/item-1/decision", []string{"decision", "deny"}, 1},
		{"/inbox/ask-1/answer", []string{"text", "yes"}, 1},
		{"/inbox/decisions", []string{"decision", "deny", "id", "item-1"}, 1},
		{"/cards/card-1/dismissed", nil, 1},
		{"/staff/pause", []string{"paused", "true", "character", "nagi"}, 1},
		{"/characters/nagi/pause", []string{"paused", "true"}, 1},
		{"/streams/s1/pause", nil, 2},
		{"/streams", []string{"kind", "push", "title", "New"}, 2},
		{"/characters/nagi", []string{"name", "Nagi", "version", "1"}, 2},
		{"/settings/operators", []string{"name", "Rin", "role", "moderator"}, 3},
		{"/settings/operators/Momo/reset", nil, 3},
		{"/settings/password", []string{"password", "a long new password"}, 0},
	} {
		for rank, as := range []string{"op-view", "op-mod", "op-run", "op-owner"} {
			t.Run(tt.path+" as "+as, func(t *testing.T) {
				t.Parallel()
				s := newSite(t)
				rec := s.post(as, tt.path, form(tt.form...))
				if allowed := rank >= tt.need; allowed != (rec.Code < 400) || !allowed && rec.Code != 403 {
					t.Errorf("got status %d\n%s", rec.Code, short(rec.Body.String()))
				}
			})
		}
	}
}

func TestProbes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, prefix := range []string{"", "/api/v1"} {
		for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
			s.want(s.do(ask{path: prefix + path}), 200)
			s.want(s.do(ask{path: prefix + path, as: "token", remote: "203.0.113.9:1"}), 200)
			outside := s.do(ask{path: prefix + path, remote: "203.0.113.9:1"})
			forwarded := s.do(ask{path: prefix + path, header: map[string]string{"X-Forwarded-For": "203.0.113.9"}})
			for _, rec := range []int{outside.Code, forwarded.Code} {
				if rec != 401 && rec != 303 {
					t.Errorf("%s from outside: got status %d", prefix+path, rec)
				}
			}
		}
	}
}

func TestLoginIsSlowedDown(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	wrong := form("name", "Owner", "password", "guess")
	for range 10 {
		s.want(s.post("", "/login", wrong), 422)
	}
	if wait := s.want(s.post("", "/login", wrong), 429).Header().Get("Retry-After"); wait == "" || wait == "0" {
		t.Errorf("got Retry-After %q", wait)
	}
	other := ask{method: "POST", path: "/login", body: wrong.Encode(), media: "application/x-www-form-urlencoded", remote: "198.51.100.4:9"}
	s.want(s.do(other), 422) // somebody else is not punished
}

func TestLogsHoldNoWordsOfPeople(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.get("op-owner", "/streams/s1/comments?author=SECRETAUTHOR&id=SECRETID")
	s.get("", "/login?token=SECRETLINK")
	s.get("", "/nothing/SECRETPATH")
	s.do(ask{method: "SECRETMETHOD", path: "/inbox"})
	s.send("/api/v1/streams/s1/comments", `{"id":"x","text":"SECRETTEXT","author":{"id":"a","name":"SECRETNAME"}}`)
	if strings.Contains(s.logs.String(), "SECRET") {
		t.Errorf("the log says:\n%s", s.logs.String())
	}
	if !strings.Contains(s.logs.String(), "route=/streams/:id/comments") {
		t.Errorf("the log lacks the route:\n%s", s.logs.String())
	}
}

func TestConfigIsChecked(t *testing.T) {
	t.Parallel()
	if _, err := web.New(web.Config{}); err == nil {
		t.Error("an empty config was taken")
	}
	w := newWorld()
	good := web.Config{
		Staff: staff{w}, Inbox: inbox{w}, Board: board{w}, Reports: reports{w}, Characters: characters{w}, Operators: operators{w}, Audits: audits{w},
		Catalogue: words(), Logger: quiet(),
	}
	for name, change := range map[string]func(*web.Config){
		"public url": func(c *web.Config) { c.PublicURL = "desk.example" },
		"base path":  func(c *web.Config) { c.BasePath = "urakata" },
		"address":    func(c *web.Config) { c.Addr = "nonsense" },
	} {
		bad := good
		change(&bad)
		if _, err := web.New(bad); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got error %v", name, err)
		}
	}
}
