package source

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// NoDate is the time that offset zero stands for when a recording knows offsets but no dates, and ReplayConfig.Start gives none.
var NoDate = time.Date(firstYear, time.January, 1, 0, 0, 0, 0, time.UTC)

const (
	firstYear = 2005
	lastYear  = 2100
	maxOffset = 366 * 24 * time.Hour
)

// parseTime understands a moment as recordings write it: RFC 3339 (a zone may be missing: UTC), or a number of seconds, milliseconds,
// microseconds or nanoseconds since 1970, told apart by their size. ok is false for anything outside the years 2005 to 2100.
func parseTime(s string) (t time.Time, ok bool) {
	s = strings.TrimSpace(s)
	if s == "" {
		return time.Time{}, false
	}
	if c := s[len(s)-1]; c == 'Z' || strings.IndexByte(s, ':') > 0 {
		t, ok = parseDate(s)
	} else {
		t, ok = parseEpoch(s)
	}
	if !ok || t.Year() < firstYear || t.Year() > lastYear {
		return time.Time{}, false
	}
	return t.UTC(), true
}

func parseDate(s string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

func parseEpoch(s string) (time.Time, bool) {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		switch {
		case n < 1e11:
			return time.Unix(n, 0), true
		case n < 1e14:
			return time.UnixMilli(n), true
		case n < 1e17:
			return time.UnixMicro(n), true
		default:
			return time.Unix(0, n), true
		}
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(f) || f < 0 || f >= 1e17 {
		return time.Time{}, false
	}
	switch { // a fraction: of seconds or of milliseconds
	case f < 1e11:
		whole, part := math.Modf(f)
		return time.Unix(int64(whole), int64(math.Round(part*1e6))*1000), true
	case f < 1e14:
		return time.UnixMicro(int64(math.Round(f * 1000))), true
	default:
		return time.UnixMicro(int64(f)), true
	}
}

// parseSeconds understands a number of seconds.
func parseSeconds(s string) (time.Duration, bool) {
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || math.IsNaN(f) || math.Abs(f) > maxOffset.Seconds() {
		return 0, false
	}
	return time.Duration(math.Round(f*1e6)) * time.Microsecond, true
}

// parseMillis understands a number of milliseconds.
func parseMillis(s string) (time.Duration, bool) {
	return parseSeconds(strings.TrimSpace(s) + "e-3")
}

// parseClock understands "1:02:03.5", "-0:07" and "1m2.5s".
func parseClock(s string) (time.Duration, bool) {
	s = strings.TrimSpace(s)
	if !strings.Contains(s, ":") {
		d, err := time.ParseDuration(s)
		return d, err == nil && d.Abs() <= maxOffset
	}
	minus := strings.HasPrefix(s, "-")
	parts := strings.Split(strings.TrimPrefix(s, "-"), ":")
	if len(parts) > 3 {
		return 0, false
	}
	var total float64
	for _, p := range parts {
		f, err := strconv.ParseFloat(p, 64)
		if err != nil || math.IsNaN(f) || f < 0 || f > 1e9 {
			return 0, false
		}
		total = total*60 + f
	}
	if total > maxOffset.Seconds() {
		return 0, false
	}
	d := time.Duration(math.Round(total*1e6)) * time.Microsecond
	if minus {
		d = -d
	}
	return d, true
}

// when takes the time and the offset that a record states, either of which may be empty. One that makes no sense is passed over when the other
// does; when neither does, the record has no place, and the reason says so.
func (f *found) when(at, offset string, parse func(string) (time.Duration, bool)) (reason string) {
	timed := false
	if at != "" {
		f.At, timed = parseTime(at)
	}
	if offset != "" {
		f.Offset, f.hasOffset = parse(offset)
	}
	switch {
	case at != "" && !timed && !f.hasOffset:
		return reasonTime
	case offset != "" && !f.hasOffset && !timed:
		return reasonOffset
	}
	return ""
}

// timeline gives each comment both a time and an offset, whichever of the two its record has.
type timeline struct {
	start time.Time // ReplayConfig.Start: zero keeps the recording's own times
	base  time.Time // the recording's own time of offset zero, once known
	last  time.Duration
}

// place fills in what is missing. It answers a reason when the result makes no sense.
func (l *timeline) place(f *found) (reason string) {
	if l.base.IsZero() && !f.At.IsZero() {
		l.base = f.At
		if f.hasOffset {
			l.base = f.At.Add(-f.Offset)
		}
	}
	switch {
	case f.hasOffset:
	case !f.At.IsZero():
		f.Offset = f.At.Sub(l.base)
	default: // neither: as the row before
		f.Offset = l.last
	}
	if f.Offset.Abs() > maxOffset {
		return reasonOffset
	}
	switch {
	case !l.start.IsZero():
		f.At = l.start.Add(f.Offset)
	case !f.At.IsZero():
	case !l.base.IsZero():
		f.At = l.base.Add(f.Offset)
	default:
		f.At = NoDate.Add(f.Offset)
	}
	l.last = f.Offset
	return ""
}
