package web_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"urakata/internal/ops"
)

type frame struct {
	Seq     int64
	Content string
	Reload  bool
}

// page is an open tab: it keeps its cursor as the script does.
type page struct {
	*testing.T
	conn *websocket.Conn
	seq  int64
}

// run serves a site on a real address.
func (s site) run() *httptest.Server {
	srv := httptest.NewUnstartedServer(s.server.Handler())
	srv.Start()
	s.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := s.server.Close(ctx); err != nil {
			s.Error(err)
		}
		srv.Close()
	})
	return srv
}

func (s site) dial(srv *httptest.Server, as, path string) (*websocket.Conn, *http.Response, error) {
	h := http.Header{}
	switch {
	case as == "token":
		h.Set("Authorization", "Bearer "+token)
	case as != "":
		h.Set("Cookie", "urakata=session-"+as)
	}
	ctx, cancel := context.WithTimeout(s.Context(), 10*time.Second)
	defer cancel()
	return websocket.Dial(ctx, "ws"+strings.TrimPrefix(srv.URL, "http")+path, &websocket.DialOptions{HTTPHeader: h})
}

func (s site) open(srv *httptest.Server, as, stream string, since int64) *page {
	s.Helper()
	conn, _, err := s.dial(srv, as, fmt.Sprintf("/live?stream=%s&since=%d", stream, since))
	if err != nil {
		s.Fatal(err)
	}
	conn.SetReadLimit(4 << 20)
	s.Cleanup(func() { _ = conn.CloseNow() })
	return &page{T: s.T, conn: conn, seq: since}
}

// next is the next frame; err is how the socket ended.
func (p *page) next() (frame, error) {
	ctx, cancel := context.WithTimeout(p.Context(), 20*time.Second)
	defer cancel()
	_, b, err := p.conn.Read(ctx)
	if err != nil {
		return frame{}, err
	}
	var f frame
	if err := json.Unmarshal(b, &f); err != nil {
		p.Fatal(err)
	}
	if f.Seq < p.seq {
		p.Errorf("the cursor went back from %d to %d", p.seq, f.Seq)
	}
	p.seq = f.Seq
	return f, nil
}

// until reads frames until their content has a word.
func (p *page) until(word string) string {
	p.Helper()
	var all strings.Builder
	for !strings.Contains(all.String(), word) {
		f, err := p.next()
		if err != nil {
			p.Fatalf("waiting for %q: %v\ngot %s", word, err, short(all.String()))
		}
		all.WriteString(f.Content)
	}
	return all.String()
}

func (w *world) card(id, observed string) {
	defer w.lock()()
	w.cards[id] = ops.Card{ID: id, Stream: "s1", Kind: ops.Information, Severity: ops.Low, Observed: observed, State: ops.CardOpen, At: at, UpdatedAt: at}
	w.changed("s1", ops.ChangeCard, id)
}

// delete marks a comment as deleted on the platform.
func (w *world) delete(stream string, place int) {
	defer w.lock()()
	w.chat[stream][place-1].State = ops.CommentDeleted
	w.changed(stream, ops.ChangeComments, fmt.Sprint(place))
}

func TestLiveShowsWhatMoves(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	srv := s.run()
	board, console := s.open(srv, "op-owner", "s1", 1), s.open(srv, "op-mod", "", 0)
	s.world.card("card-2", "Something new.")
	if got := board.until("Something new."); strings.Count(got, `id="card-card-2"`) != 1 {
		t.Errorf("the card comes %d times: %s", strings.Count(got, `id="card-card-2"`), short(got))
	}
	s.post("op-mod", "/inbox/item-1/decision", form("decision", "deny"))
	board.until(`item-1`)
	console.until(`itemrow-item-1`)
	s.send("/api/v1/streams/s1/comments", `{"id":"m2","text":"<b>hello</b>","author":{"id":"x","name":"X"}}`)
	if got := board.until("hello"); strings.Contains(got, "<b>hello") {
		t.Errorf("a comment became markup: %s", short(got))
	}
	s.world.delete("s1", 2)
	if got := board.until(`id="c-2"`); strings.Contains(got, `id="c-1"`) {
		t.Errorf("a deleted comment brought others with it: %s", short(got))
	}
}

var cardIDs = regexp.MustCompile(`<article id="card-(n\d+)"`)

