package agenttest

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"urakata/internal/agent"
)

func approval(id agent.SessionID) agent.Approval {
	at := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	return agent.Approval{
		ID: fresh("approval"), Agent: "suite", Session: id, Turn: "turn-1", Call: "call-1", Tool: "chat.delete", Risk: agent.External,
		Arguments: json.RawMessage(`{"message":"m1","token":"[REDACTED]"}`), Digest: "sha256:00", Reason: "it deletes", At: at,
		Deadline: at.Add(10 * time.Minute), State: agent.Pending,
	}
}

func answered(a agent.Approval, state agent.ApprovalState, by string) agent.ApprovalBody {
	a.State, a.By, a.Note, a.Decided = state, by, "a note", a.At.Add(time.Minute)
	return agent.ApprovalBody{Approval: a}
}

func requested(t *testing.T, s agent.Store, id agent.SessionID) (agent.Approval, agent.Seq) {
	t.Helper()
	a := approval(id)
	seq := mustAppend(t, s, id, 0, event(id, agent.ApprovalRequested, agent.ApprovalBody{Approval: a}))
	return a, seq
}

func decidedOnce(t *testing.T, s agent.Store) {
	id := freshSession()
	a, seq := requested(t, s, id)
	seq = mustAppend(t, s, id, seq, event(id, agent.ApprovalResolved, answered(a, agent.Allowed, "op1")))
	for _, state := range []agent.ApprovalState{agent.Allowed, agent.Denied, agent.Cancelled} {
		_, err := s.Append(t.Context(), id, seq, note(id), event(id, agent.ApprovalResolved, answered(a, state, "op2")))
		var decided *agent.DecidedError
		if !errors.Is(err, agent.ErrDecided) || !errors.As(err, &decided) {
			t.Fatalf("a second answer %s: %v, want a DecidedError", state, err)
		}
		if decided.Approval.By != "op1" || decided.Approval.State != agent.Allowed {
			t.Errorf("it says %s by %q, want allowed by op1", decided.Approval.State, decided.Approval.By)
		}
	}
	if got := readAll(t, s, id, 0); len(got) != 2 {
		t.Errorf("a refused answer left %d events", len(got)-2)
	}
}

func expiredOnce(t *testing.T, s agent.Store) {
	id := freshSession()
	a, seq := requested(t, s, id)
	seq = mustAppend(t, s, id, seq, event(id, agent.ApprovalExpired, answered(a, agent.Expired, "")))
	if _, err := s.Append(t.Context(), id, seq, event(id, agent.ApprovalResolved, answered(a, agent.Allowed, "op1"))); !errors.Is(err, agent.ErrExpired) {
		t.Errorf("an answer after the expiry: %v, want ErrExpired", err)
	}
}

func allOrNone(t *testing.T, s agent.Store) {
	id := freshSession()
	a, seq := requested(t, s, id)
	unknown := approval(id)
	_, err := s.Append(t.Context(), id, seq,
		event(id, agent.ApprovalResolved, answered(a, agent.Denied, "op1")), note(id),
		event(id, agent.ApprovalResolved, answered(unknown, agent.Denied, "op1")))
	if err == nil {
		t.Fatal("an answer to an unknown approval was stored")
	}
	if got := readAll(t, s, id, 0); len(got) != 1 {
		t.Fatalf("a refused append left %d events", len(got)-1)
	}
	mustAppend(t, s, id, seq, event(id, agent.ApprovalResolved, answered(a, agent.Allowed, "op2"))) // the row is still pending
}

type bodyOf struct {
	kind agent.EventKind
	body any
}

