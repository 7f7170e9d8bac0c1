package rules_test

import (
	"encoding/json"
	"errors"
	"testing"

	"urakata/internal/agent"
	"urakata/internal/agent/backend/backendtest"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	backendtest.Run(t, func(t *testing.T) backendtest.Subject {
		k := newTalk(t, "en")
		words, calls, fault := k.req, k.req, k.req
		words.Output, words.Messages = nil, []agent.Message{{Role: agent.RoleInput, Text: "hello"}}
		k.hear("observations", facts(t, insult+","+insult2, ""))
		calls.Messages = k.req.Messages
		output := calls
		output.Tools = nil
		fault.Messages = []agent.Message{{Role: agent.RoleContext, Kind: "observations", Data: json.RawMessage(`[]`)}}
		return backendtest.Subject{
			Backend: k.mind, Text: &words, Calls: &calls, Want: []string{"viewer.timeout", "chat.delete", "chat.delete"}, Output: &output,
			Fits: func(text string) error {
				var v struct {
					Cards *[]struct {
						Kind, Severity, Observed, Suggested string
						Evidence                            []string
					}
				}
				if err := json.Unmarshal([]byte(text), &v); err != nil {
					return err
				}
				if v.Cards == nil || len(*v.Cards) == 0 {
					return errors.New("no cards")
				}
				for _, c := range *v.Cards {
					if c.Kind == "" || c.Severity == "" || c.Observed == "" || len(c.Evidence) == 0 {
						return errors.New("a card is not whole")
					}
				}
				return nil
			},
			Fault: func() *agent.Request { return &fault },
		}
	})
}