// read collects card ids until all of them were seen.
func (p *page) cards(want int, seen map[string]int) {
	for len(seen) < want {
		f, err := p.next()
		if err != nil {
			p.Errorf("after %d of %d cards: %v", len(seen), want, err)
			return
		}
		for _, m := range cardIDs.FindAllStringSubmatch(f.Content, -1) {
			seen[m[1]]++
		}
	}
}

func TestLiveMissesAndRepeatsNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	srv := s.run()
	const writers, each = 8, 50
	since := int64(len(s.world.changes["s1"]))
	var pages []*page
	for range 2 {
		pages = append(pages, s.open(srv, "op-owner", "s1", since))
	}
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				s.world.card(fmt.Sprintf("n%d", w*each+i), "x")
			}
		})
	}
	seen := []map[string]int{{}, {}}
	for i, p := range pages {
		wg.Go(func() { p.cards(writers*each, seen[i]) })
	}
	wg.Wait()
	for i := range pages {
		for id, n := range seen[i] {
			if n != 1 {
				t.Errorf("client %d got card %s %d times", i, id, n)
			}
		}
	}
}

func TestLiveComesBackWithoutLossOrRepetition(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	srv := s.run()
	const all = 120
	seen, since := map[string]int{}, int64(len(s.world.changes["s1"]))
	wrote := make(chan struct{})
	go func() {
		defer close(wrote)
		for i := range all {
			s.world.card(fmt.Sprintf("n%d", i), "x")
		}
	}()
	for round := 0; len(seen) < all && round < 200; round++ { // the tab goes away after every frame
		p := s.open(srv, "op-owner", "s1", since)
		f, err := p.next()
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range cardIDs.FindAllStringSubmatch(f.Content, -1) {
			seen[m[1]]++
		}
		since = f.Seq
		_ = p.conn.CloseNow()
	}
	<-wrote
	for id, n := range seen {
		if n != 1 {
			t.Errorf("card %s came %d times", id, n)
		}
	}
	if len(seen) != all {
		t.Errorf("got %d cards of %d", len(seen), all)
	}
}

func TestLiveDrawsARowOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for range 400 {
		s.world.card("n1", "again and again")
	}
	p := s.open(s.run(), "op-owner", "s1", 1)
	f, err := p.next()
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(f.Content, `<article id="card-n1"`); n != 1 {
		t.Errorf("drawn %d times", n)
	}
}

func TestLiveSaysReloadWhenTooMuchWasMissed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for i := range 600 {
		s.world.card(fmt.Sprint("n", i), "x")
	}
	srv := s.run()
	for _, since := range []int64{0, 5000} { // far behind, and ahead of a database that was set back
		p := s.open(srv, "op-owner", "s1", since)
		_, b, err := p.conn.Read(t.Context())
		var f frame
		if err != nil || json.Unmarshal(b, &f) != nil || !f.Reload || f.Seq != 601 {
			t.Errorf("since %d: got %s, %v", since, b, err)
		}
	}
}

func TestLiveIsAtMostFourFramesASecond(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	srv, began := s.run(), time.Now()
	p := s.open(srv, "op-owner", "s1", 1)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-time.After(2 * time.Millisecond):
				s.world.card(fmt.Sprint("n", i), "x")
			}
		}
	})
	defer wg.Wait()
	defer close(stop)
	for range 5 {
		if _, err := p.next(); err != nil {
			t.Fatal(err)
		}
	}
	if took := time.Since(began); took < time.Second {
		t.Errorf("five frames came within %s", took)
	}
}

func TestLiveDoesNotWaitForASlowPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	srv := s.run()
	s.open(srv, "op-owner", "s1", 1) // never reads
	quick := s.open(srv, "op-mod", "s1", 1)
	big := strings.Repeat("long ", 20000)
	for i := range 100 {
		s.world.card(fmt.Sprint("n", i), big)
	}
	quick.conn.SetReadLimit(64 << 20)
	quick.cards(100, map[string]int{})
}

