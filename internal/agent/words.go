package agent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// What the model is told. These are words for a model, in English; what a person sees comes from the catalogue and from codes.

// Codes of calls that did not run as asked, in ErrorBody.Code.
const (
	CodeUnknownTool   = "unknown-tool"
	CodeInvalid       = "invalid-arguments"
	CodeDuplicate     = "duplicate-call"
	CodeCallLimit     = "call-limit"
	CodeStuck         = "stuck"
	CodePolicy        = "denied-by-policy"
	CodeDenied        = "denied"
	CodeExpired       = "expired"
	CodeCancelled     = "cancelled"
	CodeTimeout       = "timeout"
	CodeFailed        = "failed"
	CodePanic         = "panic"
	CodeBadResult     = "bad-result"
	CodeInterrupted   = "interrupted"
	CodeAborted       = "aborted"
	CodeUnknownEffect = "unknown-effect"
)

func sayError(code, message string, details map[string]any) string {
	return compact(map[string]any{"error": ErrorBody{Code: code, Message: message, Details: details}})
}

func compact(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return `{"error":{"code":"failed","message":"the result cannot be written as JSON"}}`
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func sayWaits(a Approval) string {
	return compact(map[string]any{
		"status": "waiting-for-approval", "approvalId": a.ID, "deadline": a.Deadline.UTC().Format(time.RFC3339),
		"message": "This waits for the operator's decision and has not been done. The outcome will come later as context of kind tool-result. Do not ask for the same again.",
	})
}

// sayOutcome words why an approval did not lead to a run: denied, expired and cancelled are three different things.
func sayOutcome(a Approval) (code, message string) {
	switch a.State {
	case Denied:
		message = "denied by operator"
		if a.By != "" {
			message += " " + a.By
		}
		if a.Note != "" {
			message += ": " + a.Note
		}
		return CodeDenied, message
	case Expired:
		return CodeExpired, "the approval expired at " + a.Deadline.UTC().Format(time.RFC3339) + ": nobody decided in time, nothing was done"
	default:
		return CodeCancelled, "the approval was cancelled (" + a.Why + "): nobody decided, nothing was done"
	}
}

func sayRepair(issues []string) string {
	return "Your last answer was not accepted. Answer again, whole, with these faults mended:\n- " + strings.Join(issues, "\n- ")
}

func sayFailedTurn(code string, ran []string) Message {
	data := compact(map[string]any{"code": code, "toolsRun": append([]string{}, ran...)})
	return Message{Role: RoleContext, Kind: "failed-turn", Data: json.RawMessage(data)}
}

// sayPending lists what waits for the operator, so that the model does not propose it again.
func sayPending(open []Approval) Message {
	type row struct {
		Approval  string          `json:"approvalId"`
		Tool      string          `json:"toolId"`
		Arguments json.RawMessage `json:"arguments"`
		Deadline  time.Time       `json:"deadline"`
	}
	rows := make([]row, len(open))
	for i, a := range open {
		rows[i] = row{a.ID, a.Tool, a.Arguments, a.Deadline}
	}
	return Message{Role: RoleContext, Kind: "awaiting-approval", Data: json.RawMessage(compact(rows))}
}

// toolResult is the late outcome of a detached call.
type toolResult struct {
	Call     string          `json:"callId"`
	Tool     string          `json:"toolId"`
	Approval string          `json:"approvalId,omitempty"`
	Outcome  string          `json:"outcome"` // done, failed, denied, expired, cancelled, unknown
	By       string          `json:"by,omitempty"`
	Note     string          `json:"note,omitempty"`
	Why      string          `json:"why,omitempty"`
	Output   json.RawMessage `json:"output,omitempty"`
	Error    *ErrorBody      `json:"error,omitempty"`
}

// excerpt is a bounded piece of what a model wrote, for telling it what was wrong.
func excerpt(s string) string {
	const most = 120
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= most {
		return s
	}
	cut := most
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… (%d bytes)", s[:cut], len(s))
}
