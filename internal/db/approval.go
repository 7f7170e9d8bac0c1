package db

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"gorm.io/gorm"

	"urakata/internal/agent"
	"urakata/internal/ops"
)

// risks names agent.Risk's values in their order, worst first, as the inbox sorts and shows them.
var risks = [...]string{agent.Destructive: "destructive", agent.External: "external", agent.Write: "write", agent.Draft: "draft", agent.Read: "read"}

// urgency is a risk's place; what has none, as a question, comes last.
func urgency(risk string) int {
	for i, name := range risks {
		if name == risk {
			return i
		}
	}
	return len(risks)
}

func rowOfApproval(a agent.Approval) inboxRow {
	risk := a.Risk
	if risk < 0 || int(risk) >= len(risks) {
		risk = 0 // unknown is the worst
	}
	return inboxRow{
		ID: a.ID, Kind: string(ops.ItemApproval), Session: string(a.Session), Character: a.Agent, Turn: a.Turn, Call: a.Call, Tool: a.Tool,
		Risk: risks[risk], Urgency: int(risk), Arguments: []byte(a.Arguments), Digest: a.Digest, Reason: plain(a.Reason),
		At: nanos(a.At), Deadline: nanos(a.Deadline), State: string(agent.Pending),
	}
}

func (r inboxRow) approval() agent.Approval {
	return agent.Approval{
		ID: r.ID, Agent: r.Character, Session: agent.SessionID(r.Session), Turn: r.Turn, Call: r.Call, Tool: r.Tool, Risk: agent.Risk(r.Urgency),
		Arguments: json.RawMessage(r.Arguments), Digest: r.Digest, Reason: r.Reason, At: moment(r.At), Deadline: moment(r.Deadline),
		State: agent.ApprovalState(r.State), By: r.DecidedBy, Note: r.Note, Why: r.Why, Decided: moment(r.Decided),
	}
}

// requestApproval puts an approval into the inbox.
func (t *tx) requestApproval(stream string, e agent.Event) error {
	a, err := approvalOf(e)
	if err != nil {
		return err
	}
	a.At = t.orNow(a.At)
	row := rowOfApproval(a)
	row.Stream = stream
	if stream != "" {
		if row.Rehearsed, _, err = one[bool](t.DB, "SELECT rehearsal FROM streams WHERE id = ?", stream); err != nil {
			return fmt.Errorf("request approval %s: %w", a.ID, err)
		}
		evidence, err := t.evidenceOf(stream, a.Arguments)
		if err != nil {
			return fmt.Errorf("request approval %s: %w", a.ID, err)
		}
		row.Evidence = listJSON(evidence)
	}
	if err := t.Create(&row).Error; err != nil {
		if errors.Is(err, gorm.ErrDuplicatedKey) {
			return fmt.Errorf("request approval %s: there is one of that id", a.ID)
		}
		return fmt.Errorf("request approval %s: %w", a.ID, err)
	}
	return t.inboxChanged(stream, a.ID)
}

// resolveApproval is the compare-and-set: whoever finds it pending has the say, everybody after is told who that was.
func (t *tx) resolveApproval(e agent.Event) error {
	a, err := approvalOf(e)
	if err != nil {
		return err
	}
	if e.Kind == agent.ApprovalExpired {
		a.State = agent.Expired
	}
	outcome := ops.OutcomeNone
	switch a.State {
	case agent.Allowed:
		outcome = ops.OutcomeWaiting
	case agent.Denied, agent.Expired, agent.Cancelled:
	default:
		return fmt.Errorf("resolve approval %s: %q is no answer", a.ID, a.State)
	}
	if a.Decided.IsZero() {
		a.Decided = t.orNow(e.At)
	}
	n, err := t.exec(`UPDATE inbox SET state = ?, decided_by = ?, decided_at = ?, note = ?, why = ?, outcome = ?
		WHERE id = ? AND session = ? AND kind = 'approval' AND state = 'pending'`,
		string(a.State), plain(a.By), nanos(a.Decided), plain(a.Note), plain(a.Why), string(outcome), a.ID, string(e.Session))
	if err != nil {
		return fmt.Errorf("resolve approval %s: %w", a.ID, err)
	}
	row, ok, err := one[inboxRow](t.DB, "SELECT * FROM inbox WHERE id = ? AND session = ? AND kind = 'approval'", a.ID, string(e.Session))
	switch {
	case err != nil:
		return fmt.Errorf("resolve approval %s: %w", a.ID, err)
	case !ok:
		return fmt.Errorf("resolve approval %s: %w", a.ID, agent.ErrNotFound)
	case n == 0:
		return &agent.DecidedError{Approval: row.approval()}
	}
	return t.inboxChanged(row.Stream, a.ID)
}

