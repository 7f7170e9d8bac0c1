package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"urakata/internal/ops"
)

// hostileTexts are what people have really sent to consoles like this one.
func hostileTexts() map[string]string {
	return map[string]string{
		"nul":    "a\x00b",
		"rtl":    "\u202Egnp.exe \u2066isolated",
		"zalgo":  "Z" + strings.Repeat("\u0351\u036b\u0343\u032a", 200) + "algo",
		"script": `<script>document.title="owned"</script><img src=x onerror="document.title='owned'">`,
		"attr":   `" onmouseover="document.title='owned'" x="`,
		"templ":  `{{ .Secret }} ${7*7} {%raw%}`,
		"long":   strings.Repeat("wwwwwwwwww", 1500),
		"joined": strings.Repeat("👨‍👩‍👧‍👦", 300),
	}
}

// TestHostilePush sends what a broken or hostile client sends and reads the answer as its author would.
func TestHostilePush(t *testing.T) {
	t.Parallel()
	r := startServer(t, t.TempDir(), nil, "-example=false")
	id := r.createStream(t, map[string]any{"title": `<script>title</script>` + "\u202E", "language": "en", "character": "nagi", "source": map[string]any{"kind": "push"}, "start": true})
	good := `{"id":"ok","text":"hi","author":{"id":"u","name":"n"}}`
	for _, tt := range []struct {
		name, body string
		code       int
		says       string
	}{
		{"broken JSON", `{"id":`, 400, "JSON"},
		{"not a comment", `42`, 202, `"accepted":0`},
		{"one bad among good", `[` + good + `,{"id":7,"text":{}}]`, 202, `"index":1`},
		{"a body over the limit", `{"id":"big","text":"` + strings.Repeat("a", 1<<20) + `","author":{"id":"u","name":"n"}}`, 413, ""},
		{"lone surrogates", `{"id":"sur","text":"a\ud800b","author":{"id":"u","name":"\udc00"}}`, 202, `"accepted":1`},
		{"an absurd time", `{"id":"late","text":"x","at":"9999-12-31T23:59:59Z","author":{"id":"u","name":"n"}}`, 202, ""},
		{"a negative time", `{"id":"early","text":"x","at":-62135596800000,"author":{"id":"u","name":"n"}}`, 202, ""},
		{"a time that is no time", `{"id":"never","text":"x","at":"NaN","author":{"id":"u","name":"n"}}`, 202, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			code, body := r.post(t, "/streams/"+id+"/comments", tt.body)
			if code != tt.code || !strings.Contains(body, tt.says) {
				t.Errorf("answered %d %s; want %d with %q", code, body, tt.code, tt.says)
			}
			if strings.Contains(body, "goroutine") || strings.Contains(body, "/internal/") {
				t.Errorf("the answer tells of our insides: %s", body)
			}
		})
	}
	var batch []map[string]any
	for name, text := range hostileTexts() {
		batch = append(batch, jsonLine("h-"+name, "author-"+name, text, text, 0))
	}
	if code, body := r.raw(t, "POST", "/streams/"+id+"/comments", batch); code != 202 || !bytes.Contains(body, []byte(`"rejected":[]`)) {
		t.Fatalf("hostile texts: %d %s", code, body)
	}
	checkPages(t, r, id)
	if logs := r.logs.String(); strings.Contains(logs, "panic") || strings.Contains(logs, "owned") {
		t.Errorf("the log says:\n%s", logs)
	}
}

func (r *running) post(t *testing.T, path, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "POST", r.base+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+testToken)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var out bytes.Buffer
	if _, err := out.ReadFrom(res.Body); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, out.String()
}

// checkPages reads every page that shows the stream and looks for markup that came from outside.
func checkPages(t *testing.T, r *running, id string) {
	t.Helper()
	for _, page := range []string{"/streams/" + id + "/live", "/streams/" + id, "/streams/" + id + "/comments", "/streams", "/inbox", "/audit", "/reports"} {
		res, err := r.client.Get(r.base + page)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		text.ReadFrom(res.Body)
		res.Body.Close()
		if res.StatusCode != http.StatusOK || !strings.Contains(text.String(), "</html>") {
			t.Errorf("%s: %s, %d bytes", page, res.Status, text.Len())
		}
		for _, bad := range []string{"<script>document", "<script>title", `<img src=x`, `" onmouseover="`, "\x00"} {
			if strings.Contains(text.String(), bad) {
				t.Errorf("%s holds %q as it was sent", page, bad)
			}
		}
	}
}

