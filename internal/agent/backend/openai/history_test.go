package openai_test

import (
	"testing"

	"urakata/internal/agent"
	"urakata/internal/agent/backend/backendtest"
)

// TestD01 has the model write arguments that are no JSON beside a call that is well: both arrive, and what goes back is taken.
func TestD01(t *testing.T) {
	t.Parallel()
	broken := `{"{"tagIds": `
	s := backendtest.NewServer(t, backendtest.Answer{Calls: []backendtest.Call{
		{ID: "call_1", Name: "chat_delete", Arguments: broken}, {ID: "call_2", Name: "chat_delete", Arguments: `{"comment":"c2"}`},
	}})
	b, req := backend(s.URL), input("act")
	h := backendtest.Ask(t.Context(), b, req)
	if h.Err != nil || len(h.Calls) != 2 || h.Calls[0].Arguments != broken || h.Calls[1].Arguments != `{"comment":"c2"}` {
		t.Fatalf("%+v", h)
	}
	req.Step = 2
	req.Messages = append(req.Messages, agent.Message{Role: agent.RoleAssistant, Calls: h.Calls},
		agent.Message{Role: agent.RoleTool, Call: "call_1", Tool: "chat.delete", Failed: true, Text: `{"error":{"code":"invalid-arguments"}}`},
		agent.Message{Role: agent.RoleTool, Call: "call_2", Tool: "chat.delete", Text: `{"ok":true}`})
	if h = backendtest.Ask(t.Context(), b, req); h.Err != nil || h.Text != "ok" {
		t.Errorf("%+v", h)
	}
}

// TestD02 has histories that were cut short: every call leaves with exactly one answer right behind it.
func TestD02(t *testing.T) {
	t.Parallel()
	calls := []agent.ToolCall{{ID: "a", Tool: "chat.delete", Arguments: "{}"}, {ID: "b", Tool: "gone.tool", Arguments: "{}"}}
	said := agent.Message{Role: agent.RoleAssistant, Calls: calls}
	answer := func(id string) agent.Message { return agent.Message{Role: agent.RoleTool, Call: id, Text: "{}"} }
	again := agent.Message{Role: agent.RoleInput, Text: "again"}
	for name, history := range map[string][]agent.Message{
		"no answer":                  {said, again},
		"one of two":                 {said, answer("b"), again},
		"an answer in between":       {said, answer("a"), {Role: agent.RoleInstruction, Text: "stop"}, answer("b"), again},
		"twice the same":             {said, answer("a"), answer("a"), answer("b"), again},
		"an answer without its call": {answer("x"), again},
		"an empty answer":            {said, {Role: agent.RoleTool, Call: "a"}, answer("b"), again},
		"ids that come again":        {said, answer("a"), answer("b"), said, answer("a"), answer("b"), again},
		"ids of another mind":        {{Role: agent.RoleAssistant, Calls: []agent.ToolCall{{ID: "", Tool: "x"}, {ID: "a b", Tool: "日本語"}}}, again},
		"an empty word":              {{Role: agent.RoleAssistant}, again},
		"calls at the end":           {said},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := backendtest.NewServer(t)
			req := input("x")
			req.Messages = append(req.Messages, history...)
			h := backendtest.Ask(t.Context(), backend(s.URL), req)
			if h.Err != nil || s.Last().Refused != "" {
				t.Errorf("%v; %s", h.Err, s.Last().Refused)
			}
		})
	}
}

// TestD03 keeps broken arguments in the history. The server answers 500 whenever it meets some; it never does.
func TestD03(t *testing.T) {
	t.Parallel()
	for _, arguments := range []string{`{"{"a": `, "", "null", "[1]", `"text"`, `{} trailing`, "\xff"} {
		s := backendtest.NewServer(t)
		req := input("x")
		req.Messages = append(req.Messages, agent.Message{Role: agent.RoleAssistant, Calls: []agent.ToolCall{{ID: "a", Tool: "chat.delete", Arguments: arguments}}},
			agent.Message{Role: agent.RoleTool, Call: "a", Text: "invalid"}, agent.Message{Role: agent.RoleInput, Text: "next"})
		h := backendtest.Ask(t.Context(), backend(s.URL), req)
		if h.Err != nil || len(s.Requests()) != 1 {
			t.Errorf("%q: %v after %d requests", arguments, h.Err, len(s.Requests()))
		}
	}
}
