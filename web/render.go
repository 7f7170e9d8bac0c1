package web

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"
	"golang.org/x/text/language"

	"urakata/internal/lang"
	"urakata/internal/ops"
	"urakata/views"
)

// Cookies of what a reader prefers, and of the one message a POST leaves behind.
const (
	langCookie  = "urakata_lang"
	themeCookie = "urakata_theme"
	flashCookie = "urakata_flash"
)

// isAPI reports whether a request is a script's: it gets JSON, and its errors too.
func isAPI(c echo.Context) bool { return strings.HasPrefix(c.Request().URL.Path, apiPrefix) }

// isFragment reports whether htmx asks: it gets the part and not the page around it.
func isFragment(c echo.Context) bool {
	h := c.Request().Header
	return h.Get("HX-Request") == "true" && h.Get("HX-History-Restore-Request") != "true" && h.Get("HX-Boosted") != "true"
}

// printer speaks the reader's language: the one chosen, else what the browser asks for, else English.
func (s *Server) printer(c echo.Context) lang.Printer {
	if cookie, err := c.Cookie(langCookie); err == nil && slices.Contains(lang.Languages(), cookie.Value) {
		return s.Catalogue.Printer(cookie.Value)
	}
	return s.Catalogue.Printer(asked(c.Request().Header.Get("Accept-Language")))
}

// asked picks one of our languages from an Accept-Language header. Script and region do not matter.
func asked(header string) string {
	if len(header) > 200 {
		header = ""
	}
	wishes, _, err := language.ParseAcceptLanguage(header)
	if err != nil {
		return ""
	}
	for _, w := range wishes {
		if base, _ := w.Base(); slices.Contains(lang.Languages(), base.String()) {
			return base.String()
		}
	}
	return ""
}

func theme(c echo.Context) views.Theme {
	cookie, err := c.Cookie(themeCookie)
	if err != nil {
		return views.ThemeDark
	}
	return views.ThemeNamed(cookie.Value)
}

// preferLanguage and preferTheme keep what a reader chose, for a year.
func (s *Server) preferLanguage(c echo.Context) error {
	f, err := form(c)
	if err != nil {
		return err
	}
	if !slices.Contains(lang.Languages(), f.Get("lang")) {
		return ops.InvalidError{{Field: "lang", Say: "web.field.choice"}}
	}
	s.remember(c, langCookie, f.Get("lang"), year)
	return s.back(c, f, views.HomePath, "")
}

func (s *Server) preferTheme(c echo.Context) error {
	f, err := form(c)
	if err != nil {
		return err
	}
	s.remember(c, themeCookie, string(views.ThemeNamed(f.Get("theme"))), year)
	return s.back(c, f, views.HomePath, "")
}

const year = 365 * 24 * time.Hour

// setting is what components may know of this request.
func (s *Server) setting(c echo.Context) views.Setting {
	return views.Setting{Printer: s.printer(c), Base: s.base, Now: s.now(), Zone: time.Local}
}

// markup draws a component into memory.
func markup(ctx context.Context, set views.Setting, t templ.Component) ([]byte, error) {
	var b bytes.Buffer
	if err := t.Render(views.With(ctx, set), &b); err != nil {
		return nil, err
	}
	return visible(b.Bytes()), nil
}

// visible keeps NUL out of markup, wherever it came from: no page may hold one.
func visible(markup []byte) []byte {
	if bytes.IndexByte(markup, 0) < 0 {
		return markup
	}
	return bytes.ReplaceAll(markup, []byte{0}, []byte("\uFFFD"))
}

// render draws a component and sends it: a template that fails leaves no half page.
func (s *Server) render(c echo.Context, status int, t templ.Component) error {
	b, err := markup(c.Request().Context(), s.setting(c), t)
	if err != nil {
		return err
	}
	c.Response().Header().Add("Vary", "HX-Request, Accept-Language, Cookie")
	return c.HTMLBlob(status, b)
}

// frame is what surrounds a page. follow is the socket's address, "" when nothing on the page moves.
func (s *Server) frame(c echo.Context, room views.Room, follow string) (views.Page, error) {
	ctx, w := c.Request().Context(), who(c)
	p := s.bare(c, room)
	if w.ID == "" {
		return p, nil
	}
	counts, err := s.Inbox.Counts(ctx)
	if err != nil {
		return p, err
	}
	p.Counts, p.Live = views.Counts{Pending: counts.Pending, Worst: counts.Worst, Stuck: counts.Stuck}, follow
	p.Staff, err = s.atWork(ctx)
	return p, err
}

