package source_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"urakata/internal/ops/comment"
	"urakata/internal/ops/source"
)

const (
	lineA = `{"id":"a","text":"first","at":"2026-11-14T12:00:00Z","author":{"id":"1","name":"A"}}`
	lineB = `{"id":"b","text":"second","at":"2026-11-14T12:00:01Z","author":{"id":"2","name":"B"}}`
)

func zipped(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, s)
	z.Close()
	return b.String()
}

func encoded(t *testing.T, e encoding.Encoding, s string) string {
	t.Helper()
	out, err := e.NewEncoder().String(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestHostileRecordings(t *testing.T) {
	long := strings.Repeat("x", source.MaxRecord)
	both := lineA + "\n" + lineB + "\n"
	for _, tt := range []struct {
		name, text string
		want       []string // texts
		skipped    []string
		duplicates int64
	}{
		{"plain lines", both, []string{"first", "second"}, nil, 0},
		{"the last line has no end", lineA + "\n" + lineB, []string{"first", "second"}, nil, 0},
		{"Windows line ends and blank lines", "\r\n" + lineA + "\r\n\r\n  \r\n" + lineB + "\r\n", []string{"first", "second"}, nil, 0},
		{"gzip", zipped(both), []string{"first", "second"}, nil, 0},
		{"gzip files joined", zipped(lineA+"\n") + zipped(lineB+"\n"), []string{"first", "second"}, nil, 0},
		{"gzip that is cut off", zipped(both + strings.Repeat(" ", 100))[:len(zipped(both+strings.Repeat(" ", 100)))-9], []string{"first", "second"}, []string{"3 the compressed data is damaged or cut off from here on"}, 0},
		{"UTF-8 with a byte order mark", "\uFEFF" + both, []string{"first", "second"}, nil, 0},
		{"UTF-16 little endian", encoded(t, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), both), []string{"first", "second"}, nil, 0},
		{"UTF-16 big endian", encoded(t, unicode.UTF16(unicode.BigEndian, unicode.UseBOM), both), []string{"first", "second"}, nil, 0},
		{"UTF-16 without a mark", encoded(t, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), both), []string{"first", "second"}, nil, 0},
		{"UTF-32 little endian", encoded(t, utf32.UTF32(utf32.LittleEndian, utf32.UseBOM), both), []string{"first", "second"}, nil, 0},
		{"UTF-32 big endian, zipped", zipped(encoded(t, utf32.UTF32(utf32.BigEndian, utf32.UseBOM), both)), []string{"first", "second"}, nil, 0},
		{"a broken line between good ones", lineA + "\n{\"id\":\n" + lineB, []string{"first", "second"}, []string{"2 broken JSON"}, 0},
		{"a broken line first", "{\"id\": \"x, \n" + both, []string{"first", "second"}, []string{"1 broken JSON"}, 0},
		{"lines that are not objects", lineA + "\n[1]\n\"x\"\nnull\n7\n" + lineB, []string{"first", "second"}, []string{"2 not a JSON object", "3 not a JSON object", "4 not a JSON object", "5 not a JSON object"}, 0},
		{"a line over 1 MiB", lineA + "\n{\"id\":\"l\",\"text\":\"" + long + "\"}\n" + lineB, []string{"first", "second"}, []string{"2 record is longer than 1 MiB"}, 0},
		{"a line over 1 MiB first", "{\"id\":\"l\",\"text\":\"" + long + "\"}\n" + both, []string{"first", "second"}, []string{"1 record is longer than 1 MiB"}, 0},
		{"an element over 1 MiB", "[" + lineA + ",{\"text\":\"" + long + "\"}," + lineB + "]", []string{"first", "second"}, []string{"2 record is longer than 1 MiB"}, 0},
		{"a row twice", both + lineA, []string{"first", "second"}, nil, 1},
		{"an array with commas too many", "[" + lineA + ",, " + lineB + " ,]", []string{"first", "second"}, nil, 0},
		{"an array that breaks off", "[" + lineA + "," + lineB + ",{\"text\":", []string{"first", "second"}, []string{"3 the recording ends in the middle of this record"}, 0},
		{"an array with other things", "[1,null," + lineA + ",\"x\",[2],{}," + lineB + "]", []string{"first", "second"}, []string{"1 not a JSON object", "2 not a JSON object", "4 not a JSON object", "5 not a JSON object", "6 no text"}, 0},
		{"an object with comments", `{"title":"[","big":{"a":[1,{"b":"}"}]},"comments":[` + lineA + "," + lineB + `],"after":1}`, []string{"first", "second"}, nil, 0},
		{"a list of the API", `{"items":[` + lineA + "," + lineB + `],"next":null}`, []string{"first", "second"}, nil, 0},
		{"an empty list", `{"comments":[]}`, nil, nil, 0},
		{"NUL in the file and in a text", lineA + "\n\x00{\"id\":\"n\",\"text\":\"a\\u0000b\x00c\",\"at\":1793534400}\x00\n", []string{"first", "abc"}, nil, 0},
		{"a lone surrogate", `{"id":"s","text":"\ud83d and \udc00x","at":1793534400}`, []string{"\uFFFD and \uFFFDx"}, nil, 0},
		{"invalid UTF-8", "{\"id\":\"s\",\"text\":\"ok \xff\xfe\",\"at\":1793534400,\"author\":{\"name\":\"\xc3\"}}", []string{"ok \uFFFD"}, nil, 0},
		{"markup and direction marks stay as written", `{"id":"m","text":"<script>alert(1)</script> \u202Egnp.exe","at":1793534400}`, []string{"<script>alert(1)</script> \u202Egnp.exe"}, nil, 0},
		{"nothing written", lineA + "\n{\"id\":\"e\",\"at\":1793534400}\n{\"id\":\"e2\",\"text\":\"\",\"at\":1793534400}", []string{"first"}, []string{"2 no text", "3 no text"}, 0},
		{"a kind of its own", `{"id":"k","text":"words","kind":"probe","at":1793534400}` + "\n" + `{"id":"k2","kind":"probe","at":1793534400}`, []string{"words"}, []string{"2 unknown kind of row: probe"}, 0},
		{"fields of the wrong type", `{"id":7,"text":true,"at":[],"author":[],"money":"much","raid":{},"platform":{},"topic":null}`, []string{"true"}, nil, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, skips, h := play(t, tt.text, source.ReplayConfig{})
			var texts, skipped []string
			for _, c := range got {
				texts = append(texts, c.Text)
				if !utf8.ValidString(c.Text) || !utf8.ValidString(c.Author.Name) || strings.Contains(c.Text, "\x00") {
					t.Errorf("unclean: %q by %q", c.Text, c.Author.Name)
				}
			}
			for _, s := range skips {
				skipped = append(skipped, fmt.Sprintf("%d %s", s.Line, s.Reason))
			}
			if diff := cmp.Diff(tt.want, texts); diff != "" {
				t.Errorf("texts (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.skipped, skipped); diff != "" {
				t.Errorf("skipped (-want +got):\n%s", diff)
			}
			if h.Counts.Duplicates != tt.duplicates {
				t.Errorf("%d duplicates, want %d", h.Counts.Duplicates, tt.duplicates)
			}
		})
	}
}

