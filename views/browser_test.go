package views

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/coder/websocket"

	"urakata/internal/ops"
	"urakata/internal/ops/comment"
	"urakata/static"
)

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// desk serves sample pages and lets a test push frames to the page that is open.
type desk struct {
	*httptest.Server
	frames chan string // each is sent to the newest socket; a name of drops ends it
	since  chan string // what each socket asked for
	seq    int64
}

var drops = map[string]websocket.StatusCode{"restart": websocket.StatusServiceRestart, "end": websocket.StatusNormalClosure}

func newDesk(t *testing.T, page func(ctx context.Context) string) *desk {
	d := &desk{frames: make(chan string), since: make(chan string, 8)}
	mux := http.NewServeMux()
	mux.Handle(static.Prefix, static.Handler())
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(page(setFor(t, "en"))))
	})
	mux.HandleFunc("GET "+SocketPath, func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			return
		}
		d.since <- r.URL.Query().Get("since")
		ctx := conn.CloseRead(r.Context())
		for {
			select {
			case <-ctx.Done():
				return
			case f := <-d.frames:
				if code, drop := drops[f]; drop {
					_ = conn.Close(code, "")
					return
				}
				_ = conn.Write(ctx, websocket.MessageText, []byte(f))
			}
		}
	})
	d.Server = httptest.NewServer(mux)
	t.Cleanup(d.Close)
	return d
}

func (d *desk) push(t *testing.T, content string) {
	t.Helper()
	d.seq++
	frame, err := json.Marshal(map[string]any{"seq": d.seq, "content": content})
	if err != nil {
		t.Fatal(err)
	}
	d.frames <- string(frame)
}

func browser(t *testing.T) context.Context {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("chromium is missing")
		}
		t.Skip("chromium is missing")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true))
	alloc, stop := chromedp.NewExecAllocator(t.Context(), opts...)
	t.Cleanup(stop)
	ctx, done := chromedp.NewContext(alloc)
	t.Cleanup(done)
	ctx, cancel := context.WithTimeout(ctx, 90*time.Second)
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(1440, 900)); err != nil {
		t.Fatal(err)
	}
	listened := make(chan struct{})
	messages := chromedp.Console(ctx)
	go func() {
		defer close(listened)
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.Type == chromedp.ConsoleError || m.Type == chromedp.ConsoleException {
				t.Errorf("the page says: %s", m.Text)
			}
		}
	}()
	t.Cleanup(func() { cancel(); <-listened })
	return ctx
}

// until waits for an expression to be true.
func until(js string) step {
	return func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		if _, err := chromedp.Poll[bool]("!!("+js+")", chromedp.WithPollingTimeout(10*time.Second))(ctx, t); err != nil {
			return chromedp.Void{}, fmt.Errorf("%s: %w", js, err)
		}
		return chromedp.Void{}, nil
	}
}

// script runs a statement of the page.
func script(js string) step { return until("(() => { " + js + "; return true })()") }

type step = chromedp.Action[chromedp.Void]

