package lang

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

//go:embed messages/*.json
var messages embed.FS

// Languages are those the program speaks, the first one being what unknown languages get.
func Languages() []string { return []string{"en", "ja"} }

// Catalogue holds every message. It does not change after Load.
type Catalogue struct {
	bundle *i18n.Bundle
	keys   map[string]map[string]bool // by language
}

// Load reads the embedded messages. An error names the file that is wrong.
func Load() (*Catalogue, error) { return load(messages) }

func load(files fs.FS) (*Catalogue, error) {
	c := &Catalogue{bundle: i18n.NewBundle(language.English), keys: map[string]map[string]bool{}}
	c.bundle.RegisterUnmarshalFunc("json", json.Unmarshal)
	for _, tag := range Languages() {
		c.keys[tag] = map[string]bool{}
	}
	names, err := fs.Glob(files, "messages/*.json")
	if err != nil {
		return nil, fmt.Errorf("list messages: %w", err)
	}
	for _, name := range names {
		if err := c.add(files, name); err != nil {
			return nil, fmt.Errorf("messages of %s: %w", name, err)
		}
	}
	return c, nil
}

func (c *Catalogue) add(files fs.FS, name string) error {
	part, tag, err := partOf(name)
	if err != nil {
		return err
	}
	have, ok := c.keys[tag]
	if !ok {
		return fmt.Errorf("%q is not a language of ours", tag)
	}
	file, err := c.bundle.LoadMessageFileFS(files, name)
	if err != nil {
		return err
	}
	for _, m := range file.Messages {
		switch {
		case !strings.HasPrefix(m.ID, part+"."):
			return fmt.Errorf("key %q does not begin with %q", m.ID, part+".")
		case have[m.ID]:
			return fmt.Errorf("key %q stands twice", m.ID)
		}
		have[m.ID] = true
	}
	return nil
}

func partOf(name string) (part, tag string, err error) {
	base := strings.TrimSuffix(name[strings.LastIndex(name, "/")+1:], ".json")
	part, tag, ok := strings.Cut(base, ".")
	if !ok || part == "" || strings.Contains(tag, ".") {
		return "", "", errors.New("the name is not part.language.json")
	}
	return part, tag, nil
}

// Keys lists the keys of one language, sorted.
func (c *Catalogue) Keys(tag string) []string { return slices.Sorted(maps.Keys(c.keys[tag])) }

// Printer speaks the language of a BCP 47 tag, "ja" or "ja-JP"; an unknown one gets English.
func (c *Catalogue) Printer(tag string) Printer {
	known := Languages()[0]
	if t, err := language.Parse(tag); err == nil {
		base, _ := t.Base()
		if _, ok := c.keys[base.String()]; ok {
			known = base.String()
		}
	}
	return Printer{
		lang:    known,
		keys:    c.keys[known],
		words:   i18n.NewLocalizer(c.bundle, known),
		numbers: message.NewPrinter(language.MustParse(known)),
	}
}
