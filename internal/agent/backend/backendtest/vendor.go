package backendtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
)

// refusal is why a vendor would not take a request.
type refusal struct {
	status  int
	message string
	param   string
}

func bad(param, format string, args ...any) refusal {
	return refusal{status: http.StatusBadRequest, param: param, message: fmt.Sprintf(format, args...)}
}

func vendorError(r refusal) string {
	kind := "invalid_request_error"
	if r.status >= 500 {
		kind = "server_error"
	}
	body, err := json.Marshal(map[string]any{"error": map[string]any{"message": r.message, "type": kind, "param": r.param, "code": nil}})
	if err != nil {
		return `{"error":{"message":"the refusal cannot be written"}}`
	}
	return string(body)
}

// check applies the vendor's rules.
func check(r *http.Request, body []byte, chat *Chat) refusal {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions" {
		return refusal{status: http.StatusNotFound, message: "no such address: " + r.Method + " " + r.URL.Path}
	}
	if err := json.Unmarshal(body, chat); err != nil {
		return bad("", "the body is not a chat: %v", err)
	}
	switch {
	case chat.Model == "":
		return bad("model", "a model is required")
	case len(chat.Messages) == 0:
		return bad("messages", "there are no messages")
	case !chat.Stream:
		return bad("stream", "this server streams only")
	}
	name := regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	names := map[string]bool{}
	for i, t := range chat.Tools {
		if t.Type != "function" || !name.MatchString(t.Function.Name) {
			return bad("tools", "tools[%d]: the name %q does not match %s", i, t.Function.Name, name)
		}
		if names[t.Function.Name] {
			return bad("tools", "tools[%d]: the name %q stands twice", i, t.Function.Name)
		}
		names[t.Function.Name] = true
	}
	return messages(chat.Messages, name)
}

// messages checks roles, the place of the system text, and that each call has its answer right behind it.
func messages(all []Message, name *regexp.Regexp) refusal {
	open := map[string]bool{}
	for i, m := range all {
		if len(open) > 0 && m.Role != "tool" {
			return bad("messages", "messages[%d]: an assistant message with tool_calls must be followed by tool messages for each of them", i)
		}
		switch m.Role {
		case "system", "developer":
			if i != 0 {
				return bad("messages", "messages[%d]: the system text must be the first message", i)
			}
		case "user":
			if m.Content == "" {
				return bad("messages", "messages[%d]: a user message is empty", i)
			}
		case "assistant":
			if m.Content == "" && len(m.ToolCalls) == 0 {
				return bad("messages", "messages[%d]: an assistant message is empty", i)
			}
			for _, c := range m.ToolCalls {
				if c.ID == "" || open[c.ID] || c.Type != "function" || !name.MatchString(c.Function.Name) {
					return bad("messages", "messages[%d]: tool call %q of %q is not well formed", i, c.ID, c.Function.Name)
				}
				open[c.ID] = true
				var args map[string]any
				if json.Unmarshal([]byte(c.Function.Arguments), &args) != nil {
					return refusal{status: http.StatusInternalServerError, param: "messages", message: "the arguments of a past tool call are not a JSON object"}
				}
			}
		case "tool":
			if !open[m.ToolCall] {
				return bad("messages", "messages[%d]: a tool message must answer a tool call in front of it", i)
			}
			delete(open, m.ToolCall)
		default:
			return bad("messages", "messages[%d]: the role %q is not known", i, m.Role)
		}
	}
	if len(open) > 0 {
		return bad("messages", "%d tool calls at the end have no tool message", len(open))
	}
	return refusal{}
}
