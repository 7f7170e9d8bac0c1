package db_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"urakata/internal/agent"
	"urakata/internal/db"
	"urakata/internal/db/dbtest"
	"urakata/internal/ops"
)

func readAll(t testing.TB, d *db.DB, id agent.SessionID, from agent.Seq) []agent.Event {
	t.Helper()
	var out []agent.Event
	for e, err := range d.Read(t.Context(), id, from) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

func TestLogComesBackAsItWasAppended(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		want := []agent.Event{
			event(t, agent.SessionStarted, agent.StartedBody{Purpose: "live"}),
			{ID: "e2", Kind: agent.TurnStarted, At: noon, Agent: "nagi"},
			{ID: "e3", Kind: agent.MessageCompleted, At: noon.Add(1), Body: json.RawMessage(`{"text":"\u0000 名前 ` + "\xff" + `"}`)},
		}
		seq, err := d.Append(t.Context(), "ses_1", 0, want[:2]...)
		if err != nil || seq != 2 {
			t.Fatalf("%d, %v", seq, err)
		}
		if seq, err = d.Append(t.Context(), "ses_1", 2, want[2]); err != nil || seq != 3 {
			t.Fatalf("%d, %v", seq, err)
		}
		for i := range want {
			want[i].Session, want[i].Seq = "ses_1", agent.Seq(i)+1
		}
		if diff := cmp.Diff(want, readAll(t, d, "ses_1", 0)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(want[2:], readAll(t, d, "ses_1", 2)); diff != "" {
			t.Error(diff)
		}
		if got := readAll(t, d, "ses_2", 0); got != nil {
			t.Errorf("another log holds %v", got)
		}
	})
}

func TestAppendIsRefusedWhenTheLogHasMovedOn(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for _, after := range []agent.Seq{1, 5, -1} {
			_, err := d.Append(t.Context(), "ses_1", after, event(t, agent.TurnStarted, nil))
			wantErr(t, err, agent.ErrConflict)
		}
		if _, err := d.Append(t.Context(), "ses_1", 0, event(t, agent.TurnStarted, nil), event(t, agent.TurnCompleted, agent.EndBody{})); err != nil {
			t.Fatal(err)
		}
		_, err := d.Append(t.Context(), "ses_1", 1, event(t, agent.TurnStarted, nil))
		wantErr(t, err, agent.ErrConflict)
		if seq, err := d.Append(t.Context(), "ses_1", 2); err != nil || seq != 2 {
			t.Errorf("nothing appended: %d, %v", seq, err)
		}
		if n := len(readAll(t, d, "ses_1", 0)); n != 2 {
			t.Errorf("%d events", n)
		}
	})
}

// Of writers that saw the same end of the log, one gets to append.
func TestOneOfManyWritersAppends(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		const writers, rounds = 8, 10
		for round := range rounds {
			var won atomic.Int32
			var wg sync.WaitGroup
			for range writers {
				wg.Go(func() {
					_, err := d.Append(t.Context(), "ses_1", agent.Seq(round), event(t, agent.TurnStarted, nil))
					switch {
					case err == nil:
						won.Add(1)
					case !errors.Is(err, agent.ErrConflict):
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if won.Load() != 1 {
				t.Fatalf("round %d: %d writers appended", round, won.Load())
			}
		}
	})
}

func TestReadingManyEventsAllowsWritingBetweenThem(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t)
	events := make([]agent.Event, 1203)
	for i := range events {
		events[i] = agent.Event{ID: fmt.Sprint(i), Kind: agent.MessageCompleted, At: noon}
	}
	seq, err := d.Append(t.Context(), "ses_1", 0, events...)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for e, err := range d.Read(t.Context(), "ses_1", 0) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; e.Seq != agent.Seq(n) {
			t.Fatalf("event %d has place %d", n, e.Seq)
		}
		if n == 600 {
			if seq, err = d.Append(t.Context(), "ses_1", seq, events[0]); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n != 1204 {
		t.Errorf("read %d events, want the one appended meanwhile too", n)
	}
	for range d.Read(t.Context(), "ses_1", 0) {
		break // a reader who stops early leaves nothing behind
	}
}

func TestApprovalComesToTheInboxWithItsEvidence(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := ops.Stream{ID: "s1", State: ops.StreamLive, CreatedAt: noon, Rehearsal: true}
		if err := d.CreateStream(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		add(t, d, "s1", chat(0, 3)...)
		ses := newSession(t, d, "s1", "ses_1")
		bell := d.Listen(t.Context(), "approval/apr_1")
		a := pending("apr_1", "call_1")
		request(t, d, ses, a)
		rung(t, bell)
		got, err := d.Item(t.Context(), "apr_1")
		if err != nil {
			t.Fatal(err)
		}
		want := ops.Item{
			ID: "apr_1", Kind: ops.ItemApproval, Stream: "s1", Session: "ses_1", Character: "nagi", Tool: "chat.delete", Risk: "external", Arguments: a.Arguments,
			Reason: "個人情報", Evidence: []string{"m1", "m0", "m0"}, At: noon, Deadline: noon.Add(time.Minute), State: ops.ItemPending, Rehearsed: true,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"stream s1", "comments 3", "session ses_1", "inbox apr_1", "session ses_1"}, changes(t, d, "s1")); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"stream s1", "inbox apr_1"}, changes(t, d, "")); diff != "" {
			t.Error("console", diff)
		}
		_, err = d.Append(t.Context(), ses, 1, event(t, agent.ApprovalRequested, agent.ApprovalBody{Approval: a}))
		if err == nil {
			t.Error("one id was requested twice")
		}
	})
}

