package ops

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"urakata/internal/agent"
	"urakata/internal/ops/platform"
)

// Ids of the tools of a desk.
const (
	ToolAsk      = "operator.ask"
	ToolReport   = "report.submit"
	ToolStats    = "comments.stats"
	ToolDelete   = "chat.delete"
	ToolTimeout  = "viewer.timeout"
	ToolAnnounce = "chat.announce"
)

// Types of the artifacts that the desk knows.
const (
	ArtifactCard     = "card"
	ArtifactQuestion = "question"
	ArtifactWords    = "report-words"
)

// specs are the tools of a desk, in the order a form shows them. Those that act are detached: the turn does not wait for a person.
func specs() []agent.Spec {
	return []agent.Spec{
		{
			ID: ToolAsk, Name: "operator_ask", Risk: agent.Draft, Effect: agent.Pure,
			Description: "Ask the operator a question. The answer comes later as context of kind operator-answer; do not wait for it.",
			Parameters: schema(`"question":{"type":"string","description":"1 to 500 characters"},
				"evidence":{"type":"array","items":{"type":"string"},"description":"ids of at most 20 comments"},
				"choices":{"type":"array","items":{"type":"string"},"description":"at most 6 short answers to choose from"}`, "question"),
		},
		{
			ID: ToolStats, Name: "comments_stats", Risk: agent.Read, Effect: agent.Pure,
			Description: "Numbers of the chat between two offsets of the stream, in seconds. It never returns what was written.",
			Parameters:  schema(`"fromSeconds":{"type":"integer"},"toSeconds":{"type":"integer"}`, "fromSeconds", "toSeconds"),
		},
		{
			ID: ToolReport, Name: "report_submit", Risk: agent.Draft, Effect: agent.Pure,
			Description: "Hand in the words of the report once the stream has ended: three sentences that sum it up and three things to do next time.",
			Parameters: schema(`"summary":{"type":"array","items":{"type":"string"},"description":"three sentences of at most 400 characters"},
				"next":{"type":"array","items":{"type":"string"},"description":"three things to do next time, of at most 400 characters"},
				"evidence":{"type":"array","items":{"type":"string"},"description":"ids of at most 40 comments"}`, "summary", "next"),
		},
		{
			ID: ToolDelete, Name: "chat_delete", Risk: agent.Destructive, Effect: agent.Keyed, Detached: true, Approval: 3 * time.Minute,
			Description: "Propose to delete one comment. A person decides.",
			Parameters:  schema(`"comment":{"type":"string"},"reason":{"type":"string"}`, "comment", "reason"),
		},
		{
			ID: ToolTimeout, Name: "viewer_timeout", Risk: agent.Destructive, Effect: agent.Keyed, Detached: true, Approval: 3 * time.Minute,
			Description: "Propose to time out the viewer who wrote a comment, for some seconds. A person decides.",
			Parameters: schema(`"comment":{"type":"string"},"seconds":{"type":"integer","description":"1 to 1209600"},
				"reason":{"type":"string"}`, "comment", "seconds", "reason"),
		},
		{
			ID: ToolAnnounce, Name: "chat_announce", Risk: agent.External, Effect: agent.Once, Detached: true, Approval: 10 * time.Minute,
			Description: "Propose a message to the chat in the channel's name. A person decides.",
			Parameters:  schema(`"text":{"type":"string","description":"1 to 200 characters"},"reason":{"type":"string"}`, "text"),
		},
	}
}

// schema is a closed object with these properties.
func schema(properties string, required ...string) json.RawMessage {
	names, _ := json.Marshal(required) // strings always marshal
	return json.RawMessage(`{"type":"object","additionalProperties":false,"required":` + string(names) + `,"properties":{` + properties + `}}`)
}

// tool is a specification and what it does.
type tool struct {
	spec agent.Spec
	run  func(ctx context.Context, call *agent.Call) (agent.Result, error)
}

// Spec is what the runtime knows of it.
func (t tool) Spec() agent.Spec { return t.spec }

// Run does it.
func (t tool) Run(ctx context.Context, call *agent.Call) (agent.Result, error) {
	return t.run(ctx, call)
}

// toolbox is what the tools of one stream work with.
type toolbox struct {
	stream string
	store  Store
	actor  Actor
	meters Meters
}

// tools makes the desk's tools for a character, each with the deadline of the character's rule.
func (b toolbox) tools(c Character) []agent.Tool {
	runs := map[string]func(context.Context, *agent.Call) (agent.Result, error){
		ToolAsk: b.ask, ToolStats: b.stats, ToolReport: b.report, ToolDelete: b.remove, ToolTimeout: b.timeout, ToolAnnounce: b.announce,
	}
	var out []agent.Tool
	for _, s := range specs() {
		out = append(out, tool{spec: withDeadline(s, c), run: runs[s.ID]})
	}
	return out
}

