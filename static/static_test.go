package static

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http/httptest"
	"path"
	"strings"
	"testing"
)

func TestVendoredFilesAreThoseThatWerePinned(t *testing.T) {
	t.Parallel()
	manifest, err := files.ReadFile("vendor/vendor.json")
	if err != nil {
		t.Fatal(err)
	}
	var packages []struct {
		Package string
		Files   map[string]string
	}
	if err := json.Unmarshal(manifest, &packages); err != nil {
		t.Fatal(err)
	}
	pinned := map[string]bool{}
	for _, p := range packages {
		for name, want := range p.Files {
			body, err := files.ReadFile("vendor/" + name)
			if err != nil {
				t.Fatal(err)
			}
			sum := sha256.Sum256(body)
			if got := hex.EncodeToString(sum[:]); got != want {
				t.Errorf("%s of %s: sha256 %s, pinned %s", name, p.Package, got, want)
			}
			pinned[name] = true
		}
	}
	entries, err := files.ReadDir("vendor")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".js") && !pinned[e.Name()] {
			t.Errorf("vendor/%s is not pinned", e.Name())
		}
	}
}

func TestHandlerServesHashedNamesForEver(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"app.css", "app.js", "htmx.js", "img/nagi-neutral.svg", "img/haru-asleep.svg", "img/icon.svg"} {
		url := URL(name)
		if path.Base(url) == path.Base(name) {
			t.Errorf("%s has no hash in %s", name, url)
		}
		w := httptest.NewRecorder()
		Handler().ServeHTTP(w, httptest.NewRequest("GET", url, nil))
		if w.Code != 200 || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
			t.Errorf("GET %s: %d, Cache-Control %q", url, w.Code, w.Header().Get("Cache-Control"))
		}
	}
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, httptest.NewRequest("GET", Prefix+"css/../static.go", nil))
	if w.Code != 404 {
		t.Errorf("an unknown name: %d, want 404", w.Code)
	}
}

// Inline script, eval and the attributes that need it are forbidden by the site's policy; our scripts must not lean on them.
func TestScriptsDoNotEvaluateText(t *testing.T) {
	t.Parallel()
	entries, err := files.ReadDir("js")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		body, _ := files.ReadFile("js/" + e.Name())
		for _, bad := range []string{"eval(", "new Function", "innerHTML", "document.write", "setAttribute('style'", `setAttribute("style"`} {
			if strings.Contains(string(body), bad) {
				t.Errorf("js/%s uses %s", e.Name(), bad)
			}
		}
	}
}