func TestTheFirstAnswerStands(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		newStream(t, d, "s1")
		ses := newSession(t, d, "s1", "ses_1")
		a, b, c := pending("apr_1", "call_1"), pending("apr_2", "call_2"), pending("apr_3", "call_3")
		seq := request(t, d, ses, a, b, c)
		seq, err := d.Append(t.Context(), ses, seq, resolved(t, a, agent.Denied, "alice"))
		if err != nil {
			t.Fatal(err)
		}
		item, err := d.Item(t.Context(), "apr_1")
		if err != nil || item.State != ops.ItemDenied || item.DecidedBy != "alice" || item.Note != "見ました" || !item.DecidedAt.Equal(noon.Add(time.Second)) || item.Outcome != ops.OutcomeNone {
			t.Errorf("%+v, %v", item, err)
		}

		_, err = d.Append(t.Context(), ses, seq, event(t, agent.TurnStarted, nil), resolved(t, a, agent.Allowed, "bob"))
		wantErr(t, err, agent.ErrDecided)
		var decided *agent.DecidedError
		if !errors.As(err, &decided) {
			t.Fatalf("%v names nobody", err)
		}
		want := a
		want.Session, want.State, want.By, want.Note, want.Decided = ses, agent.Denied, "alice", "見ました", noon.Add(time.Second)
		if diff := cmp.Diff(want, decided.Approval); diff != "" {
			t.Error(diff)
		}
		if n := len(readAll(t, d, ses, 0)); n != 4 {
			t.Errorf("the whole append was not refused: %d events", n)
		}

		b.State = agent.Expired
		if seq, err = d.Append(t.Context(), ses, seq, event(t, agent.ApprovalExpired, agent.ApprovalBody{Approval: b})); err != nil {
			t.Fatal(err)
		}
		_, err = d.Append(t.Context(), ses, seq, resolved(t, b, agent.Allowed, "bob"))
		wantErr(t, err, agent.ErrExpired)

		c.Why = "stream ended"
		if seq, err = d.Append(t.Context(), ses, seq, resolved(t, c, agent.Cancelled, "")); err != nil {
			t.Fatal(err)
		}
		if item, err = d.Item(t.Context(), "apr_3"); err != nil || item.State != ops.ItemCancelled || item.Why != "stream ended" {
			t.Errorf("%+v, %v", item, err)
		}

		_, err = d.Append(t.Context(), ses, seq, resolved(t, pending("apr_9", "call_9"), agent.Allowed, "bob"))
		wantErr(t, err, agent.ErrNotFound)
		_, err = d.Append(t.Context(), "ses_2", 0, resolved(t, a, agent.Allowed, "bob"))
		wantErr(t, err, agent.ErrNotFound) // the log of another session cannot answer
		d3 := pending("apr_4", "call_4")
		seq, err = d.Append(t.Context(), ses, seq, event(t, agent.ApprovalRequested, agent.ApprovalBody{Approval: d3}))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = d.Append(t.Context(), ses, seq, resolved(t, d3, agent.Pending, "bob")); err == nil {
			t.Error("pending was taken for an answer")
		}
		if _, err = d.Append(t.Context(), ses, seq, agent.Event{Kind: agent.ApprovalResolved, Body: json.RawMessage(`{`)}); err == nil {
			t.Error("a broken body was stored")
		}
	})
}

