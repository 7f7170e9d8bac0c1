package db_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"urakata/internal/agent"
	"urakata/internal/db"
	"urakata/internal/db/dbtest"
	"urakata/internal/ops"
)

func question(id string) ops.Item {
	return ops.Item{
		ID: id, Kind: ops.ItemQuestion, Stream: "s1", Session: "ses_1", Character: "nagi", Question: "続けますか？", Choices: []string{"はい", "いいえ"},
		Evidence: []string{"m1"}, At: noon, State: ops.ItemPending,
	}
}

func TestQuestionIsAskedOnceAndAnsweredOnce(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		newStream(t, d, "s1")
		want := question("qst_1")
		if err := d.AskQuestion(t.Context(), want, ops.Cursor{Session: "ses_1", Seq: 4}); err != nil {
			t.Fatal(err)
		}
		other := want
		other.Question = "本当に？"
		if err := d.AskQuestion(t.Context(), other, ops.Cursor{Session: "ses_1", Seq: 5}); err != nil {
			t.Errorf("asked again: %v", err)
		}
		if err := d.AskQuestion(t.Context(), question("qst_2"), ops.Cursor{Session: "ses_1", Seq: 5}); err != nil {
			t.Errorf("a cursor that was passed: %v", err)
		}
		_, err := d.Item(t.Context(), "qst_2")
		wantErr(t, err, ops.ErrNotFound)
		got, err := d.Item(t.Context(), "qst_1")
		if err != nil || cmp.Diff(want, got) != "" {
			t.Error(cmp.Diff(want, got), err)
		}

		got, err = d.MoveQuestion(t.Context(), "qst_1", ops.ItemAnswered, "alice", "はい", noon.Add(time.Second))
		want.State, want.DecidedBy, want.DecidedAt, want.Answer = ops.ItemAnswered, "alice", noon.Add(time.Second), "はい"
		if err != nil || cmp.Diff(want, got) != "" {
			t.Error(cmp.Diff(want, got), err)
		}
		_, err = d.MoveQuestion(t.Context(), "qst_1", ops.ItemCancelled, "bob", "stream ended", noon)
		var decided *ops.Decided
		if !errors.As(err, &decided) || cmp.Diff(want, decided.Item) != "" {
			t.Errorf("a second answer: %v", err)
		}
		if diff := cmp.Diff([]string{"stream s1", "inbox qst_1", "inbox qst_1"}, changes(t, d, "")); diff != "" {
			t.Error("console", diff)
		}
		if diff := cmp.Diff([]string{"stream s1", "inbox qst_1", "inbox qst_1"}, changes(t, d, "s1")); diff != "" {
			t.Error(diff)
		}
	})
}

func TestQuestionsAndApprovalsDoNotMoveEachOther(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		newStream(t, d, "s1")
		ses := newSession(t, d, "s1", "ses_1")
		a := pending("apr_1", "call_1")
		request(t, d, ses, a)
		_, err := d.MoveQuestion(t.Context(), "apr_1", ops.ItemAnswered, "alice", "x", noon)
		wantErr(t, err, ops.ErrState)
		_, err = d.MoveQuestion(t.Context(), "apr_1", ops.ItemAllowed, "alice", "x", noon)
		wantErr(t, err, ops.ErrState)
		_, err = d.MoveQuestion(t.Context(), "none", ops.ItemAnswered, "alice", "x", noon)
		wantErr(t, err, ops.ErrNotFound)
		if item, err := d.Item(t.Context(), "apr_1"); err != nil || item.State != ops.ItemPending {
			t.Errorf("%+v, %v", item, err)
		}
		asApproval := question("apr_2")
		asApproval.Kind = ops.ItemApproval
		if err := d.AskQuestion(t.Context(), asApproval, ops.Cursor{}); err == nil {
			t.Error("an approval came without its log")
		}
		unknown := question("unk_1")
		unknown.Kind = ops.ItemUnknown
		if err := d.AskQuestion(t.Context(), unknown, ops.Cursor{}); err != nil {
			t.Fatal(err)
		}
		_, err = d.Append(t.Context(), ses, 1, resolved(t, pending("unk_1", "call_1"), agent.Allowed, "alice"))
		wantErr(t, err, agent.ErrNotFound)
		if got, err := d.MoveQuestion(t.Context(), "unk_1", ops.ItemCancelled, "", "stream ended", noon); err != nil || got.Why != "stream ended" || got.Kind != ops.ItemUnknown {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

func TestItemsComeInTheOrderThatTheyNeedAPerson(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		newStream(t, d, "s1")
		newStream(t, d, "s2")
		ses := newSession(t, d, "s1", "ses_1")
		of := func(id string, deadline time.Duration, risk agent.Risk) agent.Approval {
			a := pending(id, id)
			a.Deadline, a.Risk = noon.Add(deadline), risk
			return a
		}
		seq := request(t, d, ses, of("late", time.Hour, agent.Destructive), of("mild", time.Minute, agent.Write), of("grave", time.Minute, agent.Destructive), of("soon", time.Second, agent.Read))
		for _, q := range []ops.Item{question("open"), {ID: "other", Kind: ops.ItemUnknown, Stream: "s2", At: noon.Add(-1)}} {
			if err := d.AskQuestion(t.Context(), q, ops.Cursor{}); err != nil {
				t.Fatal(err)
			}
		}
		list := func(q ops.ItemQuery) []string {
			t.Helper()
			var ids []string
			q.Page.Limit = 2
			for {
				page, err := d.Items(t.Context(), q)
				if err != nil {
					t.Fatal(err)
				}
				for _, it := range page {
					ids, q.Page.After = append(ids, it.ID), it.ID
				}
				if len(page) == 0 {
					return ids
				}
			}
		}
		if diff := cmp.Diff([]string{"soon", "grave", "mild", "late", "other", "open"}, list(ops.ItemQuery{})); diff != "" {
			t.Error("pending:", diff)
		}
		if diff := cmp.Diff([]string{"soon", "grave", "mild", "late", "open"}, list(ops.ItemQuery{Stream: "s1"})); diff != "" {
			t.Error("of a stream:", diff)
		}
		for i, id := range []string{"grave", "soon"} {
			e := of(id, 0, 0)
			e.State, e.By, e.Decided = agent.Denied, "alice", noon.Add(time.Duration(i)*time.Second)
			var err error
			if seq, err = d.Append(t.Context(), ses, seq, event(t, agent.ApprovalResolved, agent.ApprovalBody{Approval: e})); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := d.MoveQuestion(t.Context(), "open", ops.ItemAnswered, "alice", "はい", noon.Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"open", "soon", "grave"}, list(ops.ItemQuery{Done: true})); diff != "" {
			t.Error("done:", diff)
		}
		if diff := cmp.Diff([]string{"mild", "late", "other"}, list(ops.ItemQuery{})); diff != "" {
			t.Error("still pending:", diff)
		}
		_, err := d.Items(t.Context(), ops.ItemQuery{Page: ops.Page{After: "none"}})
		wantErr(t, err, ops.ErrNotFound)
	})
}
