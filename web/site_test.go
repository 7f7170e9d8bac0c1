package web_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"urakata/internal/lang"
	"urakata/web"
)

const token = "a-token-for-scripts"

var words = sync.OnceValue(func() *lang.Catalogue {
	c, err := lang.Load()
	if err != nil {
		panic(err)
	}
	return c
})

// site is the program as a client sees it.
type site struct {
	*testing.T
	world  *world
	server *web.Server
	logs   *safeBuffer
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func newSite(t *testing.T, change ...func(*web.Config)) site {
	t.Helper()
	w, logs := newWorld(), &safeBuffer{}
	cfg := web.Config{
		Staff: staff{w}, Inbox: inbox{w}, Board: board{w}, Reports: reports{w}, Characters: characters{w}, Operators: operators{w}, Audits: audits{w},
		Catalogue: words(), Logger: slog.New(slog.NewTextHandler(logs, nil)), Now: func() time.Time { return at },
		Addr: "127.0.0.1:8080", Token: token, Imports: t.TempDir(), Version: "test", Dev: true,
		Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "up 1\n") }),
	}
	for _, f := range change {
		f(&cfg)
	}
	s, err := web.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return site{T: t, world: w, server: s, logs: logs}
}

// ask is a request in the making; its zero parts are those of an honest client on this machine.
type ask struct {
	method, path, body, media string
	as                        string // operator id; "" nobody; "token" a script
	host, remote              string
	header                    map[string]string
}

func (s site) do(a ask) *httptest.ResponseRecorder {
	s.Helper()
	if a.method == "" {
		a.method = http.MethodGet
	}
	r := httptest.NewRequestWithContext(s.Context(), a.method, a.path, strings.NewReader(a.body))
	r.Host, r.RemoteAddr = "127.0.0.1:8080", "127.0.0.1:5555"
	if a.host != "" {
		r.Host = a.host
	}
	if a.remote != "" {
		r.RemoteAddr = a.remote
	}
	if a.media != "" {
		r.Header.Set("Content-Type", a.media)
	}
	switch a.as {
	case "":
	case "token":
		r.Header.Set("Authorization", "Bearer "+token)
	default:
		r.AddCookie(&http.Cookie{Name: "urakata", Value: "session-" + a.as})
	}
	for k, v := range a.header {
		r.Header.Set(k, v)
	}
	rec := httptest.NewRecorder()
	s.server.Handler().ServeHTTP(rec, r)
	return rec
}

func (s site) get(as, path string) *httptest.ResponseRecorder {
	s.Helper()
	return s.do(ask{as: as, path: path})
}

func (s site) post(as, path string, form url.Values) *httptest.ResponseRecorder {
	s.Helper()
	return s.do(ask{method: http.MethodPost, as: as, path: path, body: form.Encode(), media: "application/x-www-form-urlencoded"})
}

// send posts JSON as a script.
func (s site) send(path, body string) *httptest.ResponseRecorder {
	s.Helper()
	return s.do(ask{method: http.MethodPost, as: "token", path: path, body: body, media: "application/json"})
}

func (s site) want(rec *httptest.ResponseRecorder, status int) *httptest.ResponseRecorder {
	s.Helper()
	if rec.Code != status {
		s.Errorf("got status %d, want %d\n%s", rec.Code, status, short(rec.Body.String()))
	}
	return rec
}

func short(s string) string {
	if len(s) > 600 {
		return s[:600] + "…"
	}
	return s
}

func decode[T any](t *testing.T, rec *httptest.ResponseRecorder) T {
	t.Helper()
	var v T
	if err := json.Unmarshal(rec.Body.Bytes(), &v); err != nil {
		t.Fatalf("%v in %s", err, short(rec.Body.String()))
	}
	return v
}

func form(pairs ...string) url.Values {
	v := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		v.Add(pairs[i], pairs[i+1])
	}
	return v
}

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

type netListener = net.Listener