func approvalOf(e agent.Event) (agent.Approval, error) {
	var body agent.ApprovalBody
	if err := json.Unmarshal(e.Body, &body); err != nil {
		return agent.Approval{}, fmt.Errorf("body of %s: %w", e.Kind, err)
	}
	if body.Approval.ID == "" {
		return agent.Approval{}, fmt.Errorf("body of %s: the approval has no id", e.Kind)
	}
	body.Approval.Session = e.Session
	return body.Approval, nil
}

// maxSay bounds what an item says of its outcome.
const maxSay = 400

// noteOutcome tells the item of an allowed call how the call goes on. Calls without an approval touch nothing.
func (t *tx) noteOutcome(e agent.Event) error {
	var body agent.CallDoneBody
	if err := json.Unmarshal(e.Body, &body); err != nil {
		return fmt.Errorf("body of %s: %w", e.Kind, err)
	}
	say := ""
	if body.Error != nil {
		say = cut(plain(body.Error.Message), maxSay)
	}
	var touched []inboxRow
	touched, err := pick[inboxRow](t.DB, `UPDATE inbox SET outcome = ?, outcome_say = ?
		WHERE session = ? AND call = ? AND kind = 'approval' AND state = 'allowed' RETURNING id, stream`,
		string(outcomeOf(e.Kind, body.Error)), say, string(e.Session), body.Call)
	if err != nil {
		return fmt.Errorf("note outcome of call %s: %w", body.Call, err)
	}
	for _, row := range touched {
		if err := t.inboxChanged(row.Stream, row.ID); err != nil {
			return err
		}
	}
	return nil
}

// outcomeOf reads an outcome from a fact. A platform's refusal is known by its code.
func outcomeOf(kind agent.EventKind, e *agent.ErrorBody) ops.OutcomeState {
	switch kind {
	case agent.ToolStarted:
		return ops.OutcomeRunning
	case agent.ToolCompleted:
		return ops.OutcomeDone
	case agent.ToolUnknown:
		return ops.OutcomeUnknown
	case agent.ToolSkipped:
		return ops.OutcomeNone
	}
	if e != nil && strings.HasPrefix(e.Code, "platform.") {
		return ops.OutcomeRefused
	}
	return ops.OutcomeFailed
}

// evidenceOf finds the comments that a call's arguments name, "c12" or by platform id, as platform ids.
func (t *tx) evidenceOf(stream string, arguments json.RawMessage) ([]string, error) {
	var named struct {
		Comment  string   `json:"comment"`
		Evidence []string `json:"evidence"`
	}
	if json.Unmarshal(arguments, &named) != nil {
		return nil, nil //nolint:nilerr // arguments of another shape name no comments
	}
	refs := named.Evidence
	if named.Comment != "" {
		refs = append([]string{named.Comment}, refs...)
	}
	var found []string
	for _, ref := range refs[:min(len(refs), 40)] {
		place, err := strconv.ParseInt(strings.TrimPrefix(ref, "c"), 10, 64)
		if err != nil || !strings.HasPrefix(ref, "c") {
			found = append(found, ref)
			continue
		}
		id, ok, err := one[string](t.DB, "SELECT platform_id FROM comments WHERE stream = ? AND seq = ?", stream, place)
		if err != nil {
			return nil, err
		}
		if ok {
			found = append(found, id)
		}
	}
	return found, nil
}