// TestHostileLayout looks at the board with hostile comments on it: nothing runs, nothing spills, the decisions stay where they are.
func TestHostileLayout(t *testing.T) {
	t.Parallel()
	for _, size := range []struct{ w, h int64 }{{1440, 900}, {390, 844}} {
		t.Run(fmt.Sprint(size.w), func(t *testing.T) {
			t.Parallel()
			r, h := startHouse(t, seams{})
			id := hostileStream(t, r, h)
			b := newTab(t, size.w, size.h)
			b.enter(r, freshLink(t, h))
			b.goTo(r.base + "/streams/" + id + "/live")
			b.until("the hostile comments", `document.querySelectorAll("#chat-rows > .row").length >= 8`)
			b.picture(fmt.Sprintf("hostile-%d", size.w))
			if over := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
				t.Errorf("the page is %d px wider than the window", over)
			}
			if got := eval[string](b, `document.title`); strings.Contains(got, "owned") {
				t.Error("a comment's script ran")
			}
			b.clean()
		})
	}
}

func hostileStream(t *testing.T, r *running, h *house) string {
	t.Helper()
	id := r.createStream(t, map[string]any{"title": "hostile", "language": "en", "character": "nagi", "source": map[string]any{"kind": "push"}, "start": true})
	var batch []map[string]any
	for name, text := range hostileTexts() {
		batch = append(batch, jsonLine("h-"+name, "author-"+name, text, text, 0))
	}
	for i := range 4 {
		batch = append(batch, jsonLine(fmt.Sprintf("i%d", i), "rude", "Z"+strings.Repeat("\u0351", 60)+"\u202E", "you worthless idiot, shut up moron", time.Duration(i)*time.Second))
	}
	if code, body := r.raw(t, "POST", "/streams/"+id+"/comments", batch); code != 202 {
		t.Fatalf("comments: %d %s", code, body)
	}
	r.await(t, "an approval", func() bool { return len(r.items(t, "pending")) > 0 })
	return id
}

// freshLink is a new one-time link for the owner.
func freshLink(t *testing.T, h *house) string {
	t.Helper()
	token, err := h.operators.Link(t.Context(), "owner")
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// TestImportOfAHundredThousand uploads a long recording as a page does and waits for its report.
func TestImportOfAHundredThousand(t *testing.T) {
	t.Parallel()
	const n = 100_000
	var file bytes.Buffer
	for i := range n {
		fmt.Fprintf(&file, `{"id":"b%d","platform":"twitch","text":"%s %d","offset":%d,"author":{"id":"u%d","name":"viewer %d"}}`+"\n",
			i, []string{"hello there", "what game is this?", "草", "GG", "音が小さいかも", "nice one"}[i%6], i, i/10, i%3000, i%3000)
	}
	r, h := startHouse(t, seams{})
	code, body := r.post(t, "/imports", file.String())
	if code != http.StatusCreated {
		t.Fatalf("import: %d %s", code, body)
	}
	var kept struct{ File string }
	if err := json.Unmarshal([]byte(body), &kept); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	id := r.createStream(t, map[string]any{"title": "long", "language": "en", "character": "nagi", "source": map[string]any{"kind": "replay", "file": kept.File, "speed": 0}, "start": true})
	var st ops.StreamView
	r.awaitFor(t, 4*patience, "the report of the long stream", func() bool {
		var err error
		if st, err = h.staff.Stream(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		return st.State == ops.StreamEnded
	})
	if st.Comments != n || st.Counts.Read != n {
		t.Errorf("%d comments stored, %d read, want %d", st.Comments, st.Counts.Read, n)
	}
	t.Logf("%d comments from file to report in %v", n, time.Since(start).Round(time.Millisecond))
}
