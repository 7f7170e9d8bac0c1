package openai_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"urakata/internal/agent"
	"urakata/internal/agent/backend/backendtest"
	"urakata/internal/agent/backend/openai"
)

// Servers that do things their own way, and what must come of it.
func TestTolerances(t *testing.T) {
	t.Parallel()
	two := []agent.ToolCall{{ID: "a", Tool: "chat.delete", Arguments: `{"comment":"c1"}`}, {ID: "b", Tool: "operator.ask", Arguments: `{}`}}
	part := func(inner string) string {
		return `{"id":"x","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":` + inner + `,"finish_reason":null}]}`
	}
	for _, tt := range []struct {
		name   string
		answer backendtest.Answer
		want   backendtest.Heard
	}{
		{"no index", backendtest.Answer{Calls: []backendtest.Call{{ID: "a", Name: "chat_delete", Arguments: `{"comment":"c1"}`, NoIndex: true}, {ID: "b", Name: "operator_ask", Arguments: "{}", NoIndex: true}}},
			backendtest.Heard{Calls: two, Stop: agent.StopCalls}},
		{"whole calls and finish stop", backendtest.Answer{Finish: "stop", Calls: []backendtest.Call{{ID: "a", Name: "chat_delete", Arguments: `{"comment":"c1"}`, Whole: true}, {ID: "b", Name: "operator_ask", Whole: true}}},
			backendtest.Heard{Calls: two, Stop: agent.StopCalls}},
		{"every index is 0", backendtest.Answer{Chunks: []string{
			part(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"chat_delete","arguments":"{\"comment\":\"c1\"}"}}]}`),
			part(`{"tool_calls":[{"index":0,"id":"b","function":{"name":"operator_ask","arguments":"{}"}}]}`), part(`{}`)}},
			backendtest.Heard{Calls: two, Stop: agent.StopCalls}},
		{"no ids", backendtest.Answer{Chunks: []string{
			part(`{"tool_calls":[{"function":{"name":"chat_delete","arguments":"{\"comment\":\"c1\"}"}}]}`), part(`{"tool_calls":[{"function":{"name":"operator_ask","arguments":"{}"}}]}`)}},
			backendtest.Heard{Calls: []agent.ToolCall{{ID: "call_turn_1_1_1", Tool: "chat.delete", Arguments: `{"comment":"c1"}`}, {ID: "call_turn_1_1_2", Tool: "operator.ask", Arguments: "{}"}}, Stop: agent.StopCalls}},
		{"arguments as an object", backendtest.Answer{Chunks: []string{part(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"chat_delete","arguments":{"comment":"c1"}}}]}`)}},
			backendtest.Heard{Calls: two[:1], Stop: agent.StopCalls}},
		{"empty choices and deltas", backendtest.Answer{Chunks: []string{`{"choices":[]}`, `{"choices":null}`, part("null"), part(`{"content":"hi"}`), part(`{"content":null}`)}},
			backendtest.Heard{Text: "hi", Stop: agent.StopEnd}},
		{"no finish but an end", backendtest.Answer{Text: "hi", Finish: "-", NoUsage: true}, backendtest.Heard{Text: "hi", Stop: agent.StopEnd}},
		{"length", backendtest.Answer{Text: "hi", Finish: "length"}, backendtest.Heard{Text: "hi", Stop: agent.StopLength}},
		{"filter", backendtest.Answer{Text: "hi", Finish: "content_filter"}, backendtest.Heard{Text: "hi", Stop: agent.StopFilter}},
		{"a thought in its own field", backendtest.Answer{Reasoning: "hm", Text: "hi"}, backendtest.Heard{Text: "hi", Reasoning: "hm", Stop: agent.StopEnd}},
		{"a thought in the text", backendtest.Answer{Text: "<think>is 1 < 2?</think>\n\n{\"cards\":[]}"}, backendtest.Heard{Text: `{"cards":[]}`, Reasoning: "is 1 < 2?", Stop: agent.StopEnd}},
		{"JSON for a stream", backendtest.Answer{Body: "{\n\"model\":\"m\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}"}, backendtest.Heard{Text: "hi", Stop: agent.StopEnd}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := backendtest.NewServer(t, tt.answer)
			h := backendtest.Ask(t.Context(), backend(s.URL), input("x"))
			if h.Err != nil {
				t.Fatal(h.Err)
			}
			if h.Text != tt.want.Text || h.Reasoning != tt.want.Reasoning || h.Stop != tt.want.Stop || h.Stops != 1 {
				t.Errorf("got %+v, want %+v", h, tt.want)
			}
			if len(h.Calls) != len(tt.want.Calls) {
				t.Fatalf("calls %+v, want %+v", h.Calls, tt.want.Calls)
			}
			for i, c := range tt.want.Calls {
				if h.Calls[i] != c {
					t.Errorf("call %+v, want %+v", h.Calls[i], c)
				}
			}
		})
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		answer backendtest.Answer
		code   string
		again  bool
	}{
		{"wrong key", backendtest.Answer{Status: 401, Body: `{"error":{"message":"Incorrect API key provided: ` + secret + `","code":"invalid_api_key"}}`}, "auth", false},
		{"slow down", backendtest.Answer{Status: 429, Body: `{"error":{"message":"x"}}`}, "rate-limit", true},
		{"no money", backendtest.Answer{Status: 429, Body: `{"error":{"message":"x","code":"insufficient_quota"}}`}, "rate-limit", false},
		{"too long", backendtest.Answer{Status: 400, Body: `{"error":{"message":"This model's maximum context length is 8192 tokens","code":400}}`}, "context-overflow", false},
		{"an error that is a text", backendtest.Answer{Status: 400, Body: `{"error":"model \"x\" says VIEWER-WORDS"}`}, "refused", false},
		{"no such model", backendtest.Answer{Status: 404, Body: `{"object":"error","message":"The model does not exist"}`}, "refused", false},
		{"html", backendtest.Answer{Status: 500, Body: "<html>VIEWER-WORDS"}, "overloaded", true},
		{"nothing at all", backendtest.Answer{Status: 503}, "overloaded", true},
		{"a call its server cannot read", backendtest.Answer{Status: 400, Body: `{"error":{"code":"tool_use_failed","failed_generation":"VIEWER-WORDS"}}`}, "protocol", true},
		{"cut", backendtest.Answer{Text: "half a", Cut: true}, "network", true},
		{"empty stream", backendtest.Answer{Chunks: []string{}}, "network", true},
		{"an error in the stream", backendtest.Answer{Chunks: []string{`{"error":{"code":"server_busy","message":"VIEWER-WORDS"}}`}}, "overloaded", true},
		{"finish error", backendtest.Answer{Text: "x", Finish: "error"}, "overloaded", true},
		{"JSON that is no answer", backendtest.Answer{Body: `{"hello":"VIEWER-WORDS"}`}, "network", true},
		{"a stream of nonsense", backendtest.Answer{Chunks: []string{"VIEWER-WORDS"}}, "protocol", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := backendtest.NewServer(t, tt.answer)
			h := backendtest.Ask(t.Context(), backend(s.URL), input("x"))
			judge(t, h.Err, tt.code, tt.again)
		})
	}
	t.Run("nobody there", func(t *testing.T) {
		t.Parallel()
		judge(t, backendtest.Ask(t.Context(), backend("http://user:VIEWER-WORDS@127.0.0.1:1/v1"), input("x")).Err, "network", true)
	})
	t.Run("no address", func(t *testing.T) {
		t.Parallel()
		judge(t, backendtest.Ask(t.Context(), backend("localhost:1"), input("x")).Err, "refused", false)
	})
	t.Run("no key to be had", func(t *testing.T) {
		t.Parallel()
		b := openai.New(openai.Config{Model: "m", Key: func(context.Context) (string, error) { return "", errors.New("the safe is shut") }})
		judge(t, backendtest.Ask(t.Context(), b, input("x")).Err, "auth", false)
	})
}

func judge(t *testing.T, err error, code string, again bool) {
	t.Helper()
	var fault *agent.BackendError
	if !errors.As(err, &fault) {
		t.Fatalf("got %v, want an *agent.BackendError", err)
	}
	if fault.Code != code || fault.Retryable != again || fault.Say == "" {
		t.Errorf("got %v, again %t; want %s, again %t", fault, fault.Retryable, code, again)
	}
	for e := error(fault); e != nil; e = errors.Unwrap(e) {
		for _, leak := range []string{secret, "VIEWER-WORDS", "user:"} {
			if strings.Contains(e.Error(), leak) {
				t.Errorf("%q holds %q", e, leak)
			}
		}
	}
}