func TestRecordingsThatAreNone(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		err        error
		says       string
	}{
		{"nothing", "", source.ErrEmpty, "empty"},
		{"space", "\uFEFF \r\n\n", source.ErrEmpty, "empty"},
		{"prose", "Dear diary,\ntoday nothing happened.\n", source.ErrFormat, "TwitchDownloader"},
		{"a log of something else", `{"level":"info","msg":"started"}` + "\n", source.ErrFormat, "live_chat.json"},
		{"an array of numbers", "[1,2,3]", source.ErrFormat, "JSON lines"},
		{"a picture", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", source.ErrFormat, "chat-downloader"},
		{"broken gzip", "\x1f\x8b\x00garbage", nil, "gzip"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := source.NewReplay(source.ReplayConfig{Name: "upload.bin", Open: file(tt.text)})
			if err == nil || tt.err != nil && !errors.Is(err, tt.err) || !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), "upload.bin") {
				t.Errorf("NewReplay: %v, want %v with %q and the file's name", err, tt.err, tt.says)
			}
		})
	}
}

func TestASmallFileThatUnfoldsWithoutEnd(t *testing.T) {
	bomb := zipped(lineA + "\n" + strings.Repeat(" ", 50<<20))
	r, err := source.NewReplay(source.ReplayConfig{Open: file(bomb), MaxBytes: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got, _, err := source.ReadAll(t.Context(), r)
	if len(got) != 1 || err == nil || !strings.Contains(err.Error(), "limit") {
		t.Errorf("%d comments, %v; want one, and then the limit", len(got), err)
	}
	if h := r.Health(); h.State != source.StateFailed || h.Err == "" {
		t.Errorf("health: %+v", h)
	}
}

func TestTimes(t *testing.T) {
	noon := time.Date(2026, 11, 14, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		name, at, offset string // as JSON
		want             time.Time
		wantOffset       time.Duration
		skipped          string
	}{
		{"RFC 3339", `"2026-11-14T21:00:00.5+09:00"`, ``, noon.Add(500 * time.Millisecond), 0, ""},
		{"without a zone", `"2026-11-14 12:00:00"`, ``, noon, 0, ""},
		{"seconds", `1794657600`, ``, noon, 0, ""},
		{"seconds with a fraction", `1794657600.25`, ``, noon.Add(250 * time.Millisecond), 0, ""},
		{"milliseconds", `1794657600000`, ``, noon, 0, ""},
		{"microseconds as text", `"1794657600000001"`, ``, noon.Add(time.Microsecond), 0, ""},
		{"nanoseconds", `1794657600000000007`, ``, noon.Add(7), 0, ""},
		{"with an offset in seconds", `1794657600`, `-12.5`, noon, -12500 * time.Millisecond, ""},
		{"with a clock", `1794657600`, `"-1:02:03"`, noon, -(time.Hour + 2*time.Minute + 3*time.Second), ""},
		{"with a duration", `1794657600`, `"2m3s"`, noon, 123 * time.Second, ""},
		{"as our own type marshals", `"2026-11-14T12:00:00Z"`, `61000000000`, noon, 61 * time.Second, ""},
		{"an offset alone", ``, `3`, source.NoDate.Add(3 * time.Second), 3 * time.Second, ""},
		{"neither", ``, ``, source.NoDate, 0, ""},
		{"the year 1970", `3`, ``, time.Time{}, 0, "the time"},
		{"the year 2101", `"2101-01-01T00:00:00Z"`, ``, time.Time{}, 0, "the time"},
		{"words", `"tomorrow: noon"`, ``, time.Time{}, 0, "the time"},
		{"a number past all numbers", `1e400`, ``, time.Time{}, 0, "the time"},
		{"not a number", `"NaN"`, ``, time.Time{}, 0, "the time"},
		{"a bad time beside a good offset", `"NaN"`, `5`, source.NoDate.Add(5 * time.Second), 5 * time.Second, ""},
		{"an offset past a year", ``, `40000000.5`, time.Time{}, 0, "the offset"},
		{"an endless offset", ``, `"Inf"`, time.Time{}, 0, "the offset"},
		{"an offset that is no number", ``, `"NaN"`, time.Time{}, 0, "the offset"},
		{"a bad offset beside a good time", `1794657600`, `1e300`, noon, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			line := `{"id":"x","text":"t","author":"A"`
			if tt.at != "" {
				line += `,"timestamp":` + tt.at
			}
			if tt.offset != "" {
				line += `,"offset":` + tt.offset
			}
			got, skips, _ := play(t, line+"}", source.ReplayConfig{})
			if tt.skipped != "" {
				if len(skips) != 1 || !strings.HasPrefix(skips[0].Reason, tt.skipped) {
					t.Errorf("skipped: %v, got %v, want %q", skips, got, tt.skipped)
				}
				return
			}
			if len(got) != 1 || !got[0].At.Equal(tt.want) || got[0].Offset != tt.wantOffset {
				t.Errorf("got %+v, want %v at %v", got, tt.want, tt.wantOffset)
			}
		})
	}
}

func TestAYearBetweenTwoRowsIsNotBelieved(t *testing.T) {
	text := lineA + "\n" + `{"id":"far","text":"from the future","at":"2031-01-01T00:00:00Z"}` + "\n" + lineB
	got, skips, _ := play(t, text, source.ReplayConfig{})
	if len(got) != 2 || got[1].Offset != time.Second || len(skips) != 1 || skips[0].Line != 2 {
		t.Errorf("got %v, skipped %v", got, skips)
	}
}

func TestLongParts(t *testing.T) {
	long := strings.Repeat("長", comment.MaxText) // three bytes each
	text := fmt.Sprintf(`{"id":%q,"text":%q,"at":1793534400,"author":{"id":"u","name":%q},"topic":%q}`, long, long, long, long)
	got, _, _ := play(t, text, source.ReplayConfig{})
	c := got[0]
	if !c.Truncated || len(c.Text) > comment.MaxText || len(c.Text) < comment.MaxText-2 || !utf8.ValidString(c.Text) {
		t.Errorf("text of %d bytes, truncated %v", len(c.Text), c.Truncated)
	}
	if len(c.ID) > 64 || len(c.Author.Name) > 256 || !utf8.ValidString(c.Author.Name) || len(c.Topic) > 512 {
		t.Errorf("id %d, name %d, topic %d bytes", len(c.ID), len(c.Author.Name), len(c.Topic))
	}
}

func TestIdsMadeFromContent(t *testing.T) {
	row := `{"text":"8888","offset":5,"author":{"id":"u"}}`
	other := `{"text":"8888","offset":5,"author":{"id":"v"}}`
	nobody := `{"text":"8888","offset":5}`
	text := strings.Join([]string{row, other, row, nobody, nobody}, "\n")
	first, _, h := play(t, text, source.ReplayConfig{})
	if len(first) != 4 || h.Counts.Duplicates != 1 {
		t.Fatalf("%d comments and %d duplicates, want 4 and 1: strangers are not one person", len(first), h.Counts.Duplicates)
	}
	again, _, _ := play(t, text, source.ReplayConfig{})
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("the second time (-first +second):\n%s", diff)
	}
}

func TestSkipsByTheMillion(t *testing.T) {
	var b strings.Builder
	b.WriteString(lineA + "\n")
	for i := range 5000 {
		fmt.Fprintf(&b, "{\"id\":\"%d\",\"kind\":\"kind%d\",\"at\":1}\n", i, i)
	}
	_, skips, h := play(t, b.String(), source.ReplayConfig{})
	if len(skips) > 400 || h.Counts.Skipped != 5000 || len(h.Counts.Reasons) > 65 {
		t.Errorf("%d details, %d skipped, %d reasons", len(skips), h.Counts.Skipped, len(h.Counts.Reasons))
	}
}
