package source

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"time"
	"unicode/utf8"

	"urakata/internal/ops/comment"
)

// MaxRecord is how many bytes one record of a recording may have; a longer one is skipped.
const MaxRecord = 1 << 20

// Limits of the parts of a comment that are not its text.
const (
	maxName  = 256
	maxID    = 256
	maxTopic = 512
)

// found is one record as an importer understood it: a comment, or the reason why it is none.
type found struct {
	comment.Comment
	hasOffset bool
	skip      string
	detail    string // more about skip, made of safe letters only
}

// skipped is a record that is no comment.
func skipped(reason, detail string) found {
	return found{skip: reason, detail: safeWord(detail)}
}

// safeWord keeps a name that a recording gave (a type, a command) only if it looks like a name, because reasons are shown and counted.
func safeWord(s string) string {
	if len(s) > 64 {
		return ""
	}
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
		default:
			return ""
		}
	}
	return s
}

// tidy makes what a recording said fit to be kept: valid UTF-8, no NUL, nothing endless, no role we do not know.
func tidy(c *comment.Comment) {
	c.Text, c.Truncated = cut(valid(c.Text), comment.MaxText, c.Truncated)
	c.Author.Name, _ = cut(valid(c.Author.Name), maxName, false)
	c.Topic, _ = cut(valid(c.Topic), maxTopic, false)
	c.ID, c.Author.ID = shortID(c.ID), shortID(c.Author.ID)
	c.ReplyTo, c.Target = shortID(c.ReplyTo), shortID(c.Target)
	if c.Author.ID == "" && c.Author.Name != "" {
		c.Author.ID = "name:" + c.Author.Name
	}
	if c.Platform == "" {
		c.Platform = comment.Unknown
	}
}

func valid(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "")
	}
	return s
}

// cut shortens s to at most limit bytes at the start of a rune.
func cut(s string, limit int, was bool) (string, bool) {
	if len(s) <= limit {
		return s, was
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return strings.Clone(s[:limit]), true
}

// shortID keeps an id as it is unless it is absurdly long; then its hash stands for it, so that different ids stay different.
func shortID(id string) string {
	id = valid(id)
	if len(id) <= maxID {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "h-" + hex.EncodeToString(sum[:12])
}

// contentID names a record that has no id of its own. place is 0, or the record's number when nothing else tells it from its neighbours.
func contentID(c *comment.Comment, place int64) string {
	h := sha256.New()
	part := func(s string) {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		h.Write([]byte(s))
	}
	number := func(n int64) {
		var b [8]byte
		binary.BigEndian.PutUint64(b[:], uint64(n))
		h.Write(b[:])
	}
	part(string(c.Platform))
	part(string(c.Kind))
	part(c.Author.ID)
	part(c.Author.Name)
	part(c.Text)
	part(c.Target)
	if c.Money != nil {
		number(c.Money.Micros)
		part(c.Money.Currency)
	}
	if c.At.IsZero() {
		number(int64(c.Offset / time.Millisecond))
	} else {
		number(c.At.UnixMilli())
	}
	number(place)
	return "x-" + hex.EncodeToString(h.Sum(nil)[:10])
}

// roles maps the names that platforms and tools use for a viewer's standing to ours.
var roles = map[string]string{
	"owner": "owner", "broadcaster": "owner", "streamer": "owner",
	"moderator": "moderator", "mod": "moderator", "lead_moderator": "moderator",
	"member": "member", "sponsor": "member",
	"subscriber": "subscriber", "sub": "subscriber", "founder": "subscriber",
	"vip": "vip", "verified": "verified", "partner": "verified",
}

// addRole adds our name for role once, and nothing for a role we do not know.
func addRole(have []string, role string) []string {
	name, ok := roles[strings.ToLower(strings.TrimSpace(role))]
	if !ok {
		return have
	}
	for _, h := range have {
		if h == name {
			return have
		}
	}
	return append(have, name)
}

// reason is what a person is told of a skipped record.
func (f *found) reason() string {
	if f.detail == "" {
		return f.skip
	}
	return f.skip + ": " + f.detail
}
