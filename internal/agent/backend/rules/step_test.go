package rules_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"urakata/internal/agent"
	"urakata/internal/agent/backend/backendtest"
	"urakata/internal/agent/backend/rules"
	"urakata/internal/lang"
)

func facts(t *testing.T, observations, groups string) json.RawMessage {
	t.Helper()
	raw := `{"stream":{"elapsedSeconds":200},"window":{"from":100,"to":200,"comments":9},"observations":[` + observations + `],"groups":[` + groups + `],"subjects":[],"openCards":[]}`
	if !json.Valid([]byte(raw)) {
		t.Fatal("not JSON: " + raw)
	}
	return json.RawMessage(raw)
}

const (
	insult  = `{"id":"c10","at":110,"viewer":"v7","action":"withhold","risk":"high","categories":["harassment"]}`
	insult2 = `{"id":"c11","at":120,"viewer":"v7","action":"withhold","risk":"high","categories":["hate"]}`
	ofMod   = `{"id":"c12","at":121,"viewer":"v8","role":"moderator","action":"withhold","risk":"high","categories":["hate"]}`
	asked   = `{"group":"q1","kind":"question","subject":"music","size":4,"voices":4,"first":100,"last":130,"evidence":["c3","c4","c5"]}`
)

func TestNoToolsNoCalls(t *testing.T) {
	t.Parallel()
	k := newTalk(t, "en")
	k.req.Tools = nil
	k.hear("observations", facts(t, insult+","+insult2, ""))
	text, calls := k.step()
	if len(calls) > 0 || !strings.Contains(text, "safety-concern") {
		t.Errorf("%d calls, %s", len(calls), text)
	}
}

func TestWhatWaitsIsNotProposedAgain(t *testing.T) {
	t.Parallel()
	k := newTalk(t, "en")
	k.hear("awaiting-approval", json.RawMessage(`[{"approvalId":"a","toolId":"chat.delete","arguments":{"comment":"c10"}},{"toolId":"viewer.timeout","arguments":{"comment":"c10"}}]`))
	k.hear("observations", facts(t, insult+","+insult2+","+ofMod, ""))
	_, calls := k.step()
	if len(calls) != 1 || calls[0].Tool != "chat.delete" || !strings.Contains(calls[0].Arguments, `"c11"`) {
		t.Errorf("got %v, want only the deletion of c11: c10 waits, and c12 is a moderator's", calls)
	}
}

func TestWhatTheHistoryForgotIsNotProposedAgain(t *testing.T) {
	t.Parallel()
	const many = `{"group":"q1","kind":"question","subject":"music","size":9,"voices":9,"first":20,"last":130,"evidence":["c3","c4","c5"]}`
	k := newTalk(t, "en")
	k.hear("observations", facts(t, insult+","+insult2, many))
	if _, calls := k.step(); len(calls) != 4 {
		t.Fatalf("got %v, want a time-out, two deletions and a question", calls)
	}
	k = newTalk(t, "en")
	raised := `"raised":[{"tool":"viewer.timeout","viewers":["v7"]},{"tool":"operator.ask","groups":["q1"]},{"tool":"chat.delete","refs":["c10"]},{"tool":"chat.delete","refs":["c11"]}],`
	k.hear("observations", json.RawMessage(strings.Replace(string(facts(t, insult+","+insult2, many)), `"subjects"`, raised+`"subjects"`, 1)))
	if _, calls := k.step(); len(calls) != 0 {
		t.Errorf("got %v, want nothing: all of it is in the inbox", calls)
	}
}

func TestABriefingThatComesDuringATurnIsToldTogether(t *testing.T) {
	t.Parallel()
	k := newTalk(t, "en")
	k.hear("observations", facts(t, insult, ""))
	if _, calls := k.step(); len(calls) != 1 {
		t.Fatal("no deletion was proposed")
	}
	k.hear("observations", facts(t, "", asked))
	text := k.turn()
	if !strings.Contains(text, "safety-concern") || !strings.Contains(text, "question-surge") {
		t.Errorf("the first briefing or the second is not told: %s", text)
	}
}

func TestOpenCardsAreNotRaisedAgain(t *testing.T) {
	t.Parallel()
	k := newTalk(t, "en")
	raw := strings.Replace(string(facts(t, "", asked)), `"openCards":[]`, `"openCards":[{"incident":"question-surge/q1","severity":"low","evidence":3}]`, 1)
	k.hear("observations", json.RawMessage(raw))
	if text := k.turn(); text != `{"cards":[]}` {
		t.Error(text)
	}
}

