package web

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"urakata/internal/ops"
	"urakata/static"
)

// known finds the person of a browser session. Who is ops.ErrNotFound or ops.ErrForbidden when the session has ended.
type known interface {
	Who(ctx context.Context, session string) (ops.Who, error)
}

// cookieName holds the session's token and nothing else.
const cookieName = "urakata"

// cookieLife is as long as the service keeps a session.
const cookieLife = 14 * 24 * time.Hour

// scripts is who acts with URAKATA_TOKEN: it runs streams and decides, and manages no people.
var scripts = ops.Who{ID: "token", Name: "API token", Role: ops.RoleOperator}

// nobody is the zero Who: it has no id.
func who(c echo.Context) ops.Who {
	w, _ := c.Get(keyWho).(ops.Who)
	return w
}

// session is the token of the cookie that let this request in, "" for a script.
func session(c echo.Context) string {
	token, _ := c.Get(keySession).(string)
	return token
}

// recognise finds out who asks and refuses nobody yet, except a bearer token that is wrong: a script should learn that at once.
func (s *Server) recognise(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if strings.HasPrefix(r.URL.Path, static.Prefix) {
			return next(c) // the same for everybody
		}
		if given := r.Header.Get(echo.HeaderAuthorization); given != "" {
			scheme, token, _ := strings.Cut(given, " ")
			if !strings.EqualFold(scheme, "Bearer") || !s.isToken(strings.TrimSpace(token)) {
				c.Response().Header().Set(echo.HeaderWWWAuthenticate, `Bearer realm="urakata"`)
				return errLogin
			}
			c.Set(keyWho, scripts)
			return next(c)
		}
		cookie, err := r.Cookie(cookieName)
		if err != nil || cookie.Value == "" {
			return next(c)
		}
		w, err := s.operators.Who(r.Context(), cookie.Value)
		switch {
		case errors.Is(err, ops.ErrNotFound), errors.Is(err, ops.ErrForbidden):
			return next(c) // an old cookie is no cookie
		case err != nil:
			return err
		}
		c.Set(keyWho, w)
		c.Set(keySession, cookie.Value)
		return next(c)
	}
}

// isToken compares in constant time whatever the lengths are. No token configured means that none is right.
func (s *Server) isToken(given string) bool {
	if s.token == "" {
		return false
	}
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(s.token))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// must lets in who has at least the role.
func must(role ops.OperatorRole) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			w := who(c)
			if w.ID == "" {
				return errLogin
			}
			if !w.May(role) {
				return ops.ErrForbidden
			}
			return next(c)
		}
	}
}

// person lets in who came with a browser session: what is about one's own login means nothing to a script.
func person(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if session(c) == "" {
			return errLogin
		}
		return next(c)
	}
}

// nearby lets in the machine itself without a login, and everybody else with one.
func nearby(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if local(c.Request()) || who(c).ID != "" {
			return next(c)
		}
		return errLogin
	}
}

func (s *Server) setSession(c echo.Context, token string) {
	c.SetCookie(&http.Cookie{
		Name: cookieName, Value: token, Path: s.base + "/", MaxAge: int(cookieLife.Seconds()),
		HttpOnly: true, Secure: s.secure(c), SameSite: http.SameSiteLaxMode,
	})
}

func (s *Server) dropSession(c echo.Context) {
	c.SetCookie(&http.Cookie{
		Name: cookieName, Path: s.base + "/", MaxAge: -1,
		HttpOnly: true, Secure: s.secure(c), SameSite: http.SameSiteLaxMode,
	})
}

// secure is true wherever the browser speaks https, to us or to the proxy in front.
func (s *Server) secure(c echo.Context) bool { return s.https || c.Request().TLS != nil }