func ask[T any](t *testing.T, ctx context.Context, js string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](js))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func run(t *testing.T, ctx context.Context, actions ...step) {
	t.Helper()
	if err := chromedp.Do(ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

func TestBoardFollowsAndNeverTakesWhatAPersonUses(t *testing.T) {
	ctx := browser(t)
	s := Samples{Moment: moment}
	b := s.Board()
	d := newDesk(t, func(ctx context.Context) string {
		p := s.Page(RoomLive, "/")
		p.Live = SocketURL("str-1", 7)
		return draw(t, ctx, Live(LivePage{Page: p, Board: b}))
	})
	set := setFor(t, "en")
	run(t, ctx, chromedp.Navigate(d.URL), until(`document.getElementById("banner").dataset.state === "on"`))
	if got := <-d.since; got != "7" {
		t.Errorf("the page asked for changes since %q, want 7", got)
	}

	// A note is being written while the same item is decided elsewhere and the list moves.
	run(t, ctx, script(`document.querySelector("#item-itm-1 details.note").open = true`), chromedp.SendKeys("#item-itm-1-note", "もう少し"))
	d.seq = 7
	decided := s.Items()[4]
	decided.Item.ID, decided.OnBoard, decided.Conflict = "itm-1", true, nil
	d.push(t, draw(t, set, ItemPartial(decided)))
	run(t, ctx, until(`!!document.querySelector("#item-itm-1 > .held")`))
	typed := ask[string](t, ctx, `document.getElementById("item-itm-1-note").value`)
	run(t, ctx, chromedp.Click("#item-itm-1 [data-held-show]"), until(`!!document.querySelector("#item-itm-1 .decided")`))
	if typed != "もう少し" {
		t.Errorf("the note is %q after the push", typed)
	}

	// A card that the page has is replaced where it stands; a new one comes on top.
	card := b.Cards[3]
	card.State, card.By = ops.CardHandled, "ren"
	fresh := b.Cards[0]
	fresh.ID = "crd-new"
	d.push(t, draw(t, set, CardPartial(card, b.Reader))+draw(t, set, CardPartial(fresh, b.Reader)))
	run(t, ctx, until(`document.querySelector("#card-crd-4.card-done") && document.querySelectorAll("#card-crd-4").length === 1 && document.querySelector("#cards > .card").id === "card-crd-new"`))

	// The chat stands still while it is held, and says how much waits.
	row := b.Chat[1]
	row.Seq, row.Comment.ID = 99, "m99"
	run(t, ctx, chromedp.Click("[data-freeze-toggle]"))
	d.push(t, draw(t, set, ChatRows("str-1", []ops.Stored{row, b.Chat[0]})))
	run(t, ctx, until(`document.querySelector(".chat [data-pill-count]").textContent === "1" && !document.getElementById("c-99")`),
		chromedp.Click(".chat [data-pill]"), until(`document.querySelector("#chat-rows > li").id === "c-99"`))

	// Evidence lights up; the title counts; a socket that comes back asks for what it has not seen.
	d.push(t, draw(t, set, NavCounts(Counts{Pending: 5, Worst: ops.Medium})))
	run(t, ctx, until(`document.title.startsWith("(5) ")`), script(`document.querySelector("#card-crd-1 [data-show-evidence]").click()`), until(`document.querySelectorAll(".row.lit").length === 3`))
	d.frames <- "restart"
	if got := <-d.since; got != "11" {
		t.Errorf("after a restart the page asked for changes since %q, want 11", got)
	}

	// A tab whose socket is gone for good opens a new one as soon as somebody looks at it.
	run(t, ctx, until(`document.getElementById("banner").dataset.state === "on"`))
	d.frames <- "end"
	run(t, ctx, until(`document.getElementById("banner").dataset.state === "off"`), script(`document.dispatchEvent(new Event("visibilitychange"))`))
	if got := <-d.since; got != "11" {
		t.Errorf("shown again, the page asked for changes since %q, want 11", got)
	}
	run(t, ctx, until(`document.getElementById("banner").dataset.state === "on"`))
	d.push(t, draw(t, set, NavCounts(Counts{Pending: 2})))
	run(t, ctx, until(`document.title.startsWith("(2) ")`))
}

func TestNothingIsWiderThanANarrowScreenOrCoversAButton(t *testing.T) {
	ctx := browser(t)
	s := Samples{Moment: moment}
	b := s.Board()
	hostile := comment.Author{ID: "x", Name: strings.Repeat(zalgo, 20)}
	b.Chat[2].Comment.Author, b.Chat[2].Comment.Text = hostile, strings.Repeat(zalgo, 200)
	b.Pending[0].Item.Target = &b.Chat[2]
	d := newDesk(t, func(ctx context.Context) string {
		return draw(t, ctx, Live(LivePage{Page: s.Page(RoomLive, "/"), Board: b}))
	})
	run(t, ctx, chromedp.EmulateViewport(320, 800), chromedp.Navigate(d.URL))
	width, row := ask[int](t, ctx, `document.documentElement.scrollWidth`), ask[int](t, ctx, `document.getElementById("c-3").offsetHeight`)
	top := ask[bool](t, ctx, `(() => { const b = document.querySelector("#item-itm-1 .deny"); b.scrollIntoView({block: "center"}); const r = b.getBoundingClientRect();
		return b.contains(document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2)) && r.height >= 44; })()`)
	if width > 320 {
		t.Errorf("the board is %d px wide on a screen of 320", width)
	}
	if row > 200 {
		t.Errorf("a hostile comment is %d px high", row)
	}
	if !top {
		t.Error("the deny button is covered, or smaller than 44 px")
	}
}