func TestRepair(t *testing.T) {
	t.Parallel()
	k := newTalk(t, "en")
	k.req.Tools = nil
	k.hear("observations", facts(t, insult, asked))
	first, _ := k.step()
	if n := strings.Count(first, `"kind"`); n != 2 {
		t.Fatalf("%d cards", n)
	}
	refuse := func(issue string) {
		k.req.Messages = append(k.req.Messages, agent.Message{Role: agent.RoleInstruction, Kind: "repair", Text: "Your last answer was not accepted.\n- " + issue})
	}
	refuse(`cards[0]: evidence "c10" is not among the comments you were shown.`)
	mended, _ := k.step()
	if strings.Contains(mended, "c10") || strings.Count(mended, `"kind"`) != 1 {
		t.Errorf("mended: %s", mended)
	}
	refuse("something else")
	if last, _ := k.step(); last != `{"cards":[]}` {
		t.Errorf("the second time: %s", last)
	}
	k.req.Messages = k.req.Messages[:1] // what was refused leaves the history; the briefing was never answered
	if again, _ := k.step(); again != first {
		t.Errorf("later: %s", again)
	}
}

func TestConversation(t *testing.T) {
	t.Parallel()
	k := newTalk(t, "ja-JP")
	k.req.Output = nil
	k.req.Messages = []agent.Message{{Role: agent.RoleInput, Text: "こんにちは"}}
	if text, calls := k.step(); len(calls) > 0 || !strings.Contains(text, "ルール") {
		t.Errorf("%s %v", text, calls)
	}
}

func TestErrorsAreTyped(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*talk){
		"another schema": func(k *talk) {
			k.req.Output = json.RawMessage(`{"type":"object","properties":{"plan":{"type":"string"}}}`)
		},
		"bad facts": func(k *talk) { k.hear("observations", json.RawMessage(`{"groups":3}`)) },
		"no words":  func(k *talk) { k.mind = rules.New(rules.Config{}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newTalk(t, "en")
			change(k)
			var fault *agent.BackendError
			for _, err := range k.mind.Stream(t.Context(), &k.req) {
				if !errors.As(err, &fault) || fault.Say == "" || fault.Retryable {
					t.Errorf("%v", err)
				}
			}
			if fault == nil {
				t.Error("no error")
			}
		})
	}
}

func TestReportIsHandedInOnce(t *testing.T) {
	t.Parallel()
	k := newTalk(t, "en")
	k.hear("report-facts", json.RawMessage(`{"seconds":60,"numbers":{"comments":1,"viewers":null}}`))
	if _, calls := k.step(); len(calls) != 1 || calls[0].Tool != "report.submit" {
		t.Fatalf("%v", calls)
	}
	if text, calls := k.step(); len(calls) > 0 || text != `{"cards":[]}` {
		t.Errorf("then %v %s", calls, text)
	}
}

func TestAViewerWhoGoesOnIsTimedOutWithTheTrueReason(t *testing.T) {
	t.Parallel()
	k := newTalk(t, "en")
	var list []string
	for _, ref := range []string{"c20", "c21", "c22"} {
		list = append(list, `{"id":"`+ref+`","at":110,"viewer":"v7","action":"withhold","risk":"medium","categories":["baiting"]}`)
	}
	k.hear("observations", facts(t, strings.Join(list, ","), ""))
	_, calls := k.step()
	if len(calls) != 1 || calls[0].Tool != "viewer.timeout" || strings.Contains(calls[0].Arguments, "high risk") {
		t.Errorf("%v", calls)
	}
}

// BenchmarkStep answers the last of 50 briefings, with everything before it in the history.
func BenchmarkStep(b *testing.B) {
	words, err := lang.Load()
	if err != nil {
		b.Fatal(err)
	}
	mind, req := rules.New(rules.Config{Catalogue: words}), &agent.Request{Turn: "t", Language: "ja", Output: json.RawMessage(cardSchema)}
	for i := range 50 {
		var list []string
		for n := range 40 {
			list = append(list, fmt.Sprintf(`{"id":"c%d","at":%d,"viewer":"v%d","action":"withhold","risk":"high","categories":["harassment"]}`, i*40+n+1, i*30, n))
		}
		req.Messages = append(req.Messages, agent.Message{Role: agent.RoleContext, Kind: "observations", Data: json.RawMessage(`{"window":{"to":` + fmt.Sprint(i*30) + `},"observations":[` + strings.Join(list, ",") + `],"groups":[` + asked + `]}`)})
		if i < 49 {
			h := backendtest.Ask(b.Context(), mind, req)
			req.Messages = append(req.Messages, agent.Message{Role: agent.RoleAssistant, Text: h.Text})
		}
	}
	for b.Loop() {
		if h := backendtest.Ask(b.Context(), mind, req); h.Err != nil {
			b.Fatal(h.Err)
		}
	}
}
