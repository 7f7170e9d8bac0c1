package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience bounds what a test waits for; it is never what it measures.
const patience = 2 * time.Minute

// running is the whole program, started as a person starts it, on a free port and a database of its own.
type running struct {
	base, link string
	client     *http.Client // logged in as the owner
	logs       *lockedBuffer
	stop       func()
	data       string
}

type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// testToken is the bearer token of every started server.
const testToken = "test-token-of-a-script"

// startServer runs `serve` with the arguments given and environment pairs "KEY=value", logs in and returns when it answers.
func startServer(t *testing.T, data string, env []string, args ...string) *running {
	t.Helper()
	values := map[string]string{"URAKATA_TOKEN": testToken}
	for _, e := range env {
		k, v, _ := strings.Cut(e, "=")
		values[k] = v
	}
	r := &running{logs: &lockedBuffer{}, data: data}
	out, in := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan int, 1)
	sys := system{Env: func(k string) (string, bool) { v, ok := values[k]; return v, ok }, In: strings.NewReader(""), Out: in, Err: r.logs}
	go func() {
		done <- run(ctx, append([]string{"serve", "-addr", "127.0.0.1:0", "-data", data}, args...), sys)
		in.Close()
	}()
	r.stop = sync.OnceFunc(func() {
		cancel()
		if code := <-done; code != 0 {
			t.Errorf("the server ended with %d:\n%s", code, r.logs)
		}
	})
	t.Cleanup(r.stop)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the server did not start: %v\n%s", err, r.logs)
	}
	go io.Copy(io.Discard, out)
	r.link = strings.TrimSpace(strings.TrimPrefix(line, "Urakata is at "))
	u, err := url.Parse(r.link)
	if err != nil {
		t.Fatal(err)
	}
	r.base = u.Scheme + "://" + u.Host
	r.client = r.login(t, u.Query().Get("token"))
	return r
}

// login takes a one-time link as the button of its page does.
func (r *running) login(t *testing.T, token string) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar, Timeout: patience}
	if token == "" {
		return client
	}
	res, err := client.PostForm(r.base+"/login", url.Values{"token": {token}})
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Fatalf("login: %s", res.Status)
	}
	return client
}

// api calls /api/v1 as a script does and decodes the answer into out, if any.
func (r *running) api(t *testing.T, method, path string, in, out any) int {
	t.Helper()
	status, body := r.raw(t, method, path, in)
	if out != nil {
		if err := json.Unmarshal(body, out); err != nil {
			t.Fatalf("%s %s: %d %s: %v", method, path, status, body, err)
		}
	}
	return status
}

func (r *running) raw(t *testing.T, method, path string, in any) (int, []byte) {
	t.Helper()
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, r.base+"/api/v1"+path, body)
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
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, text
}

// await asks again each time the console's changes have moved, until look says it has seen what it wants.
func (r *running) await(t *testing.T, what string, look func() bool) {
	t.Helper()
	r.awaitFor(t, patience, what, look)
}

// awaitFor is await for what is long by its nature.
func (r *running) awaitFor(t *testing.T, longest time.Duration, what string, look func() bool) {
	t.Helper()
	deadline := time.NewTimer(longest)
	defer deadline.Stop()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !look() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("never seen: %s\n%s", what, tail(r.logs.String()))
		}
	}
}

type apiItem struct {
	ID, Kind, Stream, Tool, State, DecidedBy, Outcome string
	Deadline                                          time.Time
	Arguments                                         json.RawMessage
	Evidence                                          []string
}

func (r *running) items(t *testing.T, state string) []apiItem {
	t.Helper()
	var list struct{ Items []apiItem }
	if code := r.api(t, "GET", "/inbox?limit=200&state="+state, nil, &list); code != http.StatusOK {
		t.Fatalf("inbox: %d", code)
	}
	return list.Items
}

func (r *running) createStream(t *testing.T, in map[string]any) string {
	t.Helper()
	var made struct{ ID string }
	if code := r.api(t, "POST", "/streams", in, &made); code != http.StatusCreated {
		t.Fatalf("create a stream: %d", code)
	}
	return made.ID
}

func jsonLine(id, author, name, text string, offset time.Duration) map[string]any {
	return map[string]any{"id": id, "platform": "youtube", "text": text, "at": time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC).Add(offset).Format(time.RFC3339Nano),
		"author": map[string]any{"id": author, "name": name}}
}

func TestStreamsListIsEmptyWithoutTheExample(t *testing.T) {
	t.Parallel()
	r := startServer(t, t.TempDir(), nil, "-example=false")
	var list struct{ Items []any }
	if code := r.api(t, "GET", "/streams", nil, &list); code != http.StatusOK || len(list.Items) != 0 {
		t.Errorf("streams: %d with %d items, want none", code, len(list.Items))
	}
	if code, body := r.raw(t, "GET", "/streams/none", nil); code != http.StatusNotFound || !bytes.Contains(body, []byte(`"status":404`)) {
		t.Errorf("a stream that is not there: %d %s", code, body)
	}
}

// tail is the end of a log, for a failed test.
func tail(log string) string { return log[max(0, len(log)-2000):] }

// TestOnlyWatchersAreOfferedAStream reads the form that makes a stream: somebody who does not watch streams is not in its list.
func TestOnlyWatchersAreOfferedAStream(t *testing.T) {
	t.Parallel()
	r := startServer(t, t.TempDir(), nil, "-example=false")
	res, err := r.client.Get(r.base + "/streams/new")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	page, err := io.ReadAll(res.Body)
	if err != nil || !bytes.Contains(page, []byte(`value="nagi"`)) || bytes.Contains(page, []byte(`value="haru"`)) {
		t.Errorf("%s: the form offers other characters than those who watch (%v)", res.Status, err)
	}
}
