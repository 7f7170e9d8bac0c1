package static

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"
)

// Prefix is where Handler is mounted; URL begins with it.
const Prefix = "/static/"

//go:embed css js vendor img
var files embed.FS

// file is one embedded file, ready to be sent.
type file struct {
	url  string // with the hash
	body []byte
	kind string
}

// load reads the embedded files once. The tables never change afterwards.
var load = sync.OnceValue(func() (t struct{ byName, byURL map[string]file }) {
	t.byName, t.byURL = map[string]file{}, map[string]file{}
	add := func(name string, body []byte) {
		sum := sha256.Sum256(body)
		ext := path.Ext(name)
		f := file{url: Prefix + strings.TrimSuffix(name, ext) + "." + hex.EncodeToString(sum[:6]) + ext, body: body, kind: kinds[ext]}
		t.byName[name], t.byURL[f.url] = f, f
	}
	// Walking what was embedded cannot fail; a broken build would show in every test.
	_ = fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || kinds[path.Ext(name)] == "" {
			return err
		}
		body, err := files.ReadFile(name)
		if err == nil {
			add(name, body)
		}
		return err
	})
	for name, parts := range bundles {
		add(name, join(parts))
	}
	return t
})

var kinds = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

// bundles are files made of others in this order. htmx and its websocket extension are one file, because the extension must be there before
// htmx looks at the page.
var bundles = map[string][]string{
	"app.css": {"css/tokens.css", "css/base.css", "css/parts.css", "css/board.css", "css/rooms.css", "css/print.css"},
	"htmx.js": {"vendor/htmx.min.js", "vendor/hx-ws.min.js"},
	"app.js": {
		"js/guard.js", "js/live.js", "js/freeze.js", "js/countdown.js", "js/keyboard.js", "js/evidence.js", "js/dirty.js", "js/badge.js", "js/misc.js",
	},
}

func join(names []string) []byte {
	var b bytes.Buffer
	for _, name := range names {
		body, err := files.ReadFile(name)
		if err != nil {
			panic("static: " + err.Error()) // a bundle names a file that is not there: found by the first test
		}
		b.Write(body)
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// URL is the address of a file: "app.css", "app.js", "htmx.js", or a path like "img/nagi-glad.svg". An unknown name gives a path that is 404.
func URL(name string) string {
	if f, ok := load().byName[name]; ok {
		return f.url
	}
	return Prefix + name
}

// Text is a file's content, for the report that must stand alone. It is empty for an unknown name.
func Text(name string) string { return string(load().byName[name].body) }

// Handler serves Prefix.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, ok := load().byURL[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		h := w.Header()
		h.Set("Content-Type", f.kind)
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
		h.Set("X-Content-Type-Options", "nosniff")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.body))
	})
}
