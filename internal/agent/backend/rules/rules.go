package rules

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strings"

	"urakata/internal/agent"
	"urakata/internal/lang"
)

// Name is what a person is told.
const Name = "rules"

// Config makes a Backend. Catalogue holds its words; without one it can say nothing and every step is an error.
type Config struct {
	Catalogue *lang.Catalogue
}

// Backend answers by rules.
type Backend struct {
	words *lang.Catalogue
}

// New makes a backend. It starts nothing.
func New(c Config) *Backend { return &Backend{words: c.Catalogue} }

// Name says "rules".
func (b *Backend) Name() string { return Name }

// Capabilities says what rules can do: everything here, and nothing that needs a network.
func (b *Backend) Capabilities() agent.Capabilities {
	return agent.Capabilities{Text: true, Streaming: true, Tools: true, Interruption: true, Offline: true}
}

// Stream answers one step.
func (b *Backend) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Delta, error] {
	return func(yield func(agent.Delta, error) bool) {
		a, err := b.answer(ctx, req)
		if err != nil {
			yield(agent.Delta{}, err)
			return
		}
		stop := agent.StopEnd
		if a.text != "" && !yield(agent.Delta{Text: a.text}, nil) {
			return
		}
		for i, c := range a.calls {
			call := agent.ToolCall{ID: fmt.Sprintf("call_%s_%d_%d", req.Turn, req.Step, i+1), Tool: c.tool, Arguments: c.arguments()}
			if !yield(agent.Delta{Call: &call}, nil) {
				return
			}
			stop = agent.StopCalls
		}
		yield(agent.Delta{Usage: &agent.Usage{Known: true}, Model: Name, Stop: stop}, nil)
	}
}

// answer is what is said in one step: words, or calls.
type answer struct {
	text  string
	calls []call
}

func (b *Backend) answer(ctx context.Context, req *agent.Request) (answer, error) {
	if err := ctx.Err(); err != nil {
		return answer{}, fmt.Errorf("rules: %w", context.Cause(ctx))
	}
	if b.words == nil {
		return answer{}, &agent.BackendError{Backend: Name, Code: "refused", Say: "the rules were made without a catalogue of words"}
	}
	h, err := hear(req)
	if err != nil {
		return answer{}, &agent.BackendError{Backend: Name, Code: "protocol", Say: "the observations cannot be read", Err: err}
	}
	p := b.words.Printer(req.Language)
	switch {
	case h.repair != nil:
		return answer{text: h.repair.mend()}, nil
	case h.report != nil && !h.reported && offers(req, toolReport):
		return answer{calls: []call{report(*h.report, p)}}, nil
	case len(h.briefings) > 0 || h.report != nil:
		return h.work(p), nil
	case len(req.Output) == 0:
		return answer{text: p.Text("rules.talk")}, nil
	case wantsCards(req.Output):
		return answer{text: cards(nil)}, nil
	}
	return answer{}, &agent.BackendError{Backend: Name, Code: "refused", Say: "the rules can answer with cards only, and something else was asked for"}
}

// work is the staff's work: proposals first; once they have results, or when there are none, the cards.
func (h *heard) work(p lang.Printer) answer {
	s := h.now(p)
	if !h.proposed {
		if calls := s.proposals(); len(calls) > 0 {
			return answer{calls: calls}
		}
	}
	return answer{text: cards(s.cards())}
}

func wantsCards(schema json.RawMessage) bool {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	return json.Unmarshal(schema, &s) == nil && s.Properties["cards"] != nil
}

// card is one thing to tell, as the schema of an answer wants it.
type card struct {
	Kind      string   `json:"kind"`
	Severity  string   `json:"severity"`
	Observed  string   `json:"observed"`
	Suggested string   `json:"suggested"`
	Evidence  []string `json:"evidence"`
}

// cards writes an answer. The letters stay readable: no escapes for <, > and &.
func cards(list []card) string {
	if list == nil {
		list = []card{}
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(map[string][]card{"cards": list}); err != nil {
		return `{"cards":[]}` // texts and lists of texts always encode
	}
	return strings.TrimSpace(b.String())
}
