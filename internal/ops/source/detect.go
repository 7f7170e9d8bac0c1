package source

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Names of the formats, as Health.Format and Detect say them.
const (
	FormatOurs             = "json-lines"
	FormatChatDownloader   = "chat-downloader"
	FormatTwitchDownloader = "twitch-downloader"
	FormatLiveChat         = "yt-dlp-live-chat"
	FormatIRC              = "twitch-irc"
)

// ErrFormat says that a recording is in no format known here. Its text names what was looked for.
var ErrFormat = errors.New(`not a chat recording known here; looked for our JSON lines ("text" with "author", "at" or "id"), ` +
	`chat-downloader JSON ("message" with "author" or "time_in_seconds"), TwitchDownloader JSON ("comments" with "commenter"), ` +
	`yt-dlp live_chat.json ("replayChatItemAction") and Twitch IRC lines ("@…tags :nick PRIVMSG #channel :…")`)

// ErrEmpty says that a recording holds nothing at all.
var ErrEmpty = errors.New("the recording is empty")

// Detect names the format of a recording by its content. It reads only the beginning, and undoes gzip and encodings as a Replay does.
func Detect(r io.Reader) (format string, err error) {
	in, err := newInput(io.NopCloser(r), 0)
	if err != nil {
		return "", fmt.Errorf("detect: %w", err)
	}
	s, err := detect(in)
	if err != nil {
		return "", fmt.Errorf("detect: %w", err)
	}
	return s.format, nil
}

// shape is what detection finds: the format, and whether records are lines or elements of an array.
type shape struct {
	format string
	array  bool
}

func detect(in *input) (shape, error) {
	head, err := in.Peek(headBytes)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, errDamaged) {
		return shape{}, err
	}
	text := bytes.TrimLeft(head, " \t\r\n\x00\uFEFF")
	if len(text) == 0 {
		return shape{}, ErrEmpty
	}
	if text[0] == '[' || text[0] == '{' {
		if s, ok := detectJSON(text); ok {
			return s, nil
		}
	}
	for line := range bytes.Lines(text) {
		line = visible(line)
		switch {
		case line == nil:
		case line[0] == '{':
			if s, ok := detectJSON(line); ok && !s.array {
				return s, nil
			}
		case looksIRC(line):
			return shape{format: FormatIRC}, nil
		}
	}
	return shape{}, ErrFormat
}

// detectJSON looks at the keys of the first value: its own, or those of the first object in its array that tells.
func detectJSON(text []byte) (shape, bool) {
	w := walker{dec: json.NewDecoder(bytes.NewReader(text))}
	w.dec.UseNumber()
	tok, err := w.dec.Token()
	if err != nil {
		return shape{}, false
	}
	if tok == json.Delim('[') {
		return w.array(shape{format: FormatOurs, array: true})
	}
	keys := map[string]bool{}
	for {
		tok, err := w.dec.Token()
		key, isKey := tok.(string)
		if err != nil || !isKey {
			break // the end, or the end of what was looked at
		}
		keys[key] = true
		if key == "comments" || key == "items" {
			fallback := shape{format: FormatOurs, array: true}
			if keys["streamer"] || keys["FileInfo"] || keys["video"] {
				fallback.format = FormatTwitchDownloader
			}
			if tok, err = w.dec.Token(); err == nil && tok == json.Delim('[') {
				return w.array(fallback)
			}
			break
		}
		if !w.skip() {
			break
		}
	}
	format := formatOf(keys)
	return shape{format: format}, format != ""
}

// walker walks the tokens of a value that may break off.
type walker struct{ dec *json.Decoder }

// skip passes over one value.
func (w *walker) skip() bool {
	depth := 0
	for {
		tok, err := w.dec.Token()
		if err != nil {
			return false
		}
		switch tok {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return true
		}
	}
}

// array looks for the first element whose keys tell. An array without elements is an empty recording of the fallback's format.
func (w *walker) array(fallback shape) (shape, bool) {
	for n := 0; ; n++ {
		tok, err := w.dec.Token()
		if err != nil {
			return fallback, fallback.format == FormatTwitchDownloader
		}
		if tok == json.Delim(']') {
			return fallback, n == 0 || fallback.format == FormatTwitchDownloader
		}
		if tok != json.Delim('{') {
			if tok == json.Delim('[') {
				return shape{}, false
			}
			continue
		}
		keys := map[string]bool{}
		whole := true
		for whole {
			tok, err := w.dec.Token()
			key, isKey := tok.(string)
			if err != nil || !isKey {
				break
			}
			keys[key] = true
			whole = w.skip()
		}
		if format := formatOf(keys); format != "" {
			return shape{format: format, array: true}, true
		}
	}
}

// formatOf tells the format from the keys of one record.
func formatOf(keys map[string]bool) string {
	has := func(names ...string) bool {
		for _, n := range names {
			if keys[n] {
				return true
			}
		}
		return false
	}
	switch {
	case has("replayChatItemAction", "addChatItemAction"):
		return FormatLiveChat
	case has("content_offset_seconds", "commenter") && has("message", "_id"):
		return FormatTwitchDownloader
	case has("message", "action_type") && has("author", "time_in_seconds", "time_text", "message_id", "message_type") && !has("text"):
		return FormatChatDownloader
	case has("text", "kind") && has("author", "authorId", "at", "timestamp", "offset", "id", "platform"):
		return FormatOurs
	}
	return ""
}

// importer understands the records of one format.
type importer interface {
	// read adds what one record says to out: at least one thing, a comment or why there is none.
	read(raw []byte, out []found) []found
	// head is told of the members of a recording that stand before its comments.
	head(key string, raw []byte)
}

func newImporter(format string) importer {
	switch format {
	case FormatChatDownloader:
		return chatDownloader{}
	case FormatTwitchDownloader:
		return &twitchDownloader{}
	case FormatLiveChat:
		return liveChat{}
	case FormatIRC:
		return irc{}
	default:
		return ours{}
	}
}
