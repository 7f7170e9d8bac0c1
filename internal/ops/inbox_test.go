package ops_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"urakata/internal/agent"
	"urakata/internal/agent/agenttest"
	"urakata/internal/db/dbtest"
	"urakata/internal/ops"
	"urakata/internal/ops/platform"
)

var errEOF = io.EOF

// proposes makes a mind that proposes once, after the first look, and is quiet then.
func proposes(calls ...agent.ToolCall) answer {
	return func(n int, req *agent.Request) agenttest.Step {
		if n == 1 {
			return agenttest.Step{Calls: calls}
		}
		return quiet(n, req)
	}
}

func deletion(id, ref string) agent.ToolCall {
	return agenttest.Ask(id, ops.ToolDelete, fmt.Sprintf(`{"comment":%q,"reason":"it hurts"}`, ref))
}

func TestC01AnApprovalSurvivesARestartAndRunsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := dbtest.Path(t)
		o := open(t, path, proposes(deletion("a", "c2")))
		st := o.live(asking())
		o.push(st.ID, crowd(0)...)
		before := o.pending(st.ID)
		if len(before) != 1 {
			t.Fatalf("got %d items, want one", len(before))
		}
		o.stop()

		o = open(t, path, quiet)
		defer o.stop()
		synctest.Wait()
		after := o.item(before[0].ID)
		if after.State != ops.ItemPending || !after.Deadline.Equal(before[0].Deadline) || string(after.Arguments) != string(before[0].Arguments) {
			t.Fatalf("after the restart it is %+v", after)
		}
		if after.Target == nil || after.Target.Comment.ID != "m2" || after.Reason != "it hurts" {
			t.Errorf("the page cannot show what it is about: %+v", after)
		}
		must(o.inbox.Decide(t.Context(), owner, after.ID, ops.Answer{Allow: true}))
		synctest.Wait()
		if got := o.item(after.ID); got.Outcome != ops.OutcomeDone || got.DecidedBy != "Rin" || o.actor.count() != 1 {
			t.Fatalf("outcome is %q by %q after %d actions", got.Outcome, got.DecidedBy, o.actor.count())
		}
		if act := o.actor.done[0]; act.Kind != platform.Delete || act.Comment != "m2" || act.Key == "" || !act.Facts.Known {
			t.Errorf("the action was %+v", act)
		}
		if chat := must(o.board.Chat(t.Context(), st.ID, ops.Range{IDs: []string{"m2"}})); chat[0].State != ops.CommentDeleted || chat[0].StateBy != "Rin" {
			t.Errorf("the comment is %q by %q", chat[0].State, chat[0].StateBy)
		}
		if reqs := o.script.Requests(); len(reqs) == 0 || !strings.Contains(told(reqs[len(reqs)-1]), `"outcome":"done"`) {
			t.Error("the character was not told that it was done")
		}
	})
}

func TestC02TheSameIDTwiceRunsOnceAndAContradictionNever(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := open(t, "", proposes(deletion("a", "c2"), deletion("b", "c3")))
		defer o.stop()
		st := o.live(asking())
		o.push(st.ID, crowd(0)...)
		items := o.pending(st.ID)
		if len(items) != 2 {
			t.Fatalf("got %d items, want two", len(items))
		}
		a, b := items[0].ID, items[1].ID
		got := must(o.inbox.DecideAll(t.Context(), owner, []ops.BulkAnswer{{ID: a, Allow: true}, {ID: b, Allow: true}, {ID: a, Allow: true}, {ID: b}}))
		synctest.Wait()
		for i, r := range got {
			if wrong := r.ID == b; wrong != errors.Is(r.Err, ops.ErrContradiction) || !wrong && r.Err != nil {
				t.Errorf("answer %d of %s: %v", i, r.ID, r.Err)
			}
		}
		if o.actor.count() != 1 || o.item(b).State != ops.ItemPending {
			t.Errorf("%d actions, the contradicted item is %s", o.actor.count(), o.item(b).State)
		}
		if n := o.audited(ops.AuditContradict); n != 1 {
			t.Errorf("the contradiction stands %d times in the audit", n)
		}
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				if _, err := o.inbox.Decide(t.Context(), owner, b, ops.Answer{Allow: true}); err != nil {
					t.Errorf("the same answer twice at once: %v", err)
				}
			})
		}
		both.Wait()
		synctest.Wait()
		if o.actor.count() != 2 || o.audited(ops.AuditAllow) != 2 {
			t.Errorf("%d actions, %d decisions in the audit, want two of each", o.actor.count(), o.audited(ops.AuditAllow))
		}
	})
}

func TestC03OfTwoOperatorsOneWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rounds = 20
		var calls []agent.ToolCall
		o := open(t, "", func(n int, req *agent.Request) agenttest.Step {
			if b, ok := briefing(t, req); ok && last(req).Kind == "" && last(req).Role == agent.RoleInstruction && len(calls) < rounds {
				c := deletion(fmt.Sprint("call", n), b.Observations[0].Ref)
				calls = append(calls, c)
				return agenttest.Step{Calls: []agent.ToolCall{c}}
			}
			return quiet(n, req)
		})
		defer o.stop()
		st := o.live(asking())
		for i := range rounds {
			o.push(st.ID, crowd(i*1000)...)
			items := o.pending(st.ID)
			if len(items) != 1 {
				t.Fatalf("round %d: %d items, want one", i, len(items))
			}
			var wg sync.WaitGroup
			var errs [2]error
			wg.Go(func() { _, errs[0] = o.inbox.Decide(t.Context(), owner, items[0].ID, ops.Answer{Allow: true}) })
			wg.Go(func() { _, errs[1] = o.inbox.Decide(t.Context(), other, items[0].ID, ops.Answer{}) })
			wg.Wait()
			synctest.Wait()
			won, lost := 0, errs[0]
			if lost == nil {
				won, lost = 1, errs[1]
			}
			var decided *ops.Decided
			if !errors.As(lost, &decided) {
				t.Fatalf("round %d: the loser got %v", i, lost)
			}
			winner := map[int]string{0: "Sora", 1: "Rin"}[won]
			if decided.Item.DecidedBy != winner || decided.Item.DecidedAt.IsZero() {
				t.Errorf("round %d: the loser is told of %q", i, decided.Item.DecidedBy)
			}
		}
		allowed := o.audited(ops.AuditAllow)
		if allowed+o.audited(ops.AuditDeny) != rounds || o.audited(ops.AuditLate) != rounds {
			t.Errorf("audit: %d allowed, %d denied, %d late", allowed, o.audited(ops.AuditDeny), o.audited(ops.AuditLate))
		}
		if o.actor.count() != allowed {
			t.Errorf("%d actions for %d approvals", o.actor.count(), allowed)
		}
	})
}

func TestC04TheSameAnswerAgainIsNoError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := open(t, "", proposes(deletion("a", "c1")))
		defer o.stop()
		st := o.live(asking())
		o.push(st.ID, crowd(0)...)
		id := o.pending(st.ID)[0].ID
		for range 3 {
			if it, err := o.inbox.Decide(t.Context(), owner, id, ops.Answer{Allow: true}); err != nil || it.State != ops.ItemAllowed {
				t.Fatalf("got %s, %v", it.State, err)
			}
			synctest.Wait()
		}
		if o.actor.count() != 1 || o.audited(ops.AuditAllow) != 1 || o.audited(ops.AuditLate) != 0 {
			t.Errorf("%d actions, %d decisions, %d late", o.actor.count(), o.audited(ops.AuditAllow), o.audited(ops.AuditLate))
		}
	})
}

func TestC05DenyingRunsNothingAndTheNoteArrives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := open(t, "", proposes(
			deletion("a", "c1"),
			agenttest.Ask("b", ops.ToolTimeout, `{"comment":"c2","seconds":60,"reason":"rude"}`),
			agenttest.Ask("c", ops.ToolAnnounce, `{"text":"Please be kind."}`)))
		defer o.stop()
		st := o.live(asking())
		o.push(st.ID, crowd(0)...)
		items := o.pending(st.ID)
		if len(items) != 3 {
			t.Fatalf("got %d items, want three", len(items))
		}
		for i, it := range items {
			must(o.inbox.Decide(t.Context(), owner, it.ID, ops.Answer{Note: fmt.Sprint("not now ", i)}))
		}
		synctest.Wait()
		if o.actor.count() != 0 {
			t.Errorf("%d actions reached the platform", o.actor.count())
		}
		reqs := o.script.Requests()
		heard := told(reqs[len(reqs)-1])
		for i, it := range items {
			if got := o.item(it.ID); got.State != ops.ItemDenied || got.Outcome != ops.OutcomeNone {
				t.Errorf("%s is %s, %q", it.Tool, got.State, got.Outcome)
			}
			if !strings.Contains(heard, fmt.Sprint("not now ", i)) {
				t.Errorf("the note on %s did not arrive", it.Tool)
			}
		}
		if strings.Count(heard, `"outcome":"denied"`) != 3 {
			t.Errorf("the character was not told of three denials: %s", heard)
		}
	})
}

