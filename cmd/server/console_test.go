package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// TestALivingDesk is the newcomer's first minutes: the program is started with nothing, the link is opened, cards arrive without a click, something
// wants a decision, the decision reaches a second tab, the stream ends and the report stands there.
func TestALivingDesk(t *testing.T) {
	t.Parallel()
	start := time.Now()
	r := startServer(t, t.TempDir(), nil)
	token := r.link[strings.Index(r.link, "token=")+len("token="):]
	_ = token // the helper logged in with it; a person comes with a link of their own
	b := newTab(t, 1440, 900)
	b.enterAsOwner(r)
	b.until("a board that is connected", `document.getElementById("banner").dataset.state === "on"`)
	b.until("a card", `document.querySelector("#cards article .observed")`)
	first := time.Since(start)
	if first > time.Minute { // what a newcomer is promised, with five times of what it takes
		t.Errorf("the first card came after %v", first)
	}
	b.until("an approval", `document.querySelector("#now form[data-decide] button.allow")`)
	item := eval[string](b, `document.querySelector("#now form[data-decide] button.allow").closest("article").id`)

	two := b.beside()
	two.goTo(eval[string](b, `location.href`))
	two.until("the same approval in the second tab", fmt.Sprintf(`document.getElementById(%q)?.querySelector("button.allow")`, item))
	b.must(chromedp.Click(chromedp.CSS("#" + item + " button.allow")))
	two.until("the decision in the second tab", fmt.Sprintf(`!document.getElementById(%q)?.querySelector("button.allow")`, item))
	r.await(t, "the action rehearsed once", func() bool {
		for _, it := range r.items(t, "done") {
			if "item-"+it.ID == item && it.Outcome == "done" {
				return it.State == "allowed"
			}
		}
		return false
	})
	stream := strings.Split(eval[string](b, `location.pathname`), "/")
	id := ""
	for _, it := range r.items(t, "done") {
		id = it.Stream
	}
	if code, body := r.raw(t, "POST", "/streams/"+id+"/end", nil); code != 200 {
		t.Fatalf("end (%v): %d %s", stream, code, body)
	}
	b.goTo(r.base + "/reports")
	b.until("the report in the list", `document.querySelector('main a[href*="/reports/"]') || (location.reload(), false)`)
	b.must(chromedp.Click(chromedp.CSS(`main a[href*="/reports/"]`)))
	b.until("the report", `document.querySelectorAll("main h2").length >= 8 && document.querySelector("main svg")`)
	b.clean()
	two.clean()
	t.Logf("from the start to the first card on the screen: %v", first.Round(time.Millisecond))
}

// enterAsOwner takes a fresh link for the owner through the operator command, which works beside a running server.
func (b *tab) enterAsOwner(r *running) {
	b.t.Helper()
	code, out, errs := runCommand(b.t, "", "operator", "reset", "owner", "-data", r.data)
	at := strings.Index(out, "token=")
	if code != 0 || at < 0 {
		b.t.Fatalf("operator reset: %d %s %s", code, out, errs)
	}
	b.enter(r, strings.TrimSpace(out[at+len("token="):]))
	b.goTo(r.base + "/live")
}

// board starts a push stream with something to decide on it and opens its board.
func board(t *testing.T, width, height int64, name, text string) (*tab, *running, string) {
	t.Helper()
	r, h := startHouse(t, seams{Minds: eager{}, Actor: nil})
	id := r.createStream(t, map[string]any{"title": "case", "language": "en", "character": "nagi", "source": map[string]any{"kind": "push"}, "start": true})
	r.say(t, id, name, text, 0, 12)
	r.await(t, "approvals", func() bool { return len(r.items(t, "pending")) >= 8 })
	b := newTab(t, width, height)
	b.enter(r, freshLink(t, h))
	b.goTo(r.base + "/streams/" + id + "/live")
	b.until("a connected board with approvals", `document.getElementById("banner").dataset.state === "on" && document.querySelectorAll("#now article").length >= 8`)
	return b, r, id
}

// say pushes n questions, each of another viewer, so that a look is worth it.
func (r *running) say(t *testing.T, id, name, text string, from, n int) {
	t.Helper()
	var batch []map[string]any
	for i := from; i < from+n; i++ {
		batch = append(batch, jsonLine(fmt.Sprintf("s%d", i), fmt.Sprintf("u%d", i), name, fmt.Sprintf("%s what is number %d?", text, i), time.Duration(i)*2*time.Second))
	}
	if code, body := r.raw(t, "POST", "/streams/"+id+"/comments", batch); code != 202 {
		t.Fatalf("comments: %d %s", code, body)
	}
}

// TestB05 shows a name and a message in zalgo: rows keep their height, nothing covers the decisions, the stored text is as it was sent.
func TestB05(t *testing.T) {
	t.Parallel()
	zalgo := "Z\u0351\u036b\u0343\u032a\u0302\u036b\u033d\u034f\u0334\u0319A\u0334\u0335\u031cL\u0320G\u0333\u0322O\u0326\u0339"
	b, r, id := board(t, 1440, 900, zalgo, strings.Repeat(zalgo, 40))
	b.picture("b05")
	for what, expression := range map[string]string{
		"a chat row is bounded":  `Math.max(...[...document.querySelectorAll("#chat-rows > .row")].map(e => e.getBoundingClientRect().height)) < 260`,
		"rows clip what spills":  `[...document.querySelectorAll("#chat-rows > .row")].every(e => [e, ...e.querySelectorAll("*")].some(x => /hidden|clip|auto/.test(getComputedStyle(x).overflowY) || /paint|strict|content/.test(getComputedStyle(x).contain)))`,
		"Approve can be pressed": `(() => { const x = document.querySelector("#now button.allow"); x.scrollIntoView({block:"center"}); const q = x.getBoundingClientRect(); return x.contains(document.elementFromPoint(q.x + q.width/2, q.y + q.height/2)) })()`,
		"Deny can be pressed":    `(() => { const x = document.querySelector("#now button.deny"); const q = x.getBoundingClientRect(); return x.contains(document.elementFromPoint(q.x + q.width/2, q.y + q.height/2)) })()`,
	} {
		if !eval[bool](b, expression) {
			t.Errorf("not so: %s", what)
		}
	}
	var list struct {
		Items []struct{ Author struct{ Name string } }
	}
	r.api(t, "GET", "/streams/"+id+"/comments?limit=1", nil, &list)
	if len(list.Items) != 1 || list.Items[0].Author.Name != zalgo {
		t.Errorf("the stored name is %q", list.Items)
	}
}

