package backendtest_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"urakata/internal/agent/backend/backendtest"
)

// TestTheServerIsStrict holds the rules that histories are measured by.
func TestTheServerIsStrict(t *testing.T) {
	t.Parallel()
	call := func(id, arguments string) string {
		return `{"role":"assistant","tool_calls":[{"id":"` + id + `","type":"function","function":{"name":"f","arguments":"` + arguments + `"}}]}`
	}
	const user, result = `{"role":"user","content":"x"}`, `{"role":"tool","tool_call_id":"a","content":"{}"}`
	for _, tt := range []struct {
		name, messages string
		want           int
	}{
		{"a plain question", `{"role":"system","content":"x"},` + user, 200},
		{"a call and its answer", user + "," + call("a", "{}") + "," + result, 200},
		{"no messages", ``, 400},
		{"an unknown role", `{"role":"context","content":"x"}`, 400},
		{"a system text later", user + `,{"role":"system","content":"x"}`, 400},
		{"a call without an answer", user + "," + call("a", "{}"), 400},
		{"a call answered too late", call("a", "{}") + "," + user + "," + result, 400},
		{"an answer without a call", user + "," + result, 400},
		{"an answer to another call", call("b", "{}") + "," + result, 400},
		{"arguments that are no JSON", call("a", "{") + "," + result, 500},
		{"an empty word", `{"role":"assistant"},` + user, 400},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := backendtest.NewServer(t, backendtest.Answer{Text: "hello there"})
			body := `{"model":"m","stream":true,"messages":[` + tt.messages + `]}`
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/chat/completions", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			text, err := io.ReadAll(res.Body)
			if err != nil || res.StatusCode != tt.want {
				t.Errorf("%d %s %v, want %d", res.StatusCode, text, err, tt.want)
			}
			if seen := s.Last(); (seen.Refused == "") != (tt.want == 200) || string(seen.Body) != body {
				t.Errorf("kept %+v", seen)
			}
		})
	}
}