// Fifty people answer at once. One answer stands, everybody else is told whose, and the log holds exactly that one.
func TestFiftyPeopleDecideAtOnce(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		newStream(t, d, "s1")
		ses := newSession(t, d, "s1", "ses_1")
		a := pending("apr_1", "call_1")
		request(t, d, ses, a)
		var mu sync.Mutex // guards winners and told
		var winners []string
		told := map[string]int{}
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Go(func() {
				who := fmt.Sprintf("op%d", i)
				to := []agent.ApprovalState{agent.Allowed, agent.Denied}[i%2]
				after := agent.Seq(1)
				for {
					_, err := d.Append(t.Context(), ses, after, resolved(t, a, to, who))
					var decided *agent.DecidedError
					switch {
					case err == nil:
						mu.Lock()
						winners = append(winners, who)
						mu.Unlock()
						return
					case errors.As(err, &decided):
						mu.Lock()
						told[decided.Approval.By]++
						mu.Unlock()
						return
					case errors.Is(err, agent.ErrConflict):
						after = agent.Seq(len(readAll(t, d, ses, 0))) // read again, try again
					default:
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		if len(winners) != 1 || len(told) != 1 || told[winners[0]] != 49 {
			t.Fatalf("winners %v, told %v", winners, told)
		}
		if log := readAll(t, d, ses, 0); len(log) != 2 {
			t.Errorf("%d events in the log", len(log))
		}
		if item, err := d.Item(t.Context(), "apr_1"); err != nil || item.DecidedBy != winners[0] {
			t.Errorf("%+v, %v", item, err)
		}
	})
}

func TestAnItemFollowsItsCall(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		newStream(t, d, "s1")
		ses := newSession(t, d, "s1", "ses_1")
		long := ""
		for range 200 {
			long += "長い"
		}
		done := func(code, say string) agent.CallDoneBody {
			b := agent.CallDoneBody{Call: "call_1", Tool: "chat.delete"}
			if code != "" {
				b.Error = &agent.ErrorBody{Code: code, Message: say}
			}
			return b
		}
		for i, tt := range []struct {
			name  string
			kind  agent.EventKind
			body  agent.CallDoneBody
			want  ops.OutcomeState
			say   string
			state agent.ApprovalState
		}{
			{"done", agent.ToolCompleted, done("", ""), ops.OutcomeDone, "", agent.Allowed},
			{"refused by the platform", agent.ToolFailed, done("platform.conflict", "Somebody else acts."), ops.OutcomeRefused, "Somebody else acts.", agent.Allowed},
			{"failed", agent.ToolFailed, done("timeout", long), ops.OutcomeFailed, long[:399], agent.Allowed},
			{"unknown", agent.ToolUnknown, done("", ""), ops.OutcomeUnknown, "", agent.Allowed},
			{"never ran", agent.ToolSkipped, done("", ""), ops.OutcomeNone, "", agent.Allowed},
			{"denied", agent.ToolFailed, done("denied", "No."), ops.OutcomeNone, "", agent.Denied},
		} {
			id := fmt.Sprintf("apr_%d", i)
			a := pending(id, "call_1")
			session := newSession(t, d, "s1", fmt.Sprintf("ses_t%d", i))
			seq := request(t, d, session, a)
			seq, err := d.Append(t.Context(), session, seq, resolved(t, a, tt.state, "alice"))
			if err != nil {
				t.Fatal(err)
			}
			if tt.state == agent.Allowed {
				if item, _ := d.Item(t.Context(), id); item.Outcome != ops.OutcomeWaiting {
					t.Errorf("%s: decided, the outcome is %q", tt.name, item.Outcome)
				}
				if seq, err = d.Append(t.Context(), session, seq, event(t, agent.ToolStarted, agent.CallDoneBody{Call: "call_1"})); err != nil {
					t.Fatal(err)
				}
				if item, _ := d.Item(t.Context(), id); item.Outcome != ops.OutcomeRunning {
					t.Errorf("%s: started, the outcome is %q", tt.name, item.Outcome)
				}
			}
			bell := d.Listen(t.Context(), "console")
			if _, err = d.Append(t.Context(), session, seq, event(t, tt.kind, tt.body)); err != nil {
				t.Fatal(err)
			}
			if tt.state == agent.Allowed {
				rung(t, bell)
			} else {
				silent(t, bell)
			}
			item, err := d.Item(t.Context(), id)
			if err != nil || item.Outcome != tt.want || item.OutcomeSay != tt.say {
				t.Errorf("%s: %q, %q, %v", tt.name, item.Outcome, item.OutcomeSay, err)
			}
		}
		if _, err := d.Append(t.Context(), ses, 0, event(t, agent.ToolStarted, agent.CallDoneBody{Call: "call_1"})); err != nil {
			t.Errorf("a call without an approval: %v", err)
		}
	})
}

func TestALogOfNoStreamWritesNoChange(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		bell := d.Listen(t.Context(), "session/ses_x")
		request(t, d, "ses_x", pending("apr_1", "call_1"))
		rung(t, bell)
		if diff := cmp.Diff([]string{"inbox apr_1"}, changes(t, d, "")); diff != "" {
			t.Error(diff)
		}
	})
}
