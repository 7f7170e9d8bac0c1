package web_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"urakata/web"
)

const recorded = `{"id":"a","text":"hello <script>","at":"2026-11-30T10:00:00Z","author":{"id":"v1","name":"Hana"}}
{"id":"b","text":"which guitar?","at":"2026-11-30T10:00:05Z","author":{"id":"v2","name":"Kai"}}
broken
`

// upload posts the form with a file in it.
func (s site) upload(as, name, content string, fields ...string) *httptest.ResponseRecorder {
	s.Helper()
	var b bytes.Buffer
	m := multipart.NewWriter(&b)
	for i := 0; i < len(fields); i += 2 {
		_ = m.WriteField(fields[i], fields[i+1])
	}
	f, err := m.CreateFormFile("file", name)
	if err != nil {
		s.Fatal(err)
	}
	_, _ = io.WriteString(f, content)
	_ = m.Close()
	return s.do(ask{method: "POST", as: as, path: "/streams", body: b.String(), media: m.FormDataContentType()})
}

func (s site) imports() []string {
	s.Helper()
	entries, err := os.ReadDir(s.server.Imports)
	if err != nil {
		s.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestAnUploadIsShownBeforeItPlays(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	rec := s.want(s.upload("op-run", "../../../../etc/cron.d/evil", recorded, "kind", "upload", "title", "Recorded", "speed", "20"), 303)
	names := s.imports()
	if len(names) != 1 || !strings.HasPrefix(names[0], "import-") {
		t.Fatalf("the folder holds %v", names)
	}
	to, err := url.Parse(rec.Header().Get("Location"))
	if err != nil || to.Path != "/streams/new" || to.Query().Get("upload") != names[0] || to.Query().Get("title") != "Recorded" {
		t.Fatalf("got redirect to %s, %v", to, err)
	}
	body := s.want(s.get("op-run", to.String()), 200).Body.String()
	for _, want := range []string{"which guitar?", "Hana", names[0]} {
		if !strings.Contains(body, want) {
			t.Errorf("the preview lacks %q: %s", want, short(body))
		}
	}
	if strings.Contains(body, "hello <script>") {
		t.Error("the preview made markup of a comment")
	}
	s.want(s.post("op-run", "/streams", form("kind", "upload", "upload", names[0], "title", "Recorded", "speed", "20", "start", "true")), 303)
	made := s.world.made[0]
	if made.Source.Kind != "replay" || made.Source.File != names[0] || made.Source.Speed != 20 || !made.Start {
		t.Errorf("got %+v", made)
	}
}

func TestUploadsThatAreNoRecordings(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"empty": "", "prose": "Dear diary,\n\ntoday …", "picture": "\x89PNG\r\n\x1a\n" + strings.Repeat("\x00", 500), "page": "<html><script>alert(1)</script>",
		"json": `{"a":1}`, "half": `[{"text":`, "zip bomb": squeezed(1 << 20),
	} {
		s := newSite(t)
		rec := s.upload("op-run", name, content, "kind", "upload", "title", "Kept")
		if body := s.want(rec, 422).Body.String(); !strings.Contains(body, `value="Kept"`) || strings.Contains(body, "<script>alert") {
			t.Errorf("%s: the form did not come back: %s", name, short(body))
		}
		if left := s.imports(); len(left) != 0 {
			t.Errorf("%s: left in the folder: %v", name, left)
		}
		p := s.problem(ask{method: "POST", as: "token", path: "/api/v1/imports", body: content, media: "application/octet-stream"}, 422)
		if len(p.Errors) != 1 || p.Errors[0].Field != "file" || strings.Contains(p.Errors[0].Say, "«") {
			t.Errorf("%s: got %+v", name, p)
		}
	}
}

func squeezed(n int) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(make([]byte, n))
	_ = z.Close()
	return b.String()
}

func TestUploadsOfScripts(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	rec := s.want(s.do(ask{method: "POST", as: "token", path: "/api/v1/imports", body: recorded, media: "application/octet-stream"}), 201)
	got := decode[struct {
		File, Format string
		Counts       struct{ Read, Skipped int }
	}](t, rec)
	if got.Format != "json-lines" || got.Counts.Read != 2 || got.Counts.Skipped != 1 {
		t.Errorf("got %+v", got)
	}
	s.want(s.send("/api/v1/streams", fmt.Sprintf(`{"title":"R","source":{"kind":"replay","upload":%q,"speed":0}}`, got.File)), 201)
	for _, name := range []string{"import-00000000000000000000000000000000/../x", "/etc/passwd", "..", ".taking-1", "nothing"} {
		s.problem(ask{method: "POST", as: "token", path: "/api/v1/streams", media: "application/json",
			body: fmt.Sprintf(`{"title":"R","source":{"kind":"replay","file":%q}}`, name)}, 422)
	}
}

func TestTooLongAnUploadLeavesNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/imports", strings.NewReader("x"))
	r.Host, r.ContentLength = "localhost", 3<<30
	r.Header.Set("Authorization", "Bearer "+token)
	rec := httptest.NewRecorder()
	s.server.Handler().ServeHTTP(rec, r)
	s.want(rec, 413)
	r = httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/imports", io.MultiReader(strings.NewReader(recorded), failing{}))
	r.Host = "localhost"
	r.Header.Set("Authorization", "Bearer "+token)
	rec = httptest.NewRecorder()
	s.server.Handler().ServeHTTP(rec, r)
	s.want(rec, 400)
	if left := s.imports(); len(left) != 0 {
		t.Errorf("left in the folder: %v", left)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestUploadsNeedAFolderAndARole(t *testing.T) {
	t.Parallel()
	none := newSite(t, func(c *web.Config) { c.Imports = "" })
	none.want(none.upload("op-run", "x", recorded, "kind", "upload"), 422)
	s := newSite(t)
	s.want(s.upload("op-mod", "x", recorded, "kind", "upload"), 403)
	s.want(s.post("op-run", "/streams", form("kind", "upload", "title", "T")), 422)
	s.want(s.post("op-run", "/streams", form("kind", "example", "title", "T", "speed", "99")), 422)
	s.want(s.post("op-run", "/streams", form("kind", "example", "title", "T", "speed", "4")), 303)
	if got := s.imports(); len(got) != 0 {
		t.Errorf("left in the folder: %v", got)
	}
	if err := os.WriteFile(filepath.Join(s.server.Imports, "by-hand.jsonl"), []byte(recorded), 0o600); err != nil {
		t.Fatal(err)
	}
	s.want(s.send("/api/v1/streams", `{"title":"R","source":{"kind":"replay","file":"by-hand.jsonl"}}`), 201)
}