// question is what operator.ask hands to the desk, which makes an inbox item of it when it meets the artifact in the log.
type question struct {
	ID       string   `json:"id"`
	Question string   `json:"question"`
	Evidence []string `json:"evidence"` // platform ids
	Choices  []string `json:"choices"`
}

// ask makes a question whose id comes from the call, so that a call that runs again asks the same question and not another one.
func (b toolbox) ask(ctx context.Context, call *agent.Call) (agent.Result, error) {
	var in struct {
		Question string   `json:"question"`
		Evidence []string `json:"evidence"`
		Choices  []string `json:"choices"`
	}
	if err := read(call, &in); err != nil {
		return agent.Result{}, err
	}
	in.Question = strings.TrimSpace(in.Question)
	if in.Question == "" || utf8.RuneCountInString(in.Question) > 500 || len(in.Choices) > 6 || len(in.Evidence) > 20 {
		return agent.Result{}, &agent.ToolError{Code: "question.bounds", Say: "A question has 1 to 500 characters, at most 6 choices and at most 20 comments as evidence."}
	}
	evidence, err := b.evidence(ctx, in.Evidence)
	if err != nil {
		return agent.Result{}, err
	}
	q := question{ID: idOf("qst", call.Key), Question: in.Question, Evidence: evidence, Choices: in.Choices}
	return handIn(ArtifactQuestion, "question", q, map[string]any{"question": q.ID, "state": "waiting"}, false)
}

// Words are what a character says in a report.
type Words struct {
	Summary  []string `json:"summary"`
	Next     []string `json:"next"`
	Evidence []string `json:"evidence"` // platform ids
}

func (b toolbox) report(ctx context.Context, call *agent.Call) (agent.Result, error) {
	var in Words
	if err := read(call, &in); err != nil {
		return agent.Result{}, err
	}
	st, err := b.store.Stream(ctx, b.stream)
	if err != nil {
		return agent.Result{}, fmt.Errorf("report of %s: %w", b.stream, err)
	}
	if st.State != StreamEnding {
		return agent.Result{}, &agent.ToolError{Code: "report.early", Say: "The stream has not ended. Hand in the report when you are asked for it."}
	}
	if !sentences(in.Summary) || !sentences(in.Next) {
		return agent.Result{}, &agent.ToolError{Code: "report.bounds", Say: "summary and next need three sentences each, of at most 400 characters."}
	}
	if in.Evidence, err = b.evidence(ctx, in.Evidence); err != nil {
		return agent.Result{}, err
	}
	return handIn(ArtifactWords, "report", in, map[string]any{"state": "taken"}, true)
}

func sentences(list []string) bool {
	for _, s := range list {
		if strings.TrimSpace(s) == "" || utf8.RuneCountInString(s) > 400 {
			return false
		}
	}
	return len(list) == 3
}

// evidence turns refs into platform ids. A ref that names nothing is told.
func (b toolbox) evidence(ctx context.Context, refs []string) ([]string, error) {
	out := make([]string, 0, len(refs))
	for _, ref := range refs {
		found, err := b.target(ctx, ref)
		if err != nil {
			return nil, err
		}
		out = append(out, found.Comment.ID)
	}
	return out, nil
}

func handIn(kind, title string, data, output any, final bool) (agent.Result, error) {
	body, err := json.Marshal(data)
	if err != nil {
		return agent.Result{}, fmt.Errorf("artifact %s: %w", kind, err)
	}
	said, err := json.Marshal(output)
	if err != nil {
		return agent.Result{}, fmt.Errorf("artifact %s: %w", kind, err)
	}
	return agent.Result{Output: said, Final: final, Artifacts: []agent.Artifact{{Type: kind, Version: 1, Title: title, Data: body}}}, nil
}

func read(call *agent.Call, into any) error {
	if err := json.Unmarshal(call.Arguments, into); err != nil {
		return &agent.ToolError{Code: "arguments", Say: "The arguments do not have the shape this tool needs."}
	}
	return nil
}

// idOf makes an id from what it is about, the same each time.
func idOf(prefix, of string) string {
	sum := sha256.Sum256([]byte(of))
	return prefix + "_" + hex.EncodeToString(sum[:12])
}

// place reads a ref: "c12" is 12.
func place(ref string) (int64, bool) {
	digits, ok := strings.CutPrefix(ref, "c")
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, ok && err == nil && n > 0 && digits[0] != '0' && digits[0] != '+'
}

// resolve finds the comment that a ref names.
func resolve(ctx context.Context, store commentStore, stream, ref string) (Stored, error) {
	n, ok := place(ref)
	if !ok {
		return Stored{}, fmt.Errorf("comment %.40q: %w", ref, ErrNotFound)
	}
	found, err := store.Comments(ctx, stream, Range{After: n - 1, Before: n + 1, Limit: 1})
	if err != nil {
		return Stored{}, fmt.Errorf("comment %s: %w", ref, err)
	}
	if len(found) == 0 {
		return Stored{}, fmt.Errorf("comment %s: %w", ref, ErrNotFound)
	}
	return found[0], nil
}

