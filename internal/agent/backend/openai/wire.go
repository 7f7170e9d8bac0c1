package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Bounds of what is read of an answer that is no stream.
const (
	maxErrorBody = 64 << 10
	maxWholeBody = 8 << 20
)

// failure is one attempt that did not end well, and what the wire said of it.
type failure struct {
	sent   [2]bool // by field
	key    string
	status int
	body   string // of an answer that is an error, bounded
	after  time.Duration
	done   bool // the server ended the stream itself
	spoke  bool // part of the answer was handed on
	err    error
}

// watch stands between the SDK and the wire: it keeps what the SDK loses of an error, and makes a stream of an answer that is none.
func (f *failure) watch(req *http.Request, next func(*http.Request) (*http.Response, error)) (*http.Response, error) {
	if f.key == "" {
		req.Header.Del("Authorization")
	}
	res, err := next(req)
	if err != nil || res == nil {
		return res, err
	}
	f.status = res.StatusCode
	f.after = retryAfter(res.Header, time.Now())
	switch {
	case res.StatusCode >= http.StatusBadRequest:
		body, err := io.ReadAll(io.LimitReader(res.Body, maxErrorBody))
		if err != nil {
			body = nil // the status says enough
		}
		_ = res.Body.Close() // it was read
		f.body = string(body)
		res.Body = io.NopCloser(bytes.NewReader(body))
		return res, nil
	case isJSON(res.Header):
		return res, f.unfold(res)
	}
	res.Body = &watched{ReadCloser: res.Body, f: f}
	return res, nil
}

func isJSON(h http.Header) bool {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	return err == nil && kind == "application/json"
}

// unfold makes a stream of one event of a whole answer.
func (f *failure) unfold(res *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(res.Body, maxWholeBody))
	_ = res.Body.Close() // it was read
	if err != nil {
		return fmt.Errorf("answer: %w", err)
	}
	var whole map[string]json.RawMessage
	var choices []map[string]json.RawMessage
	if json.Unmarshal(body, &whole) != nil || (whole["error"] == nil && json.Unmarshal(whole["choices"], &choices) != nil) {
		body = nil
	}
	if len(choices) > 0 {
		for _, c := range choices {
			if m, ok := c["message"]; ok {
				c["delta"] = m
				delete(c, "message")
			}
		}
		if whole["choices"], err = json.Marshal(choices); err == nil {
			body, err = json.Marshal(whole)
		}
		if err != nil {
			return fmt.Errorf("answer: %w", err)
		}
	}
	var line bytes.Buffer
	if body != nil && json.Compact(&line, body) == nil {
		line = *bytes.NewBufferString("data: " + line.String() + "\n\ndata: [DONE]\n\n")
		f.done = true
	}
	res.Header.Set("Content-Type", "text/event-stream")
	res.Body = io.NopCloser(&line)
	return nil
}

// watched notes whether the server ended the stream itself.
type watched struct {
	io.ReadCloser
	f    *failure
	tail []byte
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	const mark = "[DONE]"
	w.tail = append(w.tail, p[:n]...)
	if bytes.Contains(w.tail, []byte(mark)) {
		w.f.done = true
	}
	w.tail = append(w.tail[:0], w.tail[max(0, len(w.tail)-len(mark)):]...)
	return n, err
}

// retryAfter reads how long a server asks to wait, in seconds or as a date; 0 when it does not say.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 && ms < 1e9 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	say := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(say, 64); err == nil && s > 0 && s < 1e6 {
		return time.Duration(s * float64(time.Second))
	}
	if at, err := http.ParseTime(say); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}
