package rules_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"urakata/internal/agent"
	"urakata/internal/agent/backend/rules"
	"urakata/internal/lang"
)

var update = flag.Bool("update", false, "write the golden files anew")

// deskTools are the tools of a desk by id, as a backend sees them.
func deskTools() []agent.ToolDef {
	var defs []agent.ToolDef
	for _, id := range []string{"operator.ask", "comments.stats", "report.submit", "chat.delete", "viewer.timeout", "chat.announce"} {
		defs = append(defs, agent.ToolDef{ID: id, Name: strings.ReplaceAll(id, ".", "_"), Parameters: json.RawMessage(`{"type":"object"}`)})
	}
	return defs
}

const cardSchema = `{"type":"object","properties":{"cards":{"type":"array"}}}`

// talk is a conversation with the rules, step by step, written down.
type talk struct {
	t    *testing.T
	mind agent.Backend
	req  agent.Request
	asks int
	log  strings.Builder
}

func newTalk(t *testing.T, language string) *talk {
	t.Helper()
	words, err := lang.Load()
	if err != nil {
		t.Fatal(err)
	}
	return &talk{t: t, mind: rules.New(rules.Config{Catalogue: words}), req: agent.Request{
		Turn: "turn_1", Language: language, Tools: deskTools(), Output: json.RawMessage(cardSchema),
	}}
}

func (k *talk) hear(kind string, data any) {
	k.t.Helper()
	raw, ok := data.(json.RawMessage)
	if !ok {
		var err error
		if raw, err = json.Marshal(data); err != nil {
			k.t.Fatal(err)
		}
	}
	k.req.Messages = append(k.req.Messages, agent.Message{Role: agent.RoleContext, Kind: kind, Data: raw})
}

// step asks once and puts the answer into the history.
func (k *talk) step() (text string, calls []agent.ToolCall) {
	k.t.Helper()
	k.req.Step++
	stops := 0
	for d, err := range k.mind.Stream(k.t.Context(), &k.req) {
		if err != nil {
			k.t.Fatal(err)
		}
		text += d.Text
		if d.Call != nil {
			calls = append(calls, *d.Call)
		}
		if d.Stop != "" {
			stops++
			if (d.Stop == agent.StopCalls) != (len(calls) > 0) {
				k.t.Errorf("stop %q with %d calls", d.Stop, len(calls))
			}
		}
	}
	if stops != 1 {
		k.t.Errorf("%d stops", stops)
	}
	k.req.Messages = append(k.req.Messages, agent.Message{Role: agent.RoleAssistant, Text: text, Calls: calls})
	for _, c := range calls {
		result := `{"status":"waiting-for-approval"}`
		if c.Tool == "operator.ask" {
			k.asks++
			result = fmt.Sprintf(`{"question":"qst_%d","state":"waiting"}`, k.asks)
		}
		k.req.Messages = append(k.req.Messages, agent.Message{Role: agent.RoleTool, Call: c.ID, Tool: c.Tool, Text: result})
		fmt.Fprintf(&k.log, "%s %s\n", c.Tool, c.Arguments)
	}
	return text, calls
}

// turn goes on until there are words.
func (k *talk) turn() string {
	k.t.Helper()
	for range 4 {
		text, calls := k.step()
		if len(calls) > 0 {
			if calls[0].Tool == "report.submit" {
				return ""
			}
			continue
		}
		k.write(text)
		return text
	}
	k.t.Fatal("the turn does not end")
	return ""
}

func (k *talk) write(text string) {
	var a struct {
		Cards []struct {
			Kind, Severity, Observed, Suggested string
			Evidence                            []string
		}
	}
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		k.t.Fatalf("%s: %v", text, err)
	}
	if len(a.Cards) == 0 {
		fmt.Fprintln(&k.log, "no card")
	}
	for _, c := range a.Cards {
		fmt.Fprintf(&k.log, "%s %s: %s\n  → %s\n  %s\n", c.Severity, c.Kind, c.Observed, c.Suggested, strings.Join(c.Evidence, " "))
	}
}

func TestGoldenAnswers(t *testing.T) {
	t.Parallel()
	inputs, err := filepath.Glob("testdata/*.json")
	if err != nil || len(inputs) == 0 {
		t.Fatal("no inputs", err)
	}
	for _, in := range inputs {
		for _, tag := range []string{"ja", "en"} {
			t.Run(strings.TrimSuffix(filepath.Base(in), ".json")+"/"+tag, func(t *testing.T) {
				t.Parallel()
				golden(t, strings.TrimSuffix(in, ".json")+"."+tag+".golden", play(t, in, tag))
			})
		}
	}
}

// play speaks a recorded stream of facts to the rules, twice, and expects the same words both times.
func play(t *testing.T, file, tag string) string {
	t.Helper()
	first, second := playOnce(t, file, tag), playOnce(t, file, tag)
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("the same facts were answered differently: %s", diff)
	}
	if strings.Contains(first, "«") || strings.Contains(first, "<no value>") {
		t.Errorf("words are missing: %s", first)
	}
	return first
}

func playOnce(t *testing.T, file, tag string) string {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var script struct {
		Steps []struct {
			Briefing json.RawMessage `json:"briefing"`
			Facts    json.RawMessage `json:"facts"`
			Answer   string          `json:"answer"`
		} `json:"steps"`
	}
	if err := json.Unmarshal(raw, &script); err != nil {
		t.Fatal(err)
	}
	words, err := lang.Load()
	if err != nil {
		t.Fatal(err)
	}
	k := newTalk(t, tag)
	for i, s := range script.Steps {
		fmt.Fprintf(&k.log, "# %d\n", i+1)
		switch {
		case s.Briefing != nil:
			k.hear("observations", s.Briefing)
		case s.Facts != nil:
			k.hear("report-facts", s.Facts)
		default:
			k.hear("operator-answer", map[string]string{"question": "qst_1", "answer": words.Printer(tag).Text("rules.ask.question." + s.Answer)})
		}
		k.turn()
	}
	return k.log.String()
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}
