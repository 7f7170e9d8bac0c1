package backendtest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
)

// Server is a model server on loopback that speaks chat completions.
type Server struct {
	URL string // the base URL, ending in /v1

	t    testing.TB
	mind func(Seen) Answer

	mu     sync.Mutex // guards script, seen, and gone
	script []Answer
	seen   []Seen
	gone   chan struct{}
}

// Seen is one request as it came.
type Seen struct {
	N       int // the first one is 1
	Header  http.Header
	Body    []byte
	Chat    Chat
	Refused string // why the server would not take it, "" when it did
}

// Chat is the part of a request that tests look at.
type Chat struct {
	Model    string    `json:"model"`
	Stream   bool      `json:"stream"`
	Messages []Message `json:"messages"`
	Tools    []struct {
		Type     string `json:"type"`
		Function struct {
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
	ResponseFormat json.RawMessage `json:"response_format"`
	StreamOptions  json.RawMessage `json:"stream_options"`
}

// Message is one message of a request.
type Message struct {
	Role      string `json:"role"`
	Content   string `json:"content"`
	ToolCall  string `json:"tool_call_id"`
	ToolCalls []struct {
		ID       string `json:"id"`
		Type     string `json:"type"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// Text joins what messages of some roles hold, for searching it.
func (c Chat) Text(roles ...string) string {
	var text string
	for _, m := range c.Messages {
		if slices.Contains(roles, m.Role) {
			text += m.Content + "\n"
		}
	}
	return text
}

// NewServer starts a server that gives the answers in order; after the last one it says "ok". It ends with the test.
func NewServer(t testing.TB, answers ...Answer) *Server {
	t.Helper()
	s := &Server{t: t, script: answers, gone: make(chan struct{}, 64)}
	return s.start()
}

// NewMind starts a server that answers what a function says. It may be asked from several goroutines.
func NewMind(t testing.TB, mind func(Seen) Answer) *Server {
	t.Helper()
	s := &Server{t: t, mind: mind, gone: make(chan struct{}, 64)}
	return s.start()
}

func (s *Server) start() *Server {
	h := httptest.NewServer(http.HandlerFunc(s.serve))
	s.URL = h.URL + "/v1"
	s.t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
	})
	return s
}

// Requests are those that came so far.
func (s *Server) Requests() []Seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// Last is the newest request.
func (s *Server) Last() Seen {
	s.t.Helper()
	all := s.Requests()
	if len(all) == 0 {
		s.t.Fatal("nothing was asked of the model server")
	}
	return all[len(all)-1]
}

// Gone receives once for each request that its client gave up while the server was still answering.
func (s *Server) Gone() <-chan struct{} { return s.gone }

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has left
	}
	seen := Seen{Header: r.Header.Clone(), Body: body}
	refusal := check(r, body, &seen.Chat)
	seen.Refused = refusal.message
	answer := s.next(&seen)
	if refusal.message != "" {
		answer = Answer{Status: refusal.status, Body: vendorError(refusal)}
	}
	if !answer.write(w, r, seen.Chat.Model) {
		select {
		case s.gone <- struct{}{}:
		default:
		}
	}
}

// next keeps a request and takes the answer that is due. A refused request uses none up.
func (s *Server) next(seen *Seen) Answer {
	s.mu.Lock()
	seen.N = len(s.seen) + 1
	s.seen = append(s.seen, *seen)
	if seen.Refused != "" {
		s.mu.Unlock()
		return Answer{}
	}
	if s.mind != nil {
		s.mu.Unlock()
		return s.mind(*seen)
	}
	defer s.mu.Unlock()
	if len(s.script) == 0 {
		return Answer{Text: "ok"}
	}
	a := s.script[0]
	s.script = s.script[1:]
	return a
}
