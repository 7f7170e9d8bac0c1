package source

import (
	"bytes"
	"encoding/json"
)

// scalar is a string, a number or a truth value of a recording, as text: tools write the same field now as one, now as another. Anything else is
// empty, so that one odd field does not cost the record.
type scalar string

// UnmarshalJSON takes what it can and never fails.
func (s *scalar) UnmarshalJSON(b []byte) error {
	*s = ""
	switch {
	case len(b) == 0 || b[0] == '{' || b[0] == '[' || b[0] == 'n':
	case b[0] == '"' && bytes.IndexByte(b, '\\') < 0: // most are; the decoder has found its end already
		*s = scalar(b[1 : len(b)-1])
	case b[0] == '"':
		var text string
		if json.Unmarshal(b, &text) == nil {
			*s = scalar(text)
		}
	default:
		*s = scalar(b)
	}
	return nil
}

// or is s, or the first of others that is not empty.
func (s scalar) or(others ...scalar) string {
	for _, o := range others {
		if s != "" {
			break
		}
		s = o
	}
	return string(s)
}

// list is an array whose elements are taken one by one; one that does not fit is left out.
type list[T any] []T

// UnmarshalJSON takes what it can and never fails.
func (l *list[T]) UnmarshalJSON(b []byte) error {
	*l = nil
	var raw []json.RawMessage
	if len(b) == 0 || b[0] != '[' || json.Unmarshal(b, &raw) != nil {
		return nil //nolint:nilerr // what is not an array is an empty list
	}
	for _, r := range raw {
		var one T
		if json.Unmarshal(r, &one) == nil {
			*l = append(*l, one)
		}
	}
	return nil
}

// object is a nested object; what is not an object leaves it at its zero value.
type object[T any] struct {
	V  T
	Ok bool
}

// UnmarshalJSON takes what it can and never fails.
func (o *object[T]) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '{' && json.Unmarshal(b, &o.V) == nil {
		o.Ok = true
	}
	return nil
}

// decode reads one JSON object of a recording; the reason is empty when it could.
func decode(raw []byte, into any) (reason string) {
	i := 0
	for i < len(raw) && (raw[i] == ' ' || raw[i] == '\t' || raw[i] == '\r' || raw[i] == '\n') {
		i++
	}
	if i < len(raw) && raw[i] != '{' && json.Valid(raw) {
		return reasonNotObject
	}
	if json.Unmarshal(raw, into) == nil {
		return ""
	}
	if mended := withoutTrailingCommas(raw); len(mended) < len(raw) && json.Unmarshal(mended, into) == nil {
		return ""
	}
	return reasonBroken
}

// withoutTrailingCommas leaves out the commas before a closing bracket, which some tools write.
func withoutTrailingCommas(raw []byte) []byte {
	out := make([]byte, 0, len(raw))
	comma := -1 // where in out the last comma stands, if only space came after it
	var s scanner
	for _, c := range raw {
		text := s.text
		s.step(c)
		switch {
		case text || s.text:
			comma = -1
		case c == ',':
			comma = len(out)
		case (c == '}' || c == ']') && comma >= 0:
			out = append(out[:comma], out[comma+1:]...)
			comma = -1
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			comma = -1
		}
		out = append(out, c)
	}
	return out
}
