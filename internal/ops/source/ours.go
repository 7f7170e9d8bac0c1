package source

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"urakata/internal/ops/comment"
)

// ours reads our own JSON lines, the shape that scripts push and that our exports have:
//
//	{"id","platform","text","at"|"timestamp","offset"?,"kind"?,"author":{"id","name","displayName"?,"roles"?},"money"?,"topic"?,…}
//
// at is RFC 3339 or a number of seconds to nanoseconds; offset is seconds ("-1.5" too), a clock ("1:02:03") or a duration ("2m3s"). A whole
// number of ten million or more is nanoseconds, which is how comment.Comment marshals.
type ours struct{}

type ourRecord struct {
	ID         scalar           `json:"id"`
	Platform   scalar           `json:"platform"`
	Kind       scalar           `json:"kind"`
	Text       scalar           `json:"text"`
	At         scalar           `json:"at"`
	Timestamp  scalar           `json:"timestamp"`
	Offset     scalar           `json:"offset"`
	Author     author           `json:"author"`
	AuthorID   scalar           `json:"authorId"`
	AuthorName scalar           `json:"authorName"`
	Money      object[ourMoney] `json:"money"`
	Metadata   object[struct {
		SuperChat object[ourMoney] `json:"superChat"`
	}] `json:"metadata"`
	ReplyTo   scalar `json:"replyTo"`
	Target    scalar `json:"target"`
	Raid      scalar `json:"raid"`
	Topic     scalar `json:"topic"`
	Truncated scalar `json:"truncated"`
}

type ourMoney struct {
	Amount       scalar `json:"amount"`
	Micros       scalar `json:"micros"`
	AmountMicros scalar `json:"amountMicros"` // as YouTube calls it
	Currency     scalar `json:"currency"`
}

// author is an object, or only a name.
type author struct {
	ID, Name, DisplayName string
	Roles                 []string
}

// UnmarshalJSON takes what it can and never fails.
func (a *author) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		var name scalar
		_ = name.UnmarshalJSON(b) // never fails
		a.Name = string(name)
		return nil
	}
	var o struct {
		ID          scalar       `json:"id"`
		Name        scalar       `json:"name"`
		DisplayName scalar       `json:"displayName"`
		Roles       list[scalar] `json:"roles"`
	}
	if json.Unmarshal(b, &o) != nil {
		return nil //nolint:nilerr // an author of another shape stays unknown; the comment counts
	}
	a.ID, a.Name, a.DisplayName = string(o.ID), string(o.Name), string(o.DisplayName)
	for _, r := range o.Roles {
		a.Roles = addRole(a.Roles, string(r))
	}
	return nil
}

func (ours) read(raw []byte, out []found) []found {
	var r ourRecord
	if reason := decode(raw, &r); reason != "" {
		return append(out, skipped(reason, ""))
	}
	return append(out, r.found())
}

func (ours) head(string, []byte) {}

func (r *ourRecord) found() found {
	f := found{Comment: comment.Comment{
		ID: string(r.ID), Platform: platform(string(r.Platform)), Kind: comment.Kind(r.Kind), Text: string(r.Text),
		ReplyTo: string(r.ReplyTo), Target: string(r.Target), Topic: string(r.Topic), Truncated: r.Truncated == "true",
		Author: comment.Author{
			ID:    scalar(r.Author.ID).or(r.AuthorID),
			Name:  scalar(r.Author.DisplayName).or(scalar(r.Author.Name), r.AuthorName),
			Roles: r.Author.Roles,
		},
	}}
	paid := r.Money
	if !paid.Ok {
		paid = r.Metadata.V.SuperChat
	}
	if paid.Ok {
		f.Money = paid.V.money()
		if f.Kind == comment.KindMessage {
			f.Kind = comment.KindPaid
		}
	}
	f.Raid = count(string(r.Raid))
	switch f.Kind {
	case comment.KindMessage:
		if f.Text == "" {
			return skipped(reasonNoText, "")
		}
	case comment.KindPaid, comment.KindMembership, comment.KindRaid, comment.KindNotice, comment.KindDeleted, comment.KindBanned, comment.KindCleared:
	default: // somebody's own kind; what has words is read as words
		if f.Kind = comment.KindMessage; f.Text == "" {
			return skipped(reasonKind, string(r.Kind))
		}
	}
	if reason := f.when(r.At.or(r.Timestamp), string(r.Offset), parseOffset); reason != "" {
		return skipped(reason, "")
	}
	return f
}

func (m *ourMoney) money() *comment.Money {
	n := decimal(string(m.Amount))
	if exact := m.Micros.or(m.AmountMicros); exact != "" {
		n = decimal(exact) / 1_000_000
	}
	return &comment.Money{Micros: n, Currency: currency(string(m.Currency))}
}

// parseOffset reads an offset of our own format.
func parseOffset(s string) (time.Duration, bool) {
	digits := strings.TrimLeft(strings.TrimPrefix(s, "-"), "0123456789")
	if digits == "" && len(strings.TrimPrefix(s, "-")) >= 8 { // ten million or more: nanoseconds
		d, err := time.ParseDuration(s + "ns")
		return d, err == nil && d.Abs() <= maxOffset
	}
	if d, ok := parseSeconds(s); ok {
		return d, true
	}
	return parseClock(s)
}

func platform(s string) comment.Platform {
	switch p := comment.Platform(strings.ToLower(s)); p {
	case comment.YouTube, comment.Twitch, comment.Web:
		return p
	default:
		return comment.Unknown
	}
}

// count reads a number of people; nonsense is 0, and no crowd is larger than a billion.
func count(s string) int {
	return int(min(decimal(s)/1_000_000, 1_000_000_000))
}

// ParseJSON reads one comment in our own JSON, as scripts push it. A comment without a time gets now; one without an id gets one made from its
// content. The error says what to change.
func ParseJSON(raw []byte, now time.Time) (comment.Comment, error) {
	var r ourRecord
	if len(raw) > MaxRecord {
		return comment.Comment{}, fmt.Errorf("comment: %s", reasonTooLong)
	}
	if reason := decode(raw, &r); reason != "" {
		return comment.Comment{}, fmt.Errorf("comment: %s", reason)
	}
	f := r.found()
	if f.skip != "" {
		return comment.Comment{}, fmt.Errorf("comment: %s", f.reason())
	}
	if f.At.IsZero() {
		f.At = now.UTC()
	}
	tidy(&f.Comment)
	if f.ID == "" {
		f.ID = contentID(&f.Comment, 0)
	}
	return f.Comment, nil
}