// everyBody is one event of every stored kind, filled.
func everyBody(id agent.SessionID) []bodyOf {
	first, second := approval(id), approval(id)
	raw := json.RawMessage(`{"list":[1,2.5,"三"],"nothing":null}`)
	done := agent.CallDoneBody{Call: "call-1", Tool: "chat.delete", Output: raw, Result: string(raw), Final: true}
	failed := agent.CallDoneBody{
		Call: "call-1", Tool: "chat.delete", Result: "no",
		Error: &agent.ErrorBody{Code: "refused", Message: "the platform refused", Details: map[string]any{"status": 403.0}},
	}
	usage := agent.Usage{Known: true, Input: 10, Output: 4, Total: 14}
	end := agent.EndBody{Stop: "end", Usage: usage, Steps: 2, Calls: 1, MS: 1500}
	input := agent.Input{
		ID: "input-1", Instruction: "look", Merge: "wake", When: agent.NextStep, Passive: true,
		Context: []agent.Message{{Role: agent.RoleContext, Kind: "observations", Data: raw}}, Conversation: []agent.Message{{Role: agent.RoleInput, Text: "やあ"}},
	}
	said := agent.Message{Role: agent.RoleAssistant, Text: "hm", Calls: []agent.ToolCall{Ask("call-1", "chat.delete", `{"message":"m1"}`)}}
	return []bodyOf{
		{agent.SessionStarted, agent.StartedBody{Purpose: "staff", Audience: agent.Operator, Trust: agent.Trusted, Tools: []string{"chat.delete"}, Backend: "rules"}},
		{agent.SessionResumed, agent.StartedBody{Purpose: "staff", Audience: agent.Operator, Trust: agent.Trusted, Tools: []string{}, Backend: "rules"}},
		{agent.InputQueued, agent.InputBody{Input: input}},
		{agent.InputDropped, agent.ClosedBody{Reason: "merged", Input: "input-0"}},
		{agent.TurnStarted, agent.TurnStartedBody{Inputs: []string{"input-1"}}},
		{agent.StepCompleted, agent.StepBody{Step: 1, Message: said, Usage: usage, Backend: "rules", Model: "m", Inputs: []string{"input-1"}, LatencyMS: 12}},
		{agent.MessageCompleted, agent.MessageBody{Text: "done"}},
		{agent.ToolRequested, agent.CallBody{
			Call: "call-1", Tool: "chat.delete", Step: 1, Arguments: raw, Frozen: raw, Digest: "sha256:00", Key: "k", Detached: true, Effect: agent.Keyed, Verdict: agent.Ask,
		}},
		{agent.ApprovalRequested, agent.ApprovalBody{Approval: first}},
		{agent.ApprovalResolved, answered(first, agent.Denied, "op1")},
		{agent.ApprovalRequested, agent.ApprovalBody{Approval: second}},
		{agent.ApprovalExpired, answered(second, agent.Expired, "")},
		{agent.ToolStarted, agent.CallDoneBody{Call: "call-1", Tool: "chat.delete"}},
		{agent.ToolCompleted, done},
		{agent.ToolFailed, failed},
		{agent.ToolSkipped, failed},
		{agent.ToolUnknown, failed},
		{agent.ArtifactCreated, agent.ArtifactBody{Artifact: agent.Artifact{
			ID: "artifact-1", Type: "card", Version: 1, Title: "題", Data: raw, At: first.At, Agent: "suite", Session: id, Turn: "turn-1",
		}}},
		{agent.OutputRejected, agent.RejectedBody{Attempt: 1, Issues: []string{"evidence 3 does not exist"}}},
		{agent.TurnCompleted, end},
		{agent.TurnInterrupted, agent.EndBody{Stop: "interrupted", Error: &agent.ErrorBody{Code: "interrupted", Message: "stop"}, Usage: usage}},
		{agent.TurnFailed, agent.EndBody{Stop: "timeout", Error: &agent.ErrorBody{Code: "timeout", Message: "too long"}}},
		{agent.SettingsChanged, map[string]any{"model": "m2"}},
		{agent.StateSet, map[string]any{"mood": "calm"}},
		{agent.LogCompacted, map[string]any{"before": 10.0}},
		{agent.LogCleared, map[string]any{"reason": "asked"}},
		{agent.SessionClosed, agent.ClosedBody{Reason: "stream ended"}},
	}
}
