package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

// The road of a call: known and visible → id new in this turn → within the limits → arguments valid → frozen, digest, redacted copy → policy.
// The first part needs the fold and happens on the session's goroutine; the rest may wait for a policy or a validator and happens beside it.

// call is one call of an answer: as the model wrote it, and as the history keeps it.
type call struct {
	raw       ToolCall
	clean     ToolCall // valid JSON always, an id that is unique in the turn
	tool      *registered
	duplicate bool
	over      bool // beyond the limit of calls
	same      int  // how often this very call was made in this turn
}

// judged is what the road says about a call: either skip, or request with an approval or without.
type judged struct {
	skip    *CallDoneBody
	request *CallBody
	risk    Risk
	reason  string
	wait    *registered // the tool, when a person must be asked
}

// verdicts are what came out of examining an answer.
type verdicts struct {
	calls     []judged
	stuck     *ErrorBody
	artifacts []Artifact
	issues    []string
	fault     *ErrorBody
}

// emitted gives every call an id, a place in the count, and arguments that no backend will choke on later.
func (l *loop) emitted(raw []ToolCall) []call {
	t := l.st.turn
	ids, same := maps.Clone(t.ids), maps.Clone(t.same)
	calls := make([]call, 0, len(raw))
	for i, r := range raw {
		c := call{raw: r, clean: r, tool: l.s.box.find(r.Tool), over: t.calls+i >= l.limits().Calls}
		if c.clean.ID == "" {
			c.clean.ID = l.s.agent.cfg.NewID("call")
		}
		for n := 2; ids[c.clean.ID]; n++ {
			c.duplicate = true
			c.clean.ID = fmt.Sprintf("%s_%d", r.ID, n)
		}
		ids[c.clean.ID] = true
		c.clean.Tool = plainName(r.Tool)
		if c.tool != nil {
			c.clean.Tool = c.tool.ID
		}
		if v, err := arguments(r.Arguments); err != nil {
			c.clean.Arguments = "{}"
		} else {
			c.clean.Arguments = compact(v)
		}
		key := sameness(c.clean)
		same[key]++
		c.same = same[key]
		calls = append(calls, c)
	}
	return calls
}

const maxArguments = 256 << 10

// arguments reads what a model wrote. Nothing at all is an empty object.
func arguments(written string) (map[string]any, error) {
	if strings.TrimSpace(written) == "" {
		return map[string]any{}, nil
	}
	if len(written) > maxArguments {
		return nil, fmt.Errorf("they are longer than %d bytes", maxArguments)
	}
	v, err := decodeJSON([]byte(written))
	if err != nil {
		return nil, fmt.Errorf("they are not valid JSON: %w", err)
	}
	object, ok := v.(map[string]any)
	if !ok {
		return nil, errNotObject
	}
	return object, nil
}

// examine judges an answer beside the session's goroutine, which may be interrupted meanwhile.
func (l *loop) examine(ctx context.Context, run *modelRun, step StepBody, stop StopReason, calls []call) {
	ctx, run.cancel = context.WithCancelCause(ctx)
	s, turn := l.s, l.st.turn.id
	s.work.Go(func() {
		v := s.verdicts(ctx, turn, step.Message.Text, calls)
		s.report(func(ctx context.Context, l *loop) { l.examined(ctx, run, step, stop, v) })
	})
}

func (s *Session) verdicts(ctx context.Context, turn, text string, calls []call) verdicts {
	if len(calls) == 0 {
		return s.validate(ctx, text)
	}
	var v verdicts
	for _, c := range calls {
		if c.same >= s.agent.cfg.Limits.Identical {
			v.stuck = &ErrorBody{Code: CodeStuck, Message: fmt.Sprintf("the same call of %s was made %d times", c.clean.Tool, c.same)}
		}
	}
	for _, c := range calls {
		if v.stuck != nil {
			v.calls = append(v.calls, skipped(c, CodeStuck, "not run: "+v.stuck.Message, nil))
			continue
		}
		v.calls = append(v.calls, s.walk(ctx, turn, c))
	}
	return v
}