func TestLiveIsForPeopleWithALogin(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	srv := s.run()
	for _, tt := range []struct {
		name, as, path string
		header         map[string]string
		want           int
	}{
		{"nobody", "", "/live?stream=s1&since=0", nil, 401},
		{"no such stream", "op-view", "/live?stream=nope&since=0", nil, 404},
		{"nonsense as a cursor", "op-view", "/live?stream=s1&since=x", nil, 400},
	} {
		_, res, err := s.dial(srv, tt.as, tt.path)
		if err == nil || res == nil || res.StatusCode != tt.want {
			t.Errorf("%s: got %v, %v", tt.name, res, err)
		}
	}
	h := http.Header{"Cookie": {"urakata=session-op-owner"}, "Origin": {"https://evil.example"}}
	_, res, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(srv.URL, "http")+"/live?stream=s1", &websocket.DialOptions{HTTPHeader: h})
	if err == nil || res.StatusCode != 403 {
		t.Errorf("a foreign page: got %v, %v", res, err)
	}
}

func (p *page) closedWith(want websocket.StatusCode) {
	p.Helper()
	for {
		_, err := p.next()
		if err == nil {
			continue
		}
		if got := websocket.CloseStatus(err); got != want {
			p.Errorf("closed with %d (%v), want %d", got, err, want)
		}
		return
	}
}

func TestLiveEndsWithTheLogin(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	srv := s.run()
	mine, other := s.open(srv, "op-owner", "s1", 1), s.open(srv, "op-mod", "s1", 1)
	s.want(s.post("op-owner", "/logout", form()), 303)
	mine.closedWith(websocket.StatusPolicyViolation)
	s.world.card("n1", "still here")
	other.until("still here")
}

func TestLiveEndsWhenTheProgramDoes(t *testing.T) {
	t.Parallel()
	t.Run("by Close", func(t *testing.T) {
		s := newSite(t)
		srv := s.run()
		p := s.open(srv, "op-owner", "s1", 1)
		closed := make(chan struct{})
		go func() { p.closedWith(websocket.StatusServiceRestart); close(closed) }()
		if err := s.server.Close(t.Context()); err != nil {
			t.Error(err)
		}
		<-closed
		if _, res, err := s.dial(srv, "op-owner", "/live?stream=s1"); err == nil || res.StatusCode != 503 {
			t.Errorf("a late page: got %v, %v", res, err)
		}
		if n := s.server.Open(); n != 0 {
			t.Errorf("%d sockets are left", n)
		}
	})
	t.Run("by the server's context", func(t *testing.T) {
		s := newSite(t)
		ctx, stop := context.WithCancelCause(t.Context())
		srv := httptest.NewUnstartedServer(s.server.Handler())
		srv.Config.BaseContext = func(netListener) context.Context { return ctx }
		srv.Start()
		defer srv.Close()
		p := s.open(srv, "op-owner", "s1", 1)
		go stop(fmt.Errorf("the server is stopping"))
		p.closedWith(websocket.StatusServiceRestart)
	})
}

func TestPushBySocket(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	srv := s.run()
	if _, res, err := s.dial(srv, "op-view", "/api/v1/streams/s1/comments"); err == nil || res.StatusCode != 403 {
		t.Errorf("a viewer: got %v, %v", res, err)
	}
	conn, _, err := s.dial(srv, "token", "/api/v1/streams/s1/comments")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.CloseNow() }()
	for _, tt := range []struct{ message, want string }{
		{`{"id":"a","text":"one"}`, `{"accepted":1,"duplicates":0,"rejected":[]}`},
		{`[{"id":"a","text":"one"},{"id":"b","text":"two"}]`, `{"accepted":1,"duplicates":1,"rejected":[]}`},
		{`not json`, `"status":400`},
	} {
		if err := conn.Write(t.Context(), websocket.MessageText, []byte(tt.message)); err != nil {
			t.Fatal(err)
		}
		_, got, err := conn.Read(t.Context())
		if err != nil || !strings.Contains(string(got), tt.want) {
			t.Errorf("%s: got %s, %v", tt.message, got, err)
		}
	}
	s.world.mu.Lock()
	s.world.fail["Offer"] = &ops.Busy{RetryAfter: time.Second}
	s.world.mu.Unlock()
	_ = conn.Write(t.Context(), websocket.MessageText, []byte(`{"id":"c","text":"three"}`))
	if _, got, err := conn.Read(t.Context()); err != nil || !strings.Contains(string(got), `"retryAfterSeconds":1`) {
		t.Errorf("a busy desk: got %s, %v", got, err)
	}
}
