package openai

import (
	"encoding/json"
	"fmt"

	sdk "github.com/openai/openai-go/v3"

	"urakata/internal/agent"
)

// reader makes deltas of the chunks of a stream.
type reader struct {
	tools  names
	req    *agent.Request
	yield  func(agent.Delta, error) bool
	calls  []*part
	usage  *agent.Usage
	model  string
	finish string
	chunks int
	spoke  bool // something was handed on: the step cannot be asked again unseen
	gone   bool // nobody listens any more
	think  thinking
}

// part is a tool call that is still coming in.
type part struct {
	index     int64
	indexed   bool
	id, name  string
	arguments string
}

// chunk reads one piece and says whether to go on.
func (r *reader) chunk(c sdk.ChatCompletionChunk) bool {
	r.chunks++
	if c.Model != "" {
		r.model = c.Model
	}
	if c.JSON.Usage.Valid() && c.Usage.JSON.PromptTokens.Valid() {
		u := agent.Usage{Known: true, Input: int(c.Usage.PromptTokens), Output: int(c.Usage.CompletionTokens), Total: int(c.Usage.TotalTokens)}
		if u.Total == 0 {
			u.Total = u.Input + u.Output
		}
		r.usage = &u
	}
	if len(c.Choices) == 0 {
		return true
	}
	choice := c.Choices[0]
	if choice.FinishReason != "" {
		r.finish = choice.FinishReason
	}
	for _, name := range []string{"reasoning_content", "reasoning"} {
		if f, ok := choice.Delta.JSON.ExtraFields[name]; ok {
			var text string
			if json.Unmarshal([]byte(f.Raw()), &text) == nil && text != "" {
				r.say(agent.Delta{Reasoning: text})
				break
			}
		}
	}
	if choice.Delta.Refusal != "" {
		r.finish = "content_filter"
	}
	if text := choice.Delta.Content + choice.Delta.Refusal; text != "" {
		said, thought := r.think.split(text)
		r.say(agent.Delta{Text: said, Reasoning: thought})
	}
	for _, t := range choice.Delta.ToolCalls {
		r.part(t)
	}
	return !r.gone
}

func (r *reader) say(d agent.Delta) {
	if r.gone || (d.Text == "" && d.Reasoning == "" && d.Call == nil && d.Stop == "") {
		return
	}
	r.spoke = true
	r.gone = !r.yield(d, nil)
}

// part puts a piece of a call where it belongs. Servers number calls, or number all of them 0, or not at all; a new id always begins a new call.
func (r *reader) part(t sdk.ChatCompletionChunkChoiceDeltaToolCall) {
	p := r.find(t)
	if p == nil {
		p = &part{index: t.Index, indexed: t.JSON.Index.Valid()}
		r.calls = append(r.calls, p)
	}
	if p.id == "" {
		p.id = t.ID
	}
	if p.name == "" {
		p.name = t.Function.Name
	}
	p.arguments += t.Function.Arguments
}

func (r *reader) find(t sdk.ChatCompletionChunkChoiceDeltaToolCall) *part {
	indexed := t.JSON.Index.Valid()
	for i := len(r.calls) - 1; i >= 0; i-- {
		p := r.calls[i]
		if indexed && p.indexed && p.index != t.Index {
			continue
		}
		switch {
		case t.ID != "" && p.id != "" && t.ID != p.id:
			return nil
		case t.ID == "" && t.Function.Name != "" && p.name != "" && json.Valid([]byte(p.arguments)):
			return nil // the one before is whole, and this one has a name of its own
		}
		return p
	}
	return nil
}

// end hands on the calls, the usage and the stop. Done says that the server said so itself.
func (r *reader) end(done bool) error {
	switch {
	case r.gone:
		return nil
	case r.chunks == 0:
		return errNothing
	case r.finish == "error":
		return errServer
	case r.finish == "" && !done:
		return errCut
	}
	said, thought := r.think.rest()
	r.say(agent.Delta{Text: said, Reasoning: thought})
	used := map[string]bool{}
	for _, m := range r.req.Messages {
		for _, c := range m.Calls {
			used[c.ID] = true
		}
	}
	for i, p := range r.calls {
		id := p.id
		if id == "" || used[id] {
			id = fmt.Sprintf("call_%s_%d_%d", safe(r.req.Turn), r.req.Step, i+1)
		}
		used[id] = true
		arguments := p.arguments
		if arguments == "" || arguments == "null" {
			arguments = "{}" // a call without arguments
		}
		r.say(agent.Delta{Call: &agent.ToolCall{ID: id, Tool: r.tools.tool(p.name), Arguments: arguments}})
	}
	r.say(agent.Delta{Usage: r.usage, Model: r.model, Stop: r.stop()})
	return nil
}

// stop says why the step ended. That there are calls counts more than what the server says of it.
func (r *reader) stop() agent.StopReason {
	switch {
	case len(r.calls) > 0:
		return agent.StopCalls
	case r.finish == "length":
		return agent.StopLength
	case r.finish == "content_filter":
		return agent.StopFilter
	}
	return agent.StopEnd
}
