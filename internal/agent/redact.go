package agent

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
)

const redacted = "[REDACTED]"

// redactor hides what a tool calls sensitive: dot paths through objects, reaching into arrays at every level. Values it met once it also hides
// inside texts, so that an error message cannot repeat a token.
type redactor struct {
	paths  [][]string
	values []string
}

func newRedactor(sensitive []string) *redactor {
	r := &redactor{}
	for _, p := range sensitive {
		r.paths = append(r.paths, strings.Split(strings.TrimPrefix(p, "$."), "."))
	}
	return r
}

// json gives a copy of raw with the sensitive values replaced.
func (r *redactor) json(raw json.RawMessage) json.RawMessage {
	if len(r.paths) == 0 || len(raw) == 0 {
		return raw
	}
	v, err := decodeJSON(raw)
	if err != nil {
		return json.RawMessage(`"` + redacted + `"`) // what cannot be read cannot be shown
	}
	for _, p := range r.paths {
		v = r.hide(v, p)
	}
	return json.RawMessage(compact(r.scrub(v)))
}

func (r *redactor) hide(v any, path []string) any {
	if len(path) == 0 {
		r.learn(v)
		return redacted
	}
	switch v := v.(type) {
	case map[string]any:
		if inner, ok := v[path[0]]; ok {
			v[path[0]] = r.hide(inner, path[1:])
		}
	case []any:
		for i := range v {
			v[i] = r.hide(v[i], path)
		}
	}
	return v
}

// learn remembers the texts inside a sensitive value; very short ones would black out ordinary words.
func (r *redactor) learn(v any) {
	switch v := v.(type) {
	case string:
		if len(v) >= 4 && v != redacted {
			r.values = append(r.values, v)
		}
	case map[string]any:
		for _, inner := range v {
			r.learn(inner)
		}
	case []any:
		for _, inner := range v {
			r.learn(inner)
		}
	}
}

// text hides the values met so far.
func (r *redactor) text(s string) string {
	for _, v := range r.values {
		s = strings.ReplaceAll(s, v, redacted)
	}
	return s
}

func (r *redactor) scrub(v any) any {
	switch v := v.(type) {
	case string:
		return r.text(v)
	case map[string]any:
		for k := range v {
			v[k] = r.scrub(v[k])
		}
	case []any:
		for i := range v {
			v[i] = r.scrub(v[i])
		}
	}
	return v
}

// error gives a copy of e that may leave the process.
func (r *redactor) error(e *ErrorBody) *ErrorBody {
	if e == nil || len(r.paths) == 0 {
		return e
	}
	same := ErrorBody{Code: e.Code, Message: r.text(e.Message)}
	if e.Details == nil {
		return &same
	}
	raw := r.json(json.RawMessage(compact(e.Details)))
	if err := json.Unmarshal(raw, &same.Details); err != nil {
		same.Details = nil
	}
	return &same
}

// decodeJSON reads one JSON value and keeps numbers as they were written.
func decodeJSON(raw []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if dec.More() {
		return nil, errTrailing
	}
	return v, nil
}

// digest names frozen bytes.
func digest(frozen []byte) string {
	sum := sha256.Sum256(frozen)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// keyOf is the idempotency key of a call: the same for every run of it, in every process.
func keyOf(session SessionID, turn, call string) string {
	sum := sha256.Sum256([]byte(string(session) + "\x00" + turn + "\x00" + call))
	return hex.EncodeToString(sum[:16])
}

// sameness tells whether two calls ask for the same thing.
func sameness(c ToolCall) string {
	v, err := decodeJSON([]byte(c.Arguments))
	if err != nil {
		return c.Tool + " " + c.Arguments
	}
	return c.Tool + " " + compact(v)
}