// TestB06 shows a name with a right-to-left override: what stands beside it keeps its order, and approval details show the control itself.
func TestB06(t *testing.T) {
	t.Parallel()
	b, r, id := board(t, 1440, 900, "\u202Ehsom", "\u202Etxet")
	b.picture("b06")
	for what, expression := range map[string]string{
		"names stand apart":     `[...document.querySelectorAll("#chat-rows > .row")].every(row => [...row.querySelectorAll("*")].filter(e => !e.children.length && /\u202E|⟨U\+202E⟩/.test(e.textContent)).every(e => e.closest("bdi, [dir]") || getComputedStyle(e).unicodeBidi.includes("isolate")))`,
		"the title has none":    `!/\u202E/.test(document.title)`,
		"labels keep their way": `[...document.querySelectorAll("#now button")].every(e => getComputedStyle(e).direction === "ltr")`,
	} {
		if !eval[bool](b, expression) {
			t.Errorf("not so: %s", what)
		}
	}
	b.goTo(r.base + "/inbox/" + r.items(t, "pending")[0].ID)
	b.until("the item's detail", `document.querySelector("#detail article")`)
	b.picture("b06-item")
	if eval[bool](b, `/\u202E/.test(document.querySelector("#detail").textContent)`) {
		t.Error("the approval's details hold a bare override")
	}
	if !eval[bool](b, `/U\+202E/.test(document.querySelector("#detail").textContent)`) {
		t.Error("the approval's details do not show that there is an override")
	}
	_ = id
}

// TestB09 types into an approval's note while the page is pushed to: words, caret and focus stay.
func TestB09(t *testing.T) {
	t.Parallel()
	b, r, id := board(t, 1440, 900, "viewer", "hello")
	item := r.items(t, "pending")[0].ID
	b.goTo(r.base + "/inbox/" + item)
	b.until("the item", `document.querySelector("#detail form[data-decide]") && document.getElementById("banner").dataset.state === "on"`)
	eval[bool](b, `(() => { const d = document.querySelector("#detail details.note"); d.open = true; const i = d.querySelector("input"); i.focus(); i.value = "もう少し"; i.setSelectionRange(2, 2); window.typedHere = i; return true })()`)
	before := eval[int](b, `document.querySelectorAll("#items > li.item-row").length`)
	for i := range 3 {
		r.say(t, id, "viewer", "again", 100+i*12, 12)
		want := 8 * (i + 2)
		r.await(t, "more approvals", func() bool { return len(r.items(t, "pending")) >= want })
	}
	b.until("the pushes in the list", fmt.Sprintf(`document.querySelectorAll("#items > li.item-row").length >= %d`, before+20))
	r.api(t, "POST", "/inbox/"+item+"/decision", map[string]string{"decision": "deny"}, nil) // somebody else decides this very one
	b.until("a word that there is something newer", `document.querySelector("#detail .held") || document.querySelector("#detail").textContent.match(/denied|decided/i)`)
	got := eval[string](b, `(() => { const i = document.querySelector("#detail details.note input"); return [i?.value, i?.selectionStart, document.activeElement === i, i === window.typedHere].join(" ") })()`)
	if got != "もう少し 2 true true" {
		t.Errorf("after the pushes the field is %q, want the words, the caret at 2, the focus, the same field", got)
	}
}

// TestB10 freezes the page as a browser does with a hidden tab, lets things happen, and looks at it again.
func TestB10(t *testing.T) {
	t.Parallel()
	b, r, id := board(t, 1440, 900, "viewer", "hello")
	b.goTo(r.base + "/inbox")
	b.until("a connected inbox", `document.getElementById("banner").dataset.state === "on"`)
	freeze := func(state string) {
		if _, err := chromedp.Call(b.ctx, page.SetWebLifecycleState, page.SetWebLifecycleStateParams{State: page.SetWebLifecycleStateState(state)}); err != nil {
			t.Fatal(err)
		}
	}
	freeze("frozen")
	r.say(t, id, "viewer", "while away", 200, 12)
	r.await(t, "eight more approvals", func() bool { return len(r.items(t, "pending")) >= 16 })
	r.api(t, "POST", "/inbox/"+r.items(t, "pending")[0].ID+"/decision", map[string]string{"decision": "deny"}, nil)
	freeze("active")
	seen := time.Now()
	r.await(t, "all that waits, and nothing else", func() bool {
		shown := eval[int](b, `document.querySelectorAll("#items > li.item-row:not(.item-decided)").length`)
		return shown == len(r.items(t, "pending")) && shown >= 15 && strings.HasPrefix(eval[string](b, `document.title`), fmt.Sprintf("(%d)", shown))
	})
	t.Logf("right again %v after it was shown", time.Since(seen).Round(time.Millisecond))
}
