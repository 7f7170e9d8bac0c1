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

	"urakata/internal/db"
	"urakata/internal/db/dbtest"
	"urakata/internal/ops"
	"urakata/internal/ops/platform"
)

func TestSessionsAndCursors(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		newStream(t, d, "s1")
		want := ops.SessionRow{ID: "ses_1", Stream: "s1", Character: "nagi", Version: 3, Purpose: "live", CreatedAt: noon}
		for _, s := range []ops.SessionRow{want, {ID: "ses_0", Stream: "s1", CreatedAt: noon.Add(-time.Hour)}, {ID: "ses_9", CreatedAt: noon}} {
			if err := d.SaveSession(t.Context(), s); err != nil {
				t.Fatal(err)
			}
		}
		want.ClosedAt, want.Version = noon.Add(time.Hour), 4
		if err := d.SaveSession(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		got, err := d.SessionsOf(t.Context(), "s1")
		if err != nil || len(got) != 2 || got[0].ID != "ses_0" || cmp.Diff(want, got[1]) != "" {
			t.Errorf("%+v, %v", got, err)
		}
		if diff := cmp.Diff([]string{"stream s1", "session ses_1", "session ses_0", "session ses_1"}, changes(t, d, "s1")); diff != "" {
			t.Error(diff)
		}
		for _, tt := range []struct{ to, want ops.Cursor }{
			{ops.Cursor{Session: "a", Seq: 5}, ops.Cursor{Session: "a", Seq: 5}},
			{ops.Cursor{Session: "a", Seq: 5, Part: 2}, ops.Cursor{Session: "a", Seq: 5, Part: 2}},
			{ops.Cursor{Session: "a", Seq: 4, Part: 9}, ops.Cursor{Session: "a", Seq: 5, Part: 2}},
			{ops.Cursor{Session: "a", Seq: 6}, ops.Cursor{Session: "a", Seq: 6}},
		} {
			if err := d.MoveCursor(t.Context(), tt.to); err != nil {
				t.Fatal(err)
			}
			if got, err := d.Cursor(t.Context(), "a"); err != nil || got != tt.want {
				t.Errorf("after %+v it is %+v, %v", tt.to, got, err)
			}
		}
		if got, err := d.Cursor(t.Context(), "b"); err != nil || got != (ops.Cursor{}) {
			t.Errorf("never followed: %+v, %v", got, err)
		}
	})
}

func TestCharactersKeepEveryVersion(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		c := ops.Character{
			ID: "nagi", Name: "ナギ", Job: "stream-operations", Brief: "静かに働く。", Language: "ja", Backend: "rules", Model: "m", Art: "nagi",
			Tools: map[string]ops.ToolRule{"chat.delete": {Permission: ops.PermitAsk, Deadline: 60}, "cards.write": {Permission: ops.PermitAllow}}, UpdatedAt: noon, UpdatedBy: "owner",
		}
		first, err := d.SaveCharacter(t.Context(), c)
		c.Version = 1
		if err != nil || cmp.Diff(c, first) != "" {
			t.Fatal(cmp.Diff(c, first), err)
		}
		c.Paused, c.Tools, c.UpdatedAt = true, nil, noon.Add(time.Hour)
		second, err := d.SaveCharacter(t.Context(), c)
		c.Version = 2
		if err != nil || cmp.Diff(c, second) != "" {
			t.Fatal(cmp.Diff(c, second), err)
		}
		for _, version := range []int{0, 1, 3} {
			late := c
			late.Version = version
			_, err := d.SaveCharacter(t.Context(), late)
			var stale *ops.Stale
			if !errors.As(err, &stale) || cmp.Diff(second, stale.Current) != "" {
				t.Errorf("version %d: %v", version, err)
			}
		}
		_, err = d.SaveCharacter(t.Context(), ops.Character{ID: "haru", Version: 1})
		wantErr(t, err, ops.ErrNotFound)
		if _, err := d.SaveCharacter(t.Context(), ops.Character{ID: "haru", UpdatedAt: noon}); err != nil {
			t.Fatal(err)
		}
		got, err := d.Characters(t.Context())
		if err != nil || len(got) != 2 || got[0].ID != "haru" || got[1].Version != 2 {
			t.Errorf("%+v, %v", got, err)
		}
		versions, err := d.Versions(t.Context(), "nagi")
		if err != nil || cmp.Diff([]ops.Character{second, first}, versions) != "" {
			t.Error(cmp.Diff([]ops.Character{second, first}, versions), err)
		}
		if got, err := d.Character(t.Context(), "nagi"); err != nil || got.Version != 2 {
			t.Errorf("%+v, %v", got, err)
		}
		_, err = d.Character(t.Context(), "none")
		wantErr(t, err, ops.ErrNotFound)
		if diff := cmp.Diff([]string{"character nagi", "character nagi", "character haru"}, changes(t, d, "")); diff != "" {
			t.Error(diff)
		}
	})
}

