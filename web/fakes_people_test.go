package web_test

import (
	"context"
	"fmt"
	"slices"

	"urakata/internal/ops"
)

type reports struct{ *world }

func (r reports) Report(_ context.Context, id string) (ops.Report, ops.ReportData, error) {
	for _, one := range r.reports {
		if one.ID == id {
			return one, r.data, nil
		}
	}
	return ops.Report{}, ops.ReportData{}, fmt.Errorf("report %s: %w", id, ops.ErrNotFound)
}

func (r reports) List(context.Context, ops.Page) ([]ops.Report, error) { return r.reports, nil }

func (r reports) Of(ctx context.Context, stream string) (ops.Report, ops.ReportData, error) {
	for _, one := range r.reports {
		if one.Stream == stream {
			return one, r.data, nil
		}
	}
	return ops.Report{}, ops.ReportData{}, ops.ErrNotFound
}

type characters struct{ *world }

func (c characters) List(context.Context) ([]ops.Character, error) {
	defer c.lock()()
	var out []ops.Character
	for _, versions := range c.characters {
		out = append(out, versions[len(versions)-1])
	}
	return out, nil
}

func (c characters) Get(_ context.Context, id string) (ops.Character, error) {
	defer c.lock()()
	versions := c.characters[id]
	if len(versions) == 0 {
		return ops.Character{}, fmt.Errorf("character %s: %w", id, ops.ErrNotFound)
	}
	return versions[len(versions)-1], nil
}

func (c characters) Versions(_ context.Context, id string) ([]ops.Character, error) {
	defer c.lock()()
	out := slices.Clone(c.characters[id])
	slices.Reverse(out)
	return out, nil
}

func (c characters) Save(_ context.Context, who ops.Who, ch ops.Character) (ops.Character, error) {
	defer c.lock()()
	if !who.May(ops.RoleOperator) {
		return ch, ops.ErrForbidden
	}
	if ch.Name == "" {
		return ch, ops.InvalidError{{Field: "name", Say: "web.field.choice"}}
	}
	if ch.ID == "" {
		ch.ID = "new"
	}
	versions := c.characters[ch.ID]
	if ch.Version != len(versions) {
		return ch, &ops.Stale{Current: versions[len(versions)-1]}
	}
	ch.Version++
	ch.UpdatedAt, ch.UpdatedBy = at, who.Name
	c.characters[ch.ID] = append(versions, ch)
	return ch, nil
}

func (c characters) Choices() []ops.MindChoice {
	return []ops.MindChoice{{ID: "rules", Name: "rules (offline)", Ready: true}, {ID: "openai", Name: "OpenAI-compatible", Why: "web.field.choice"}}
}

type operators struct{ *world }

func (o operators) who(id string) ops.Who {
	a := o.accounts[id]
	return ops.Who{ID: a.ID, Name: a.Name, Role: a.Role}
}

func (o operators) Who(_ context.Context, session string) (ops.Who, error) {
	defer o.lock()()
	id, ok := o.sessions[session]
	if !ok {
		return ops.Who{}, ops.ErrNotFound
	}
	return o.who(id), o.broken("Who")
}

func (o operators) enter(id string) (ops.Who, string, error) {
	token := fmt.Sprint("session-", id, "-", len(o.sessions))
	o.sessions[token] = id
	return o.who(id), token, nil
}

func (o operators) TakeLink(_ context.Context, token string) (ops.Who, string, error) {
	defer o.lock()()
	id, ok := o.links[token]
	if !ok {
		return ops.Who{}, "", ops.ErrForbidden
	}
	delete(o.links, token)
	return o.enter(id)
}

func (o operators) Login(_ context.Context, name, password string) (ops.Who, string, error) {
	defer o.lock()()
	for _, a := range o.accounts {
		if a.Name == name && a.password == password {
			return o.enter(a.ID)
		}
	}
	return ops.Who{}, "", ops.ErrForbidden
}

func (o operators) Logout(_ context.Context, session string) error {
	defer o.lock()()
	delete(o.sessions, session)
	return nil
}

func (o operators) List(context.Context) ([]ops.OperatorAccount, error) {
	defer o.lock()()
	var out []ops.OperatorAccount
	for _, a := range o.accounts {
		out = append(out, a.OperatorAccount)
	}
	return out, nil
}

func (o operators) Add(_ context.Context, _ ops.Who, name string, role ops.OperatorRole) (ops.OperatorAccount, error) {
	defer o.lock()()
	for _, a := range o.accounts {
		if a.Name == name {
			return ops.OperatorAccount{}, ops.ErrTaken
		}
	}
	if name == "" {
		return ops.OperatorAccount{}, ops.InvalidError{{Field: "name", Say: "web.field.choice"}}
	}
	a := &account{OperatorAccount: ops.OperatorAccount{ID: "op-" + name, Name: name, Role: role}}
	o.accounts[a.ID] = a
	return a.OperatorAccount, nil
}

func (o operators) Reset(_ context.Context, name string) (string, error) {
	defer o.lock()()
	for _, a := range o.accounts {
		if a.Name == name {
			token := fmt.Sprint("link-", len(o.links))
			o.links[token] = a.ID
			return token, nil
		}
	}
	return "", ops.ErrNotFound
}

func (o operators) SetPassword(_ context.Context, _ ops.Who, id, password string) error {
	defer o.lock()()
	if len(password) < 10 {
		return ops.InvalidError{{Field: "password", Say: "web.field.long", Args: map[string]any{"Max": 10}}}
	}
	o.accounts[id].password = password
	return nil
}

type audits struct{ *world }

func (a audits) List(context.Context, string, ops.Page) ([]ops.AuditEntry, error) {
	defer a.lock()()
	return slices.Clone(a.audit), nil
}