func TestC06AToolWithoutARuleIsDenied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := open(t, "", proposes(deletion("a", "c1"), agenttest.Ask("b", ops.ToolAnnounce, `{"text":"hi"}`), agenttest.Ask("c", "stream.raid", `{}`)))
		defer o.stop()
		c := asking()
		delete(c.Tools, ops.ToolDelete)
		c.Tools[ops.ToolAnnounce] = ops.ToolRule{Permission: "always"}
		st := o.live(c)
		o.push(st.ID, crowd(0)...)
		if n := len(o.pending(st.ID)); n != 0 || o.actor.count() != 0 {
			t.Errorf("%d approvals, %d actions: want neither", n, o.actor.count())
		}
		reqs := o.script.Requests()
		for _, d := range reqs[0].Tools {
			if d.ID == ops.ToolDelete || d.ID == ops.ToolAnnounce {
				t.Errorf("%s is offered without a rule that permits it", d.ID)
			}
		}
		if len(reqs) < 2 || !strings.Contains(told(reqs[1]), "unknown-tool") {
			t.Error("the character was not told that there is no such tool")
		}
	})
}

func TestC08FourWaysNotToRunAreFourOutcomes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		one := func(id, ref string) answer {
			asked := false
			return func(n int, req *agent.Request) agenttest.Step {
				if asked {
					return quiet(n, req)
				}
				asked = true
				return agenttest.Step{Calls: []agent.ToolCall{deletion(id, ref)}}
			}
		}
		outcome := func(how func(o *office, st ops.Stream, id string), want ops.ItemState, why, code string) {
			o := open(t, "", one("a", "c1"))
			defer o.stop()
			st := o.live(asking())
			o.push(st.ID, crowd(0)...)
			id := o.pending(st.ID)[0].ID
			how(o, st, id)
			synctest.Wait()
			got := o.item(id)
			if got.State != want || got.Why != why || got.Outcome != ops.OutcomeNone || o.actor.count() != 0 {
				t.Errorf("%s: got %s, why %q, outcome %q, %d actions", want, got.State, got.Why, got.Outcome, o.actor.count())
			}
			if want != ops.ItemDenied && got.DecidedBy != "" {
				t.Errorf("%s: it claims that %q decided", want, got.DecidedBy)
			}
			heard := false
			for e, err := range o.db.Read(t.Context(), agent.SessionID(got.Session), 0) {
				if err != nil {
					t.Fatal(err)
				}
				heard = heard || e.Kind == agent.InputQueued && strings.Contains(string(e.Body), code)
			}
			if !heard {
				t.Errorf("%s: the character is not told %q", want, code)
			}
			var decided *ops.Decided
			if _, err := o.inbox.Decide(t.Context(), owner, id, ops.Answer{Allow: true}); !errors.As(err, &decided) || decided.Item.State != want {
				t.Errorf("%s: a late answer got %v", want, err)
			}
		}
		outcome(func(*office, ops.Stream, string) { pass(4 * time.Minute) }, ops.ItemExpired, "", `"outcome":"expired"`)
		outcome(func(o *office, _ ops.Stream, id string) {
			must(o.inbox.Decide(t.Context(), owner, id, ops.Answer{}))
		}, ops.ItemDenied, "", `"outcome":"denied"`)
		outcome(func(o *office, st ops.Stream, _ string) {
			if d := o.ended(st.ID); len(d.Safety.Actions) != 1 || d.Safety.Actions[0].Why != "stream ended" {
				t.Errorf("the report says %+v", d.Safety.Actions)
			}
		}, ops.ItemCancelled, "stream ended", `"why":"stream ended"`)
		outcome(func(o *office, _ ops.Stream, _ string) {
			must(o.staff.PauseCharacter(t.Context(), other, "nagi", true))
		}, ops.ItemCancelled, "character stopped", `"why":"character stopped"`)
	})
}

func TestC11EveryDecidedItemComesToAnEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const rounds, each = 7, 8
		release, turns := make(chan struct{}), 0
		o := open(t, "", func(n int, req *agent.Request) agenttest.Step {
			if last(req).Role != agent.RoleInstruction {
				return quiet(n, req)
			}
			if turns++; turns > rounds {
				return agenttest.Step{Text: `{"cards":[]}`, Deaf: release}
			}
			b, _ := briefing(t, req)
			var calls []agent.ToolCall
			for i := range each {
				calls = append(calls, deletion(fmt.Sprint("call", i), b.Observations[i].Ref))
			}
			return agenttest.Step{Calls: calls}
		})
		defer o.stop()
		defer close(release)
		st := o.live(asking())
		for i := range rounds {
			o.push(st.ID, crowd(i*30)...)
		}
		items := o.pending(st.ID)
		if len(items) != rounds*each {
			t.Fatalf("got %d items, want %d", len(items), rounds*each)
		}
		o.push(st.ID, crowd(1000)...) // now the character thinks, and goes on thinking
		if v := must(o.staff.Stream(t.Context(), st.ID)); v.Session.Activity != agent.Thinking || v.Pending != len(items) {
			t.Fatalf("the character is %s", v.Session.Activity)
		}
		begun := time.Now()
		for _, it := range items {
			must(o.inbox.Decide(t.Context(), owner, it.ID, ops.Answer{Allow: true}))
		}
		synctest.Wait()
		for _, it := range items {
			if got := o.item(it.ID); got.Outcome != ops.OutcomeDone {
				t.Errorf("%s is %q", it.ID, got.Outcome)
			}
		}
		if took := time.Since(begun); took > 5*time.Second || o.actor.count() != len(items) {
			t.Errorf("it took %s, %d actions", took, o.actor.count())
		}
		if c := must(o.inbox.Counts(t.Context())); c.Stuck != 0 || c.Pending != 0 {
			t.Errorf("counts are %+v", c)
		}
	})
}

func TestAnActionThatMayHaveHappenedBecomesAQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path, hang := dbtest.Path(t), make(chan struct{})
		defer close(hang)
		o := open(t, path, proposes(agenttest.Ask("a", ops.ToolAnnounce, `{"text":"Please be kind."}`)), func(c *ops.StaffConfig) {
			c.Actor = &actor{do: func(platform.Action) (platform.Result, error) {
				<-hang
				return platform.Result{}, nil
			}}
		})
		st := o.live(asking())
		o.push(st.ID, crowd(0)...)
		it := o.pending(st.ID)[0]
		must(o.inbox.Decide(t.Context(), owner, it.ID, ops.Answer{Allow: true}))
		synctest.Wait()
		o.stop()
		o = open(t, path, quiet)
		defer o.stop()
		synctest.Wait()
		if got := o.item(it.ID); got.Outcome != ops.OutcomeUnknown || o.actor.count() != 0 {
			t.Errorf("outcome is %q after %d more actions", got.Outcome, o.actor.count())
		}
		asked := o.pending(st.ID)
		if len(asked) != 1 || asked[0].Kind != ops.ItemUnknown || asked[0].Tool != ops.ToolAnnounce {
			t.Fatalf("the inbox asks %+v", asked)
		}
		must(o.inbox.Reply(t.Context(), owner, asked[0].ID, "it was posted"))
		synctest.Wait()
		reqs := o.script.Requests()
		if len(reqs) == 0 || !strings.Contains(told(reqs[len(reqs)-1]), "it was posted") {
			t.Error("the character was not told")
		}
	})
}

func TestC11TheWatchdogNamesWhatIsStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hang := make(chan struct{})
		o := open(t, "", proposes(deletion("a", "c1")), func(c *ops.StaffConfig) {
			c.Actor = &actor{do: func(platform.Action) (platform.Result, error) {
				<-hang
				return platform.Result{}, nil
			}}
		})
		defer o.stop()
		st := o.live(asking())
		o.push(st.ID, crowd(0)...)
		it := o.pending(st.ID)[0]
		must(o.inbox.Decide(t.Context(), owner, it.ID, ops.Answer{Allow: true}))
		synctest.Wait()
		if c := must(o.inbox.Counts(t.Context())); c.Stuck != 0 {
			t.Errorf("stuck at once: %+v", c)
		}
		pass(11 * time.Second)
		if c := must(o.inbox.Counts(t.Context())); c.Stuck != 1 {
			t.Errorf("after eleven seconds counts are %+v", c)
		}
		close(hang)
		synctest.Wait()
		if c := must(o.inbox.Counts(t.Context())); c.Stuck != 0 {
			t.Errorf("after it ran counts are %+v", c)
		}
	})
}
