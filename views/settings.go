package views

import (
	"context"
	"net/url"
	"strings"

	"urakata/internal/ops"
)

// OperatorsPage is the settings: one's own password, and for an owner the people who may log in.
type OperatorsPage struct {
	Page        Page
	Accounts    []ops.OperatorAccount
	HasPassword bool   // the reader has one already
	Name        string // as typed into the form that adds a person
	Role        ops.OperatorRole
	Errors      ops.InvalidError // fields: password, name, role
	Link        string           // absolute one-time link, shown once
	LinkFor     string
}

// AuditPage is who did what, when and why.
type AuditPage struct {
	Page    Page
	Entries []ops.AuditEntry
	Streams []ops.Stream // for names and the filter
	Stream  string
	Next    string
}

func passwordLabel(ctx context.Context, has bool) string {
	if has {
		return T(ctx, "views.field.newpassword")
	}
	return T(ctx, "views.field.firstpassword")
}

func streamTitle(list []ops.Stream, id string) string {
	for _, s := range list {
		if s.ID == id {
			return calm(visible(s.Title))
		}
	}
	return id
}

// auditTarget is the page of what an entry is about, when there is one.
func auditTarget(e ops.AuditEntry) string {
	kind, _, _ := strings.Cut(e.Action, ".")
	switch {
	case e.Ref == "":
		return ""
	case kind == "inbox":
		return ItemPath(e.Ref)
	case kind == "character":
		return CharacterPath(e.Ref)
	}
	return ""
}

func auditNext(p AuditPage) string {
	v := url.Values{"after": {p.Next}}
	if p.Stream != "" {
		v.Set("stream", p.Stream)
	}
	return AuditPath + "?" + v.Encode()
}