func TestOneOfManySavesOfACharacterStands(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		var won, stale atomic.Int32
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() {
				_, err := d.SaveCharacter(t.Context(), ops.Character{ID: "nagi", Brief: fmt.Sprint(i)})
				var s *ops.Stale
				switch {
				case err == nil:
					won.Add(1)
				case errors.As(err, &s) && s.Current.Version == 1:
					stale.Add(1)
				default:
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if won.Load() != 1 || stale.Load() != 19 {
			t.Errorf("%d won, %d were stale", won.Load(), stale.Load())
		}
	})
}

func TestAReportEndsItsStream(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		newStream(t, d, "s1")
		r := ops.Report{ID: "rep_1", Stream: "s1", Version: 1, Title: "振り返り", Character: "nagi", At: noon.Add(time.Hour), Data: json.RawMessage(`{"a": 1}`)}
		_, err := d.SaveReport(t.Context(), r)
		wantErr(t, err, ops.ErrState)
		if _, err := d.MoveStream(t.Context(), "s1", []ops.StreamState{ops.StreamLive}, ops.StreamEnding, noon, ""); err != nil {
			t.Fatal(err)
		}
		got, err := d.SaveReport(t.Context(), r)
		if err != nil || cmp.Diff(r, got) != "" {
			t.Error(cmp.Diff(r, got), err)
		}
		if s, err := d.Stream(t.Context(), "s1"); err != nil || s.State != ops.StreamEnded || !s.EndedAt.Equal(noon.Add(time.Hour)) {
			t.Errorf("%+v, %v", s, err)
		}
		again := r
		again.ID, again.Title = "rep_2", "別の"
		if got, err := d.SaveReport(t.Context(), again); err != nil || cmp.Diff(r, got) != "" {
			t.Errorf("the same version again: %+v, %v", got, err)
		}
		again.ID, again.Version, again.At = "rep_3", 2, noon.Add(2*time.Hour)
		if _, err := d.SaveReport(t.Context(), again); err != nil {
			t.Error(err)
		}
		if got, err := d.ReportOf(t.Context(), "s1"); err != nil || got.ID != "rep_3" {
			t.Errorf("%+v, %v", got, err)
		}
		if got, err := d.Report(t.Context(), "rep_1"); err != nil || cmp.Diff(r, got) != "" {
			t.Error(cmp.Diff(r, got), err)
		}
		for _, tt := range []struct {
			p    ops.Page
			want string
		}{{ops.Page{Limit: 1}, "rep_3"}, {ops.Page{Limit: 1, After: "rep_3"}, "rep_1"}} {
			if got, err := d.Reports(t.Context(), tt.p); err != nil || len(got) != 1 || got[0].ID != tt.want {
				t.Errorf("%+v: %+v, %v", tt.p, got, err)
			}
		}
		for _, id := range []string{"rep_2", "none"} {
			_, err = d.Report(t.Context(), id)
			wantErr(t, err, ops.ErrNotFound)
		}
		_, err = d.ReportOf(t.Context(), "none")
		wantErr(t, err, ops.ErrNotFound)
		if diff := cmp.Diff([]string{"stream s1", "stream s1", "stream s1", "report rep_1", "report rep_3"}, changes(t, d, "")); diff != "" {
			t.Error(diff)
		}
	})
}

func TestOperatorsHaveOneNameEach(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		want := ops.OperatorAccount{ID: "op_1", Name: "Ｈａｒｕ Straße", Role: ops.RoleOwner, Hash: "h", Language: "ja", CreatedAt: noon}
		if err := d.SaveOperator(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"Ｈａｒｕ Straße", "haru strasse", "HARU STRASSE"} {
			if got, err := d.OperatorByName(t.Context(), name); err != nil || cmp.Diff(want, got) != "" {
				t.Errorf("%s: %v %s", name, err, cmp.Diff(want, got))
			}
		}
		wantErr(t, d.SaveOperator(t.Context(), ops.OperatorAccount{ID: "op_2", Name: "haru STRASSE"}), ops.ErrTaken)
		want.Role, want.Hash = ops.RoleViewer, ""
		if err := d.SaveOperator(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		if got, err := d.Operator(t.Context(), "op_1"); err != nil || cmp.Diff(want, got) != "" {
			t.Error(cmp.Diff(want, got), err)
		}
		if err := d.SaveOperator(t.Context(), ops.OperatorAccount{ID: "op_2", Name: "aki"}); err != nil {
			t.Fatal(err)
		}
		if got, err := d.Operators(t.Context()); err != nil || len(got) != 2 || got[0].ID != "op_2" {
			t.Errorf("%+v, %v", got, err)
		}
		_, err := d.Operator(t.Context(), "op_9")
		wantErr(t, err, ops.ErrNotFound)
		_, err = d.OperatorByName(t.Context(), "nobody")
		wantErr(t, err, ops.ErrNotFound)
	})
}

