package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// chromium is one browser for all tests of the package, started by the first that needs it and closed by TestMain.
type chromium struct {
	once  sync.Once
	ctx   context.Context
	close func()
	err   error
}

var theBrowser chromium // what TestMain closes

func (c *chromium) open() (context.Context, error) {
	c.once.Do(func() {
		path, err := exec.LookPath("chromium")
		if err != nil {
			c.err = err
			return
		}
		dir, err := os.MkdirTemp("", "urakata-browser-")
		if err != nil {
			c.err = err
			return
		}
		options := append(chromedp.DefaultExecAllocatorOptions[:],
			chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(dir), chromedp.Flag("disable-quic", true),
			chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
			chromedp.Flag("lang", "en-US"), chromedp.Flag("accept-lang", "en-US"))
		allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, stop := chromedp.NewContext(allocator)
		c.ctx, c.err = ctx, chromedp.Do(ctx)
		c.close = func() {
			chromedp.Cancel(ctx)
			stop()
			stopAllocator()
			os.RemoveAll(dir)
		}
	})
	return c.ctx, c.err
}

// tab is one page of the browser, in a window of its own so that cookies of two tests never meet.
type tab struct {
	ctx context.Context
	t   *testing.T
	bad *lockedBuffer // console errors
}

// newTab opens a page at a size. Without a browser the test is skipped for a person and fails in the continuous integration.
func newTab(t *testing.T, width, height int64) *tab {
	t.Helper()
	browser, err := theBrowser.open()
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no chromium: %v", err)
		}
		t.Skipf("no chromium: %v", err)
	}
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	b := &tab{ctx: ctx, t: t, bad: &lockedBuffer{}}
	b.must(chromedp.EmulateViewport(width, height))
	messages := chromedp.Console(ctx)
	go func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.Type == chromedp.ConsoleError || m.Type == chromedp.ConsoleException {
				fmt.Fprintln(b.bad, m.Text)
			}
		}
	}()
	return b
}

// beside opens a second tab of the same person.
func (b *tab) beside() *tab {
	b.t.Helper()
	ctx, cancel := chromedp.NewContext(b.ctx)
	b.t.Cleanup(cancel)
	two := &tab{ctx: ctx, t: b.t, bad: b.bad}
	two.must(chromedp.EmulateViewport(1440, 900))
	return two
}

func (b *tab) must(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

func (b *tab) goTo(address string) {
	b.t.Helper()
	b.must(chromedp.Navigate(address))
}

// eval asks the page; the expression is run by the debugger, which the page's own policy does not forbid.
func eval[T any](b *tab, expression string) T {
	b.t.Helper()
	got, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return got
}

// until waits for a JavaScript expression to become true.
func (b *tab) until(what, expression string) {
	b.t.Helper()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	tick := time.NewTicker(40 * time.Millisecond)
	defer tick.Stop()
	for {
		if ok, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("!!("+expression+")")); err == nil && ok {
			return
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			b.picture("failed-" + b.t.Name())
			b.t.Fatalf("never seen: %s (%s)\nconsole: %s", what, expression, b.bad)
		}
	}
}

// picture keeps a screenshot where SHOTS says; without it, nowhere.
func (b *tab) picture(name string) {
	b.t.Helper()
	dir := os.Getenv("SHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Log(err)
		return
	}
	if err := os.WriteFile(filepath.Join(dir, strings.ReplaceAll(name, "/", "-")+".png"), png, 0o644); err != nil {
		b.t.Log(err)
	}
}

// clean fails the test if the page said anything wrong: a script error, a request that failed, something the content policy refused.
func (b *tab) clean() {
	b.t.Helper()
	if text := b.bad.String(); text != "" {
		b.t.Errorf("the console of the page says:\n%s", text)
	}
}

// enter follows the one-time link as a person does: the page, then its button.
func (b *tab) enter(r *running, token string) {
	b.t.Helper()
	b.goTo(r.base + "/login?token=" + token)
	b.must(chromedp.Click(chromedp.CSS("main form button")))
	b.until("the page behind the door", `!location.pathname.startsWith("/login")`)
}

func TestMain(m *testing.M) {
	if child := os.Getenv("URAKATA_CRASH_CHILD"); child != "" {
		os.Exit(crashChild(child))
	}
	code := m.Run()
	if theBrowser.close != nil {
		theBrowser.close()
	}
	os.Exit(code)
}