// bare is a frame that asks no service, for login and for errors.
func (s *Server) bare(c echo.Context, room views.Room) views.Page {
	w, u := who(c), c.Request().URL
	back := u.Path
	if u.RawQuery != "" && c.Path() != views.LoginPath && c.Path() != views.LoginLinkPath { // a one-time token stays where it is
		back += "?" + u.RawQuery
	}
	return views.Page{
		Nav: room, Reader: w, Theme: theme(c), Back: back, Flash: s.takeFlash(c),
	}
}

// atWork is the characters of streams that are going on: whom the panic button stops.
func (s *Server) atWork(ctx context.Context) ([]ops.Character, error) {
	streams, err := s.Staff.Streams(ctx, ops.Page{Limit: defaultLimit})
	if err != nil {
		return nil, err
	}
	var out []ops.Character
	for _, v := range streams {
		if !going(v.Stream.State) || slices.ContainsFunc(out, func(c ops.Character) bool { return c.ID == v.Stream.Character }) {
			continue
		}
		c, err := s.character(ctx, v.Stream.Character)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

func going(s ops.StreamState) bool {
	return s == ops.StreamLive || s == ops.StreamPaused || s == ops.StreamEnding
}

// flashes are the messages that a POST may leave, by the word in the cookie; a cookie that somebody made up says nothing.
var flashes = []string{
	"started", "paused", "ended", "created", "handled", "dismissed", "reopened", "allowed", "denied", "answered", "bulk", "saved",
	"stopped", "resumed", "password", "added", "logged-out",
}

func (s *Server) leaveFlash(c echo.Context, word string) {
	s.remember(c, flashCookie, word, time.Minute)
}

func (s *Server) takeFlash(c echo.Context) views.Flash {
	cookie, err := c.Cookie(flashCookie)
	if err != nil || c.Request().Method != http.MethodGet || isFragment(c) {
		return views.Flash{}
	}
	s.remember(c, flashCookie, "", -time.Second)
	if !slices.Contains(flashes, cookie.Value) {
		return views.Flash{}
	}
	return views.Flash{Key: "web.flash." + cookie.Value}
}

func (s *Server) remember(c echo.Context, name, value string, life time.Duration) {
	c.SetCookie(&http.Cookie{
		Name: name, Value: value, Path: s.base + "/", MaxAge: int(life.Seconds()),
		HttpOnly: true, Secure: s.secure(c), SameSite: http.SameSiteLaxMode,
	})
}

// back goes to where the form says it came from, or to a path of ours, with a message.
func (s *Server) back(c echo.Context, form url.Values, otherwise, flash string) error {
	if flash != "" {
		s.leaveFlash(c, flash)
	}
	to := otherwise
	if given := form.Get("back"); given != "" {
		to = given
	}
	return c.Redirect(http.StatusSeeOther, s.here(to))
}

// tell answers a request that failed, in the shape its caller reads.
func (s *Server) tell(c echo.Context, v verdict) error {
	p := s.printer(c)
	if isAPI(c) {
		c.Response().Header().Set(echo.HeaderContentType, "application/problem+json")
		return c.JSON(v.status, v.problem(p))
	}
	if v.status == http.StatusUnauthorized && !isFragment(c) && c.Request().Method == http.MethodGet && !wantsSocket(c.Request()) {
		return c.Redirect(http.StatusSeeOther, s.base+views.LoginPath+"?next="+url.QueryEscape(c.Request().URL.RequestURI()))
	}
	page := views.ErrorPage{Page: s.bare(c, ""), Status: v.status, Pairs: v.pairs(p)}
	page.Say, page.Do, page.Page.Title = "web.error."+v.kind+".say", "web.error."+v.kind+".do", v.title(p)
	if v.ours {
		page.Request = requestID(c)
	}
	if isFragment(c) {
		c.Response().Header().Set("HX-Reswap", "none") // the notice goes to its own region; what was there stays
		return s.render(c, v.status, views.ErrorNotice(page))
	}
	return s.render(c, v.status, views.Error(page))
}
