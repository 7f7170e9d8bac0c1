package db

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"gorm.io/gorm"

	"urakata/internal/ops"
)

// pick runs a query and returns its rows.
func pick[T any](g *gorm.DB, query string, args ...any) ([]T, error) {
	var rows []T
	err := g.Raw(query, args...).Scan(&rows).Error
	return rows, err
}

// one runs a query and returns its first row, if there is one.
func one[T any](g *gorm.DB, query string, args ...any) (row T, ok bool, err error) {
	rows, err := pick[T](g, query, args...)
	if err != nil || len(rows) == 0 {
		return row, false, err
	}
	return rows[0], true, nil
}

// mapped turns rows into what they stand for.
func mapped[R, T any](rows []R, f func(R) (T, error)) ([]T, error) {
	out := make([]T, 0, len(rows))
	for _, r := range rows {
		v, err := f(r)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// nanos is how a time is stored: nanoseconds since 1970, NULL for the zero time. What does not fit is stored as the nearest that does.
func nanos(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	n := t.UnixNano()
	switch sec := t.Unix(); {
	case sec >= math.MaxInt64/int64(time.Second):
		n = math.MaxInt64
	case sec <= math.MinInt64/int64(time.Second):
		n = math.MinInt64
	}
	return &n
}

// moment is the time that nanos stored.
func moment(n *int64) time.Time {
	if n == nil {
		return time.Time{}
	}
	return time.Unix(0, *n).UTC()
}

// orNow is t, or the write's own time when the caller left it out.
func (t *tx) orNow(at time.Time) time.Time {
	if at.IsZero() {
		return t.now
	}
	return at
}

// toJSON writes a value whose type always can be written.
func toJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("db: %T cannot be written as JSON: %v", v, err)) // a programmer's mistake: guard makes it an error of this write
	}
	return string(b)
}

// fromJSON reads what toJSON wrote; "" is the zero value.
func fromJSON[T any](what, s string) (v T, err error) {
	if s == "" {
		return v, nil
	}
	if err := json.Unmarshal([]byte(s), &v); err != nil {
		return v, fmt.Errorf("%s: %w", what, err)
	}
	return v, nil
}

// listJSON writes a list of strings; none is "".
func listJSON(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return toJSON(list)
}

// plain makes any string one that both engines can store: a viewer's name may hold bytes that no encoding knows.
func plain(s string) string {
	if utf8.ValidString(s) && !strings.ContainsRune(s, 0) {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// cut bounds a text at a rune.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// pageLimit is how many rows a page holds.
func pageLimit(p ops.Page) int { return bounded(p.Limit, 50, 500) }

func bounded(n, usual, most int) int {
	if n <= 0 {
		return usual
	}
	return min(n, most)
}
