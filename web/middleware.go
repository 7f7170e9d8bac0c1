package web

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/labstack/echo/v4"
)

// Keys of what the middleware leaves for handlers.
const (
	keyRequest = "web.request"
	keyWho     = "web.who"
	keySession = "web.session"
	keyStatus  = "web.status"
)

var plainID = regexp.MustCompile(`^[A-Za-z0-9-]{8,64}$`)

// identify gives each request an id, or keeps a plain one that a proxy gave it.
func (s *Server) identify(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		id := c.Request().Header.Get(echo.HeaderXRequestID)
		if !plainID.MatchString(id) {
			id = randomName(8)
		}
		c.Set(keyRequest, id)
		c.Response().Header().Set(echo.HeaderXRequestID, id)
		return next(c)
	}
}

func requestID(c echo.Context) string {
	id, _ := c.Get(keyRequest).(string)
	return id
}

// randomName is 2n characters that nobody can guess.
func randomName(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails: the runtime stops the program instead
	return hex.EncodeToString(b)
}

// account writes one line a request: the route's pattern, never its path or query, because those may hold what people typed.
func (s *Server) account(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		began := s.now()
		err := next(c)
		status := c.Response().Status
		if err != nil {
			s.fail(err, c)
			if told, ok := c.Get(keyStatus).(int); ok {
				status = told
			}
		}
		s.log.InfoContext(c.Request().Context(), "request",
			"request", requestID(c), "method", method(c.Request()), "route", c.Path(), "status", status,
			"bytes", c.Response().Size, "ms", s.now().Sub(began).Milliseconds(), "operator", who(c).ID)
		return nil
	}
}

// method is the request's method if it is a known word; a client may send any token as one.
func method(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch, http.MethodOptions:
		return r.Method
	}
	return "other"
}

// catch turns a panic into a 500 page. The panic's own words are logged only when they are the runtime's: others might quote a viewer.
func (s *Server) catch(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			got := recover()
			if got == nil {
				return
			}
			if cause, ok := got.(error); ok && errors.Is(cause, http.ErrAbortHandler) {
				panic(got) // net/http's own way to drop a connection
			}
			what := fmt.Sprintf("%T", got)
			if fault, ok := got.(runtime.Error); ok {
				what = fault.Error()
			}
			s.log.ErrorContext(c.Request().Context(), "panic", "request", requestID(c), "route", c.Path(), "what", what, "stack", string(debug.Stack()))
			err = &refusal{status: http.StatusInternalServerError, kind: "internal"}
		}()
		return next(c)
	}
}

// segments keeps a part of a path to one part: the router lets a parameter at the end of a route swallow slashes.
func segments(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		route := c.Path()
		if !strings.HasSuffix(route, "*") && strings.Count(route, "/") != strings.Count(echo.GetPath(c.Request()), "/") {
			return echo.ErrNotFound
		}
		return next(c)
	}
}

// policy is the strict content policy: our own files, our own socket, nothing inline and nobody's frame.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'; manifest-src 'self'"

// harden sets the headers that tell a browser what this page never does. Referrer-Policy is same-origin and not no-referrer, because the
// latter makes browsers send "Origin: null" with our own forms.
func (s *Server) harden(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		h := c.Response().Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=()")
		h.Set("Cache-Control", "no-store")
		if s.https {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		return next(c)
	}
}

// Body limits.
const (
	bodyLimit   = 1 << 20
	uploadLimit = 2 << 30
)

// bound lets a request's body be this long at most. A body that says it is longer is refused before it is read.
func bound(limit int64) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			r := c.Request()
			if r.ContentLength > limit {
				return &http.MaxBytesError{Limit: limit}
			}
			if r.Body != nil && r.Body != http.NoBody {
				r.Body = http.MaxBytesReader(c.Response(), r.Body, limit)
			}
			return next(c)
		}
	}
}