// Actor carries actions out on a platform. A *platform.Refusal says that nothing happened and why; with any other error nobody knows. The same
// key is the same action, however often it is asked for.
type Actor interface {
	Do(ctx context.Context, a platform.Action) (platform.Result, error)
}

// proposal is what the three acting tools are asked.
type proposal struct {
	Comment string `json:"comment"`
	Seconds int    `json:"seconds"`
	Text    string `json:"text"`
	Reason  string `json:"reason"`
}

// target finds the comment a ref names. What stands in a place of a stream never changes, so the comment that was in view when the call was
// made is the one the operator was shown and the one the action meets.
func (b toolbox) target(ctx context.Context, ref string) (Stored, error) {
	found, err := resolve(ctx, b.store, b.stream, ref)
	if errors.Is(err, ErrNotFound) {
		return Stored{}, &agent.ToolError{Code: "comment.unknown", Say: "There is no such comment. Name comments as the observations do, for example c12."}
	}
	return found, err
}

func facts(s Stored) platform.Facts {
	return platform.Facts{Known: true, Deleted: s.State == CommentDeleted, Roles: s.Comment.Author.Roles, At: s.Comment.At}
}

func (b toolbox) remove(ctx context.Context, call *agent.Call) (agent.Result, error) {
	var in proposal
	if err := read(call, &in); err != nil {
		return agent.Result{}, err
	}
	s, err := b.target(ctx, in.Comment)
	if err != nil {
		return agent.Result{}, err
	}
	a := platform.Action{Key: call.Key, Kind: platform.Delete, Stream: b.stream, Platform: string(s.Comment.Platform), Comment: s.Comment.ID, Facts: facts(s)}
	out, err := b.act(ctx, call, a)
	if err != nil {
		return agent.Result{}, err
	}
	by := ""
	if call.Approval != nil {
		by = call.Approval.By
	}
	if err := b.store.MarkComment(ctx, b.stream, s.Comment.ID, CommentDeleted, by); err != nil {
		return agent.Result{}, fmt.Errorf("mark %s: %w", in.Comment, err)
	}
	return out, nil
}

func (b toolbox) timeout(ctx context.Context, call *agent.Call) (agent.Result, error) {
	var in proposal
	if err := read(call, &in); err != nil {
		return agent.Result{}, err
	}
	s, err := b.target(ctx, in.Comment)
	if err != nil {
		return agent.Result{}, err
	}
	if in.Seconds < 1 || in.Seconds > 1209600 {
		return agent.Result{}, &agent.ToolError{Code: "seconds.bounds", Say: "A time-out lasts from 1 to 1209600 seconds."}
	}
	f := facts(s)
	f.Deleted = false // the viewer is the target here, not the comment
	return b.act(ctx, call, platform.Action{
		Key: call.Key, Kind: platform.Timeout, Stream: b.stream, Platform: string(s.Comment.Platform), Viewer: s.Comment.Author.ID, Seconds: in.Seconds, Facts: f,
	})
}

func (b toolbox) announce(ctx context.Context, call *agent.Call) (agent.Result, error) {
	var in proposal
	if err := read(call, &in); err != nil {
		return agent.Result{}, err
	}
	if n := utf8.RuneCountInString(in.Text); n < 1 || n > 200 {
		return agent.Result{}, &agent.ToolError{Code: "text.bounds", Say: "An announcement has 1 to 200 characters."}
	}
	return b.act(ctx, call, platform.Action{Key: call.Key, Kind: platform.Announce, Stream: b.stream, Text: in.Text})
}

// act carries an action out. A refusal is shown on the item and told to the character; anything else that went wrong is not told in its words.
func (b toolbox) act(ctx context.Context, call *agent.Call, a platform.Action) (agent.Result, error) {
	done, err := b.actor.Do(ctx, a)
	var refusal *platform.Refusal
	if errors.As(err, &refusal) {
		b.meters.action(call.Tool, string(refusal.Code))
		e := &agent.ToolError{Code: "platform." + string(refusal.Code), Say: refusal.Say}
		if refusal.RetryAfter > 0 {
			e.Details = map[string]any{"retryAfterSeconds": int(refusal.RetryAfter.Seconds() + 0.5)}
		}
		return agent.Result{}, e
	}
	if err != nil {
		b.meters.action(call.Tool, "error")
		return agent.Result{}, fmt.Errorf("%s: %w", call.Tool, err)
	}
	b.meters.action(call.Tool, "")
	out, err := json.Marshal(map[string]any{"done": true, "rehearsed": done.Rehearsed})
	if err != nil {
		return agent.Result{}, fmt.Errorf("%s: %w", call.Tool, err)
	}
	return agent.Result{Output: out}, nil
}
