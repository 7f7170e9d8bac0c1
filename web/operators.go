package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"github.com/labstack/echo/v4"

	"urakata/internal/ops"
	"urakata/views"
)

// people is who may come in.
type people interface {
	List(ctx context.Context) ([]ops.OperatorAccount, error)
	Add(ctx context.Context, who ops.Who, name string, role ops.OperatorRole) (ops.OperatorAccount, error)
	Reset(ctx context.Context, name string) (linkToken string, err error)
	SetPassword(ctx context.Context, who ops.Who, id, password string) error
}

// Operators is everything this package asks of ops.Operators.
type Operators interface {
	known
	entrance
	people
}

// operatorRoom is one's own password, and for an owner the others.
type operatorRoom struct {
	*Server
	people people
}

func (o *operatorRoom) show(c echo.Context) error {
	return o.draw(c, http.StatusOK, views.OperatorsPage{})
}

// draw fills the page; what it already holds is what a form left.
func (o *operatorRoom) draw(c echo.Context, status int, p views.OperatorsPage) (err error) {
	if p.Page, err = o.frame(c, views.RoomSettings, ""); err != nil {
		return err
	}
	accounts, err := o.people.List(c.Request().Context())
	if err != nil {
		return err
	}
	for _, a := range accounts {
		mine := a.ID == who(c).ID
		p.HasPassword = p.HasPassword || mine && a.Hash != ""
		a.Hash = "" // it has no business in a page
		if mine || who(c).May(ops.RoleOwner) {
			p.Accounts = append(p.Accounts, a)
		}
	}
	return o.render(c, status, views.Operators(p))
}

func (o *operatorRoom) password(c echo.Context) error {
	f, err := form(c)
	if err != nil {
		return err
	}
	w := who(c)
	err = o.people.SetPassword(c.Request().Context(), w, w.ID, f.Get("password"))
	var invalid ops.InvalidError
	if errors.As(err, &invalid) {
		return o.draw(c, http.StatusUnprocessableEntity, views.OperatorsPage{Errors: invalid})
	}
	if err != nil {
		return err
	}
	return o.back(c, f, views.OperatorsPath, "password")
}

func (o *operatorRoom) add(c echo.Context) error {
	f, err := form(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	name, role := f.Get("name"), ops.OperatorRole(f.Get("role"))
	p := views.OperatorsPage{Name: name, Role: role}
	account, err := o.people.Add(ctx, who(c), name, role)
	switch {
	case errors.As(err, &p.Errors):
	case errors.Is(err, ops.ErrTaken):
		p.Errors = ops.InvalidError{{Field: "name", Say: "web.field.taken"}}
	case err != nil:
		return err
	}
	if p.Errors != nil {
		return o.draw(c, http.StatusUnprocessableEntity, p)
	}
	return o.link(c, account.Name)
}

// reset ends a person's logins and password and shows the link to come in again.
func (o *operatorRoom) reset(c echo.Context) error { return o.link(c, param(c, "name")) }

func (o *operatorRoom) link(c echo.Context, name string) error {
	token, err := o.people.Reset(c.Request().Context(), name)
	if err != nil {
		return err
	}
	link := o.absolute(c, views.LoginLinkPath+"?token="+url.QueryEscape(token))
	return o.draw(c, http.StatusOK, views.OperatorsPage{Link: link, LinkFor: name})
}

// absolute is a path of ours as somebody else can open it.
func (s *Server) absolute(c echo.Context, path string) string {
	if s.PublicURL != "" && s.doors.public != "" {
		return s.doors.public + s.base + path
	}
	scheme := "http://"
	if s.secure(c) {
		scheme = "https://"
	}
	return scheme + c.Request().Host + s.base + path // the guards know this Host
}

// history is who did what.
type history interface {
	List(ctx context.Context, stream string, p ops.Page) ([]ops.AuditEntry, error)
}

// Audits is everything this package asks of ops.Audits.
type Audits interface{ history }

// auditRoom is the page of what was done.
type auditRoom struct {
	*Server
	history history
	streams streamReader
}

func (a *auditRoom) show(c echo.Context) error {
	at, err := page(c)
	if err != nil {
		return err
	}
	if _, err := place(c, "after"); err != nil {
		return err
	}
	ctx, stream := c.Request().Context(), clean(c.QueryParam("stream"))
	p := views.AuditPage{Stream: stream}
	if p.Page, err = a.frame(c, views.RoomAudit, ""); err != nil {
		return err
	}
	if p.Entries, err = a.history.List(ctx, stream, at); err != nil {
		return err
	}
	if len(p.Entries) == at.Limit {
		p.Next = strconv.FormatInt(p.Entries[len(p.Entries)-1].Seq, 10)
	}
	all, err := a.streams.Streams(ctx, ops.Page{Limit: maxLimit})
	if err != nil {
		return err
	}
	for _, v := range all {
		p.Streams = append(p.Streams, v.Stream)
	}
	return a.render(c, http.StatusOK, views.Audit(p))
}
