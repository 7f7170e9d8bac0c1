package backendtest

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
)

// Answer is what the server says to one request. The zero Answer says nothing and ends well.
type Answer struct {
	Reasoning string
	Text      string // streamed in pieces
	Calls     []Call
	Finish    string // finish_reason; empty: "tool_calls" or "stop", whichever fits. "-": none is sent
	NoUsage   bool

	Chunks []string // the data of each event, as they are, instead of all the above
	Cut    bool     // the stream breaks off: no finish_reason, no [DONE]
	Hang   bool     // after what there is, nothing more comes until the client leaves

	Status int         // not 200: Body is the answer
	Header http.Header // sent beside it
	Body   string      // with 200: sent as it is, as JSON, though a stream was asked for
}

// Call is a tool call of an answer.
type Call struct {
	ID, Name  string
	Arguments string // valid JSON or not
	NoIndex   bool   // as some servers do
	Whole     bool   // everything in one piece; otherwise in several
}

// write sends an answer and says whether its client stayed until the end.
func (a Answer) write(w http.ResponseWriter, r *http.Request, model string) bool {
	maps.Copy(w.Header(), a.Header)
	if a.Body != "" || (a.Status != 0 && a.Status != http.StatusOK) {
		if w.Header().Get("Content-Type") == "" {
			w.Header().Set("Content-Type", "application/json")
		}
		w.WriteHeader(max(a.Status, http.StatusOK))
		_, err := io.WriteString(w, a.Body)
		return err == nil
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	chunks := a.Chunks
	if chunks == nil {
		chunks = a.chunks(model)
	}
	for _, c := range chunks {
		if _, err := fmt.Fprintf(w, "data: %s\n\n", c); err != nil {
			return false
		}
		_ = http.NewResponseController(w).Flush() // a recorder cannot flush, and need not
	}
	switch {
	case a.Hang:
		<-r.Context().Done()
		return false
	case a.Cut:
		return true
	}
	_, err := io.WriteString(w, "data: [DONE]\n\n")
	return err == nil
}

func (a Answer) chunks(model string) []string {
	e := events{model: model}
	e.delta(map[string]any{"role": "assistant", "content": ""}, "")
	if a.Reasoning != "" {
		e.delta(map[string]any{"reasoning_content": a.Reasoning}, "")
	}
	for _, piece := range pieces(a.Text) {
		e.delta(map[string]any{"content": piece}, "")
	}
	for i, c := range a.Calls {
		e.call(i, c)
	}
	if a.Cut || a.Hang {
		return e.all
	}
	finish := a.Finish
	switch {
	case finish == "-":
		finish = ""
	case finish == "" && len(a.Calls) > 0:
		finish = "tool_calls"
	case finish == "":
		finish = "stop"
	}
	if finish != "" {
		e.delta(map[string]any{}, finish)
	}
	if !a.NoUsage {
		e.add(map[string]any{"choices": []any{}, "usage": map[string]int{"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}})
	}
	return e.all
}

// events collects the data of a stream.
type events struct {
	model string
	all   []string
}

func (e *events) add(chunk map[string]any) {
	chunk["id"], chunk["object"], chunk["model"] = "chatcmpl-1", "chat.completion.chunk", e.model
	data, err := json.Marshal(chunk)
	if err != nil {
		panic(err) // a test wrote something that cannot be sent
	}
	e.all = append(e.all, string(data))
}

func (e *events) delta(delta map[string]any, finish string) {
	choice := map[string]any{"index": 0, "delta": delta, "finish_reason": nil}
	if finish != "" {
		choice["finish_reason"] = finish
	}
	e.add(map[string]any{"choices": []any{choice}})
}

func (e *events) call(i int, c Call) {
	send := func(id, name, arguments string) {
		function := map[string]any{"arguments": arguments}
		call := map[string]any{"function": function}
		if id != "" {
			call["id"], call["type"] = id, "function"
		}
		if name != "" {
			function["name"] = name
		}
		if !c.NoIndex {
			call["index"] = i
		}
		e.delta(map[string]any{"tool_calls": []any{call}}, "")
	}
	if c.Whole {
		send(c.ID, c.Name, c.Arguments)
		return
	}
	send(c.ID, c.Name, "")
	for _, piece := range pieces(c.Arguments) {
		send("", "", piece)
	}
}

// pieces cuts a text at runes, so that it comes as a stream does.
func pieces(s string) []string {
	const size = 5
	runes := []rune(s)
	var out []string
	for len(runes) > size {
		out = append(out, string(runes[:size]))
		runes = runes[size:]
	}
	if len(runes) > 0 {
		out = append(out, string(runes))
	}
	return out
}
