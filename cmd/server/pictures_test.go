package main

import (
	"fmt"
	"os"
	"testing"

	"urakata/internal/ops"
)

// TestPictures takes the pictures of the README and of a look around: SHOTS=docs/pictures go test -run TestPictures ./cmd/server
func TestPictures(t *testing.T) {
	if os.Getenv("SHOTS") == "" {
		t.Skip("SHOTS names no folder")
	}
	r, h := startHouse(t, seams{Example: true})
	var id string
	r.await(t, "the example well under way", func() bool {
		all, err := h.staff.Streams(t.Context(), ops.Page{})
		if err != nil || len(all) == 0 {
			return false
		}
		id = all[0].ID
		return all[0].Comments > 120 && len(r.items(t, "pending")) > 0
	})
	first := r.items(t, "pending")[0].ID
	pages := map[string]string{
		"live": "/streams/" + id + "/live", "inbox": "/inbox", "item": "/inbox/" + first, "streams": "/streams", "stream": "/streams/" + id, "new": "/streams/new",
		"characters": "/characters", "character": "/characters/nagi", "audit": "/audit", "operators": "/settings/operators", "comments": "/streams/" + id + "/comments",
	}
	for _, size := range []struct {
		name string
		w, h int64
	}{{"wide", 1440, 900}, {"phone", 390, 844}} {
		b := newTab(t, size.w, size.h)
		b.enter(r, freshLink(t, h))
		for _, look := range []struct{ lang, theme string }{{"ja", "dark"}, {"en", "light"}} {
			b.prefer(r, look.lang, look.theme)
			for name, path := range pages {
				b.goTo(r.base + path)
				b.until("the page", `document.readyState === "complete" && document.querySelector("main")`)
				b.picture(fmt.Sprintf("%s-%s-%s-%s", name, size.name, look.lang, look.theme))
				if over := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
					t.Errorf("%s at %d px is %d px too wide", path, size.w, over)
				}
			}
		}
		b.clean()
	}
	pictureReport(t, r, h, id)
}

func pictureReport(t *testing.T, r *running, h *house, id string) {
	t.Helper()
	if code, body := r.raw(t, "POST", "/streams/"+id+"/end", nil); code != 200 {
		t.Fatalf("end: %d %s", code, body)
	}
	r.await(t, "the report", func() bool {
		st, err := h.staff.Stream(t.Context(), id)
		return err == nil && st.State == ops.StreamEnded
	})
	report, _, err := h.reports.Of(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []struct {
		name string
		w, h int64
	}{{"wide", 1440, 900}, {"phone", 390, 844}, {"long", 1440, 3600}} {
		b := newTab(t, size.w, size.h)
		b.enter(r, freshLink(t, h))
		b.prefer(r, "ja", "dark")
		b.goTo(r.base + "/reports/" + report.ID)
		b.until("the report", `document.querySelector("main h1")`)
		b.picture("report-" + size.name)
	}
}

// prefer chooses language and theme by their cookies, as the switches do.
func (b *tab) prefer(r *running, lang, theme string) {
	b.t.Helper()
	b.goTo(r.base + "/inbox")
	for path, field := range map[string]string{"/settings/language": "lang=" + lang, "/settings/theme": "theme=" + theme} {
		eval[bool](b, fmt.Sprintf(`(() => { const x = new XMLHttpRequest(); x.open("POST", %q, false); x.setRequestHeader("Content-Type", "application/x-www-form-urlencoded"); x.send(%q); return true })()`, path, field+"&back=%2Finbox"))
	}
}
