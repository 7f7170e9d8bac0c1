package views

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// argument is one value of a call, as a person must see it before saying yes.
type argument struct {
	Name  string // path: "message", "seconds", "options.0.text"
	Value string // with everything invisible made visible
	Text  bool   // words, in contrast to a number, a truth or nothing
}

// arguments lists a call's arguments in the order they were written. JSON that cannot be read is shown whole rather than hidden.
func arguments(raw json.RawMessage) []argument {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var out []argument
	if err := flatten(dec, nil, &out); err != nil {
		return []argument{{Name: "…", Value: visible(string(raw)), Text: true}}
	}
	if _, err := dec.Token(); err != io.EOF {
		return []argument{{Name: "…", Value: visible(string(raw)), Text: true}}
	}
	return out
}

// flatten reads one value and adds its leaves.
func flatten(dec *json.Decoder, path []string, out *[]argument) error {
	tok, err := dec.Token()
	if err != nil {
		return err
	}
	name := visible(strings.Join(path, "."))
	switch v := tok.(type) {
	case json.Delim:
		return flattenInside(dec, v, path, out)
	case string:
		*out = append(*out, argument{Name: name, Value: visible(v), Text: true})
	case nil:
		*out = append(*out, argument{Name: name, Value: "null"})
	default:
		*out = append(*out, argument{Name: name, Value: fmt.Sprint(v)})
	}
	return nil
}

func flattenInside(dec *json.Decoder, open json.Delim, path []string, out *[]argument) error {
	before := len(*out)
	for i := 0; dec.More(); i++ {
		name := fmt.Sprint(i)
		if open == '{' {
			key, err := dec.Token()
			if err != nil {
				return err
			}
			name, _ = key.(string)
		}
		if err := flatten(dec, append(path[:len(path):len(path)], name), out); err != nil {
			return err
		}
	}
	end, err := dec.Token()
	if err == nil && len(*out) == before && len(path) > 0 {
		*out = append(*out, argument{Name: visible(strings.Join(path, ".")), Value: fmt.Sprintf("%v%v", open, end)})
	}
	return err
}

// pretty is JSON with one value a line and nothing hidden.
func pretty(raw json.RawMessage) string {
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return visible(string(raw))
	}
	lines := strings.Split(b.String(), "\n")
	for i, l := range lines {
		lines[i] = visible(l)
	}
	return strings.Join(lines, "\n")
}
