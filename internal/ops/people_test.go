package ops_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"urakata/internal/db/dbtest"
	"urakata/internal/ops"
)

func TestOperatorsLogIn(t *testing.T) {
	d := dbtest.Open(t)
	now := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	o := ops.NewOperators(ops.OperatorsConfig{Store: d, Now: func() time.Time { return now }})
	ctx := t.Context()
	if made := must(o.First(ctx)); !made {
		t.Fatal("no owner in an empty database")
	}
	if again := must(o.First(ctx)); again {
		t.Error("a second owner")
	}
	link := must(o.Link(ctx, "owner"))
	who, session, err := o.TakeLink(ctx, link)
	if err != nil || !who.May(ops.RoleOwner) {
		t.Fatalf("the link gave %+v, %v", who, err)
	}
	if _, _, err := o.TakeLink(ctx, link); !errors.Is(err, ops.ErrForbidden) {
		t.Errorf("the link worked twice: %v", err)
	}
	if got := must(o.Who(ctx, session)); got != who {
		t.Errorf("the session belongs to %+v", got)
	}
	if _, err := o.Who(ctx, session+"x"); !errors.Is(err, ops.ErrForbidden) {
		t.Errorf("a wrong token: %v", err)
	}
	mod := must(o.Add(ctx, who, "Sora", ops.RoleModerator))
	if _, err := o.Add(ctx, who, "sora", ops.RoleModerator); !errors.Is(err, ops.ErrTaken) {
		t.Errorf("a taken name: %v", err)
	}
	modWho := ops.Who{ID: mod.ID, Name: mod.Name, Role: mod.Role}
	if _, err := o.Add(ctx, modWho, "Eve", ops.RoleOwner); !errors.Is(err, ops.ErrForbidden) {
		t.Errorf("a moderator made an owner: %v", err)
	}
	if err := o.SetPassword(ctx, modWho, who.ID, "long enough, really"); !errors.Is(err, ops.ErrForbidden) {
		t.Errorf("a moderator set the owner's password: %v", err)
	}
	var invalid ops.InvalidError
	if err := o.SetPassword(ctx, modWho, mod.ID, "short"); !errors.As(err, &invalid) {
		t.Errorf("a short password: %v", err)
	}
	if _, _, err := o.Login(ctx, "Sora", ""); !errors.Is(err, ops.ErrForbidden) {
		t.Errorf("without a password: %v", err)
	}
	if err := o.SetPassword(ctx, modWho, mod.ID, "correct horse battery"); err != nil {
		t.Fatal(err)
	}
	for name, password := range map[string]string{"Sora": "wrong horse battery", "nobody": "correct horse battery", "SORA": strings.Repeat("x", 500)} {
		if _, _, err := o.Login(ctx, name, password); !errors.Is(err, ops.ErrForbidden) {
			t.Errorf("%s logged in: %v", name, err)
		}
	}
	got, session, err := o.Login(ctx, " sora ", "correct horse battery")
	if err != nil || got != modWho {
		t.Fatalf("login gave %+v, %v", got, err)
	}
	now = now.Add(ops.LoginLife + time.Second)
	if _, err := o.Who(ctx, session); !errors.Is(err, ops.ErrForbidden) {
		t.Errorf("an old session: %v", err)
	}
	late := must(o.Reset(ctx, "Sora"))
	if _, _, err := o.Login(ctx, "Sora", "correct horse battery"); !errors.Is(err, ops.ErrForbidden) {
		t.Errorf("after the reset the old password works: %v", err)
	}
	now = now.Add(ops.LinkLife + time.Second)
	if _, _, err := o.TakeLink(ctx, late); !errors.Is(err, ops.ErrForbidden) {
		t.Errorf("a link that is too old: %v", err)
	}
	for _, e := range must(ops.NewAudits(d).List(ctx, "", ops.Page{Limit: 100})) {
		if strings.Contains(e.Detail+e.Ref+e.By, "horse") || strings.Contains(e.Detail, link) {
			t.Errorf("the audit holds a secret: %+v", e)
		}
	}
}

func TestSavingACharacter(t *testing.T) {
	d := dbtest.Open(t)
	c := ops.NewCharacters(ops.CharactersConfig{Store: d, Minds: mind{}})
	ctx := t.Context()
	bad := ops.Character{Name: " ", Job: "pirate", Brief: "x", Language: "tlh", Backend: "crystal ball", Tools: map[string]ops.ToolRule{
		"rm.rf": {Permission: ops.PermitAllow}, ops.ToolDelete: {Permission: ops.PermitAllow, Deadline: 5}, ops.ToolAsk: {Permission: "always"},
	}}
	_, err := c.Save(ctx, owner, bad)
	var invalid ops.InvalidError
	if !errors.As(err, &invalid) {
		t.Fatalf("got %v", err)
	}
	fields := map[string]bool{}
	for _, f := range invalid {
		fields[f.Field] = true
	}
	for _, want := range []string{"name", "job", "language", "backend", "tool.rm.rf", "tool.chat.delete", "deadline.chat.delete", "tool.operator.ask"} {
		if !fields[want] {
			t.Errorf("%s is not refused: %v", want, invalid)
		}
	}
	if _, err := c.Save(ctx, other, asking()); !errors.Is(err, ops.ErrForbidden) {
		t.Errorf("a moderator saved a character: %v", err)
	}
	saved := must(c.Save(ctx, owner, asking()))
	if saved.Version != 1 || saved.UpdatedBy != "Rin" || saved.Art == "" {
		t.Errorf("saved is %+v", saved)
	}
	saved.Brief = "You are Nagi, and calm."
	if next := must(c.Save(ctx, owner, saved)); next.Version != 2 {
		t.Errorf("the next version is %d", next.Version)
	}
	var stale *ops.Stale
	if _, err := c.Save(ctx, owner, saved); !errors.As(err, &stale) || stale.Current.Version != 2 {
		t.Errorf("an old version: %v", err)
	}
	if all := must(c.Versions(ctx, "nagi")); len(all) != 2 {
		t.Errorf("%d versions", len(all))
	}
}