// walk takes one call down the road.
func (s *Session) walk(ctx context.Context, turn string, c call) judged {
	switch {
	case c.tool == nil:
		names := "there are none"
		if len(s.box.order) > 0 {
			names = strings.Join(s.box.order, ", ")
		}
		return skipped(c, CodeUnknownTool, fmt.Sprintf("there is no tool %q here; the tools are: %s", excerpt(c.raw.Tool), names), nil)
	case c.duplicate:
		return skipped(c, CodeDuplicate, "this call has the id of an earlier call of the turn; it was not run", nil)
	case c.over:
		return skipped(c, CodeCallLimit, fmt.Sprintf("a turn has at most %d calls; answer with what you have", s.agent.cfg.Limits.Calls), nil)
	}
	args, err := arguments(c.raw.Arguments)
	if err != nil {
		return skipped(c, CodeInvalid, fmt.Sprintf("the arguments cannot be used: %v. You wrote: %s", err, excerpt(c.raw.Arguments)), nil)
	}
	if issues := c.tool.schema.check(args); len(issues) > 0 {
		return skipped(c, CodeInvalid, "the arguments do not fit the tool; nothing was done", map[string]any{"issues": issues})
	}
	frozen := json.RawMessage(compact(args))
	body := &CallBody{
		Call: c.clean.ID, Tool: c.tool.ID, Arguments: newRedactor(c.tool.Sensitive).json(frozen), Frozen: frozen, Digest: digest(frozen),
		Key: keyOf(s.cfg.ID, turn, c.clean.ID), Exclusive: c.tool.Exclusive, Effect: c.tool.Effect,
	}
	asked := &Call{
		ID: body.Call, Key: body.Key, Tool: body.Tool, Agent: s.agent.cfg.ID, Session: s.cfg.ID, Turn: turn,
		Arguments: append(json.RawMessage(nil), body.Arguments...),
	}
	v := judge(ctx, s.agent.cfg.Policy, asked, PolicyInput{Spec: c.tool.Spec, Audience: s.cfg.Audience, Trust: s.cfg.Trust})
	body.Verdict = v.Action
	body.Detached = c.tool.Detached && v.Action == Ask
	switch v.Action {
	case Allow:
		return judged{request: body}
	case Ask:
		return judged{request: body, wait: c.tool, risk: c.tool.Risk, reason: v.Reason}
	default:
		j := skipped(c, CodePolicy, "denied by policy: "+v.Reason, nil)
		j.request = body
		return j
	}
}

func skipped(c call, code, message string, details map[string]any) judged {
	return judged{skip: &CallDoneBody{
		Call: c.clean.ID, Tool: c.clean.Tool, Error: &ErrorBody{Code: code, Message: message, Details: details}, Result: sayError(code, message, details),
	}}
}

// validate asks the validator about a final message.
func (s *Session) validate(ctx context.Context, text string) (v verdicts) {
	defer func() {
		if r := recover(); r != nil {
			v = verdicts{fault: &ErrorBody{Code: "validator", Message: fmt.Sprintf("the validator panicked: %T", r)}}
		}
	}()
	if s.cfg.Validate == nil {
		value, err := decodeJSON([]byte(text))
		if err != nil {
			return verdicts{issues: []string{"the answer is not JSON: " + err.Error()}}
		}
		return verdicts{issues: s.output.check(value)}
	}
	artifacts, issues, err := s.cfg.Validate(ctx, text)
	if err != nil {
		return verdicts{fault: &ErrorBody{Code: "validator", Message: "the answer could not be checked"}}
	}
	if wrong := badArtifacts(artifacts); wrong != "" && len(issues) == 0 {
		return verdicts{fault: &ErrorBody{Code: "validator", Message: wrong}}
	}
	return verdicts{artifacts: artifacts, issues: issues}
}

func badArtifacts(artifacts []Artifact) string {
	for i, a := range artifacts {
		if a.Type == "" || !json.Valid(a.Data) {
			return fmt.Sprintf("artifact %d has no type or its data is not JSON", i)
		}
	}
	return ""
}

// examined appends the step with everything that was decided about it.
func (l *loop) examined(ctx context.Context, run *modelRun, step StepBody, stop StopReason, v verdicts) {
	if l.model != run {
		return
	}
	l.model = nil
	run.cancel(nil)
	turn := l.st.turn
	switch {
	case l.ending != nil || !l.halt.IsZero():
	case v.fault != nil:
		l.broke(v.fault)
	case len(v.calls) == 0 && len(v.issues) == 0:
		l.said(ctx, step, stop, v.artifacts)
	case len(v.calls) == 0:
		events := []Event{
			l.event(StepCompleted, turn.id, step),
			l.event(OutputRejected, turn.id, RejectedBody{Attempt: turn.rejected + 1, Issues: v.issues}),
		}
		if turn.rejected >= l.limits().Repairs {
			fault := &ErrorBody{Code: "output-rejected", Message: "the answer was not accepted", Details: map[string]any{"issues": v.issues}}
			events = append(events, l.event(TurnFailed, turn.id, l.endBody("rejected", fault, &step)))
		}
		l.must(ctx, events...)
	default:
		events := l.called(turn.id, step, v)
		if v.stuck != nil {
			events = append(events, l.event(TurnFailed, turn.id, l.endBody("stuck", v.stuck, &step)))
		}
		l.must(ctx, events...)
	}
}

func (l *loop) called(turn string, step StepBody, v verdicts) []Event {
	events := []Event{l.event(StepCompleted, turn, step)}
	for _, j := range v.calls {
		if j.request != nil {
			j.request.Step = step.Step
			events = append(events, l.event(ToolRequested, turn, j.request))
		}
		if j.wait != nil {
			limit := j.wait.Approval
			if limit == 0 {
				limit = l.limits().Approval
			}
			events = append(events, l.event(ApprovalRequested, turn, ApprovalBody{Approval: Approval{
				ID: l.s.agent.cfg.NewID("approval"), Agent: l.s.agent.cfg.ID, Session: l.s.cfg.ID, Turn: turn, Call: j.request.Call,
				Tool: j.request.Tool, Risk: j.risk, Arguments: j.request.Arguments, Digest: j.request.Digest, Reason: j.reason,
				At: l.now(), Deadline: l.now().Add(limit), State: Pending,
			}}))
		}
		if j.skip != nil {
			events = append(events, l.event(ToolSkipped, turn, j.skip))
		}
	}
	return events
}
