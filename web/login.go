package web

import (
	"context"
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"urakata/internal/ops"
	"urakata/views"
)

// entrance is how people come in and leave.
type entrance interface {
	TakeLink(ctx context.Context, token string) (ops.Who, string, error)
	Login(ctx context.Context, name, password string) (ops.Who, string, error)
	Logout(ctx context.Context, session string) error
}

// logins is the room with the door.
type logins struct {
	*Server
	door entrance
}

// show is the form, or for a one-time link a page with one button: a GET must not use the link up, because chat programs look at links.
func (l *logins) show(c echo.Context) error {
	next := clean(c.QueryParam("next"))
	if token := c.QueryParam("token"); token != "" {
		return l.render(c, http.StatusOK, views.LoginLink(views.LinkPage{Page: l.bare(c, ""), Token: clean(token), Next: next}))
	}
	if who(c).ID != "" {
		return c.Redirect(http.StatusSeeOther, l.here(next))
	}
	return l.render(c, http.StatusOK, views.Login(views.LoginPage{Page: l.bare(c, ""), Next: next}))
}

// enter takes a name and a password, or the token of a one-time link.
func (l *logins) enter(c echo.Context) error {
	f, err := form(c)
	if err != nil {
		return err
	}
	if err := l.gate.pass(caller(c.Request())); err != nil {
		return err
	}
	ctx, token, next := c.Request().Context(), f.Get("token"), f.Get("next")
	var opened string
	if token != "" {
		_, opened, err = l.door.TakeLink(ctx, token)
	} else {
		_, opened, err = l.door.Login(ctx, f.Get("name"), f.Get("password"))
	}
	switch {
	case err == nil:
		if old := session(c); old != "" { // the same browser, perhaps another person
			l.end(c, old)
		}
		l.setSession(c, opened)
		return c.Redirect(http.StatusSeeOther, l.here(next))
	case errors.Is(err, ops.ErrForbidden), errors.Is(err, ops.ErrNotFound):
		p := views.LoginPage{Page: l.bare(c, ""), Name: f.Get("name"), Next: next, Bad: token == "", Link: token != ""}
		return l.render(c, http.StatusUnprocessableEntity, views.Login(p))
	}
	return err
}

func (l *logins) leave(c echo.Context) error {
	if opened := session(c); opened != "" {
		if err := l.door.Logout(c.Request().Context(), opened); err != nil {
			return err
		}
		l.sockets.logout(opened)
	}
	l.dropSession(c)
	l.leaveFlash(c, "logged-out")
	return c.Redirect(http.StatusSeeOther, l.base+views.LoginPath)
}

// end closes a session that another one replaces. If that fails it ends by itself, and nobody holds its token any more.
func (l *logins) end(c echo.Context, opened string) {
	if err := l.door.Logout(c.Request().Context(), opened); err != nil {
		l.log.WarnContext(c.Request().Context(), "old session not closed", "request", requestID(c), "error", err)
	}
	l.sockets.logout(opened)
}