func TestLoginsExpireAndLinksAreTakenOnce(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		if err := d.SaveOperator(t.Context(), ops.OperatorAccount{ID: "op_1", Name: "haru"}); err != nil {
			t.Fatal(err)
		}
		want := ops.Login{Digest: "d1", Operator: "op_1", CreatedAt: noon, ExpiresAt: noon.Add(time.Hour)}
		if err := d.SaveLogin(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		if got, err := d.LoginByDigest(t.Context(), "d1", noon.Add(time.Hour-1)); err != nil || cmp.Diff(want, got) != "" {
			t.Error(cmp.Diff(want, got), err)
		}
		_, err := d.LoginByDigest(t.Context(), "d1", noon.Add(time.Hour))
		wantErr(t, err, ops.ErrNotFound)
		wantErr(t, d.SaveLogin(t.Context(), ops.Login{Digest: "d2", Operator: "op_9", CreatedAt: noon, ExpiresAt: noon.Add(time.Hour)}), ops.ErrNotFound)
		for range 2 {
			if err := d.DropLogin(t.Context(), "d1"); err != nil {
				t.Error(err)
			}
		}
		_, err = d.LoginByDigest(t.Context(), "d1", noon)
		wantErr(t, err, ops.ErrNotFound)

		for _, digest := range []string{"l1", "l2"} {
			if err := d.SaveLink(t.Context(), digest, "op_1", noon.Add(15*time.Minute)); err != nil {
				t.Fatal(err)
			}
		}
		var won atomic.Int32
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				who, err := d.TakeLink(t.Context(), "l1", noon)
				switch {
				case err == nil && who == "op_1":
					won.Add(1)
				case !errors.Is(err, ops.ErrNotFound):
					t.Error(who, err)
				}
			})
		}
		wg.Wait()
		if won.Load() != 1 {
			t.Errorf("the link was taken %d times", won.Load())
		}
		_, err = d.TakeLink(t.Context(), "l2", noon.Add(15*time.Minute))
		wantErr(t, err, ops.ErrNotFound)
	})
}

func TestAuditComesNewestFirst(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for i := range 5 {
			e := ops.AuditEntry{At: noon, By: "alice", Action: "inbox.allow", Stream: fmt.Sprintf("s%d", i%2), Ref: fmt.Sprint(i), Detail: "理由"}
			if err := d.Audit(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
		var refs []string
		p := ops.Page{Limit: 2}
		for {
			page, err := d.AuditEntries(t.Context(), "", p)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range page {
				refs, p.After = append(refs, e.Ref), fmt.Sprint(e.Seq)
			}
			if len(page) == 0 {
				break
			}
		}
		if diff := cmp.Diff([]string{"4", "3", "2", "1", "0"}, refs); diff != "" {
			t.Error(diff)
		}
		got, err := d.AuditEntries(t.Context(), "s1", ops.Page{})
		want := ops.AuditEntry{Seq: 4, At: noon, By: "alice", Action: "inbox.allow", Stream: "s1", Ref: "3", Detail: "理由"}
		if err != nil || len(got) != 2 || cmp.Diff(want, got[0]) != "" {
			t.Errorf("%+v, %v", got, err)
		}
		if _, err := d.AuditEntries(t.Context(), "", ops.Page{After: "yesterday"}); err == nil {
			t.Error("a page after nothing was given")
		}
	})
}

func TestAnActionIsRecordedOncePerKey(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		a := platform.Action{Key: "k1", Kind: platform.Delete, Stream: "s1", Comment: "m1"}
		var first atomic.Int32
		var wg sync.WaitGroup
		for i := range 10 {
			wg.Go(func() {
				_, already, err := d.Record(t.Context(), a, platform.Result{At: noon, Rehearsed: true, Ref: fmt.Sprint(i)})
				if err != nil {
					t.Error(err)
				}
				if !already {
					first.Add(1)
				}
			})
		}
		wg.Wait()
		if first.Load() != 1 {
			t.Errorf("%d were the first", first.Load())
		}
		stands, ok, err := d.Recorded(t.Context(), "k1")
		if err != nil || !ok || !stands.Rehearsed || !stands.At.Equal(noon) {
			t.Errorf("%+v, %v, %v", stands, ok, err)
		}
		if got, already, err := d.Record(t.Context(), a, platform.Result{Ref: "late"}); err != nil || !already || got != stands {
			t.Errorf("%+v, %v, %v", got, already, err)
		}
		if _, ok, err := d.Recorded(t.Context(), "k2"); ok || err != nil {
			t.Errorf("%v, %v", ok, err)
		}
		if _, _, err := d.Record(t.Context(), platform.Action{}, platform.Result{}); err == nil {
			t.Error("an action without a key was recorded")
		}
	})
}
