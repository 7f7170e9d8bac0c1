package web

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"urakata/internal/ops"
	"urakata/static"
	"urakata/views"
)

// routes builds the site. A route stands behind the guards of its entry; one that has no entry does not exist.
func (s *Server) routes() http.Handler {
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.HTTPErrorHandler = s.fail // what the accounting middleware did not see
	e.Use(s.identify, s.account, s.catch, s.harden, s.doors.check, s.recognise, segments)
	r := s.rooms()

	open := entry{e: e}
	open.GET(static.Prefix+"*", echo.WrapHandler(static.Handler()))
	plain := open.behind("", bound(bodyLimit))

	s.everybody(plain, r)
	s.lookers(plain.behind("", must(ops.RoleViewer)), r)
	s.deciders(plain.behind("", must(ops.RoleModerator)), r)
	s.runners(plain.behind("", must(ops.RoleOperator)), r)
	s.owners(plain.behind("", must(ops.RoleOwner)), r)
	s.uploads(open.behind("", must(ops.RoleOperator), bound(uploadLimit)), r)

	api := plain.behind(apiPrefix)
	s.machines(api)
	s.readers(api.behind("", must(ops.RoleViewer)), r)
	s.writers(api.behind("", must(ops.RoleModerator)), r)
	s.hosts(api.behind("", must(ops.RoleOperator)), r)
	return s.mount(e)
}

// entry registers routes behind the same guards. Echo's own groups would also answer for paths that do not exist, with the guards of the last.
type entry struct {
	e      *echo.Echo
	prefix string
	guards []echo.MiddlewareFunc
}

// behind is an entry with further guards, after those it has.
func (n entry) behind(prefix string, guards ...echo.MiddlewareFunc) entry {
	return entry{e: n.e, prefix: n.prefix + prefix, guards: append(n.guards[:len(n.guards):len(n.guards)], guards...)}
}

// GET takes HEAD as well: net/http leaves the body out.
func (n entry) GET(path string, h echo.HandlerFunc, more ...echo.MiddlewareFunc) {
	n.e.Match([]string{http.MethodGet, http.MethodHead}, n.prefix+path, h, n.behind("", more...).guards...)
}

// POST registers a state change.
func (n entry) POST(path string, h echo.HandlerFunc, more ...echo.MiddlewareFunc) {
	n.e.POST(n.prefix+path, h, n.behind("", more...).guards...)
}

// PUT registers a replacement.
func (n entry) PUT(path string, h echo.HandlerFunc) { n.e.PUT(n.prefix+path, h, n.guards...) }

// rooms are the parts of the site; each sees the services it needs.
type rooms struct {
	logins     *logins
	streams    *streamRoom
	comments   *commentRoom
	board      *boardRoom
	inbox      *inboxRoom
	reports    *reportRoom
	characters *characterRoom
	sessions   *sessionRoom
	operators  *operatorRoom
	audit      *auditRoom
	live       *live
}

func (s *Server) rooms() rooms {
	d := &drawer{Server: s}
	socket := &live{Server: s, changes: s.Board, draw: d}
	return rooms{
		logins:     &logins{Server: s, door: s.Operators},
		streams:    &streamRoom{Server: s, reader: s.Staff, mover: s.Staff},
		comments:   &commentRoom{Server: s, reader: s.Staff, chat: s.Board, intake: s.Staff},
		board:      &boardRoom{Server: s, board: s.Board, draw: d, socket: socket.follow},
		inbox:      &inboxRoom{Server: s, waiting: s.Inbox, decider: s.Inbox, draw: d},
		reports:    &reportRoom{Server: s, shelf: s.Reports},
		characters: &characterRoom{Server: s, book: s.Characters, minds: s.Characters, stopper: s.Staff},
		sessions:   &sessionRoom{Server: s, logs: s.Board, bell: s.Board},
		operators:  &operatorRoom{Server: s, people: s.Operators},
		audit:      &auditRoom{Server: s, history: s.Audits, streams: s.Staff},
		live:       socket,
	}
}

// everybody may come to the door, and choose how it looks.
func (s *Server) everybody(g entry, r rooms) {
	g.GET(views.LoginPath, r.logins.show)
	g.GET(views.LoginLinkPath, r.logins.show)
	g.POST(views.LoginPath, r.logins.enter)
	g.POST(views.LoginLinkPath, r.logins.enter)
	g.POST(views.LogoutPath, r.logins.leave)
	g.POST(views.LanguagePath, s.preferLanguage)
	g.POST(views.ThemePath, s.preferTheme)
	s.machines(g)
}

// machines ask whether we are well.
func (s *Server) machines(g entry) {
	g.GET("/healthz", s.health, nearby)
	g.GET("/readyz", s.ready, nearby)
	g.GET("/metrics", s.metrics, nearby)
}

// lookers are everybody with a login.
func (s *Server) lookers(g entry, r rooms) {
	g.GET(views.HomePath, r.board.home)
	g.GET(views.LivePath, r.board.home)
	g.GET(views.SocketPath, r.live.follow)
	g.GET(views.StreamsPath, r.streams.list)
	g.GET(views.StreamsPath+"/:id", r.streams.show)
	g.GET(views.StreamsPath+"/:id/live", r.board.one)
	g.GET(views.StreamsPath+"/:id/pulse", r.board.pulse)
	g.GET(views.StreamsPath+"/:id/comments", r.comments.show)
	g.GET(views.InboxPath, r.inbox.list)
	g.GET(views.InboxPath+"/:id", r.inbox.one)
	g.GET(views.ReportsPath, r.reports.list)
	g.GET(views.ReportsPath+"/:id", r.reports.one)
	g.GET(views.CharactersPath, r.characters.list)
	g.GET(views.CharactersPath+"/:id", r.characters.one)
	g.GET(views.AuditPath, r.audit.show)
	g.GET("/sessions/:id", r.sessions.show)
	g.GET(views.OperatorsPath, r.operators.show, person)
	g.POST(views.PasswordPath, r.operators.password, person)
	if s.Dev {
		g.GET(views.GalleryPath, s.gallery)
	}
}

// deciders answer the inbox, put cards away and can stop the staff.
func (s *Server) deciders(g entry, r rooms) {
	g.POST("/cards/:id/:move", r.board.moveCard)
	g.POST(views.InboxPath+"/:id/decision", r.inbox.decide)
	g.POST(views.InboxPath+"/:id/answer", r.inbox.reply)
	g.POST(views.InboxPath+"/decisions", r.inbox.decideMany)
	g.POST(views.PausePath, r.characters.pause)
	g.POST(views.CharactersPath+"/:id/pause", r.characters.pause)
}

// runners have streams and characters.
func (s *Server) runners(g entry, r rooms) {
	g.GET(views.NewStreamPath, r.streams.fresh)
	g.POST(views.StreamsPath+"/:id/start", r.streams.move(s.Staff.Start, "started"))
	g.POST(views.StreamsPath+"/:id/pause", r.streams.move(s.Staff.Pause, "paused"))
	g.POST(views.StreamsPath+"/:id/end", r.streams.move(s.Staff.End, "ended"))
	g.GET(views.NewCharPath, r.characters.fresh)
	g.POST(views.CharactersPath, r.characters.save)
	g.POST(views.CharactersPath+"/:id", r.characters.save)
}

// owners let people in.
func (s *Server) owners(g entry, r rooms) {
	g.POST(views.OperatorsPath, r.operators.add)
	g.POST(views.OperatorsPath+"/:name/reset", r.operators.reset)
}

// uploads may be long.
func (s *Server) uploads(g entry, r rooms) {
	g.POST(views.StreamsPath, r.streams.create)
	g.POST(views.NewStreamPath, r.streams.create)
	g.POST(apiPrefix+"/imports", r.streams.takeAPI)
}

// readers are scripts and pages of others that look.
func (s *Server) readers(g entry, r rooms) {
	g.GET("/streams", r.streams.listAPI)
	g.GET("/streams/:id", r.streams.oneAPI)
	g.GET("/streams/:id/cards", r.board.cardsAPI)
	g.GET("/streams/:id/comments", r.comments.listAPI)
	g.GET("/streams/:id/pulse", r.board.pulseAPI)
	g.GET("/inbox", r.inbox.listAPI)
	g.GET("/inbox/:id", r.inbox.oneAPI)
	g.GET("/reports", r.reports.listAPI)
	g.GET("/reports/:id", r.reports.one)
	g.GET("/characters", r.characters.listAPI)
	g.GET("/characters/:id", r.characters.oneAPI)
	g.GET("/sessions/:id/events", r.sessions.eventsAPI)
	g.GET("/changes", r.board.changesAPI)
	g.GET("/live", r.live.follow)
}

// writers decide.
func (s *Server) writers(g entry, r rooms) {
	g.POST("/cards/:id/:move", r.board.moveCardAPI)
	g.POST("/inbox/:id/decision", r.inbox.decideAPI)
	g.POST("/inbox/:id/answer", r.inbox.replyAPI)
	g.POST("/inbox/decisions", r.inbox.decideManyAPI)
}

// hosts run streams and characters.
func (s *Server) hosts(g entry, r rooms) {
	g.POST("/streams", r.streams.createAPI)
	g.POST("/streams/:id/start", r.streams.moveAPI(s.Staff.Start))
	g.POST("/streams/:id/pause", r.streams.moveAPI(s.Staff.Pause))
	g.POST("/streams/:id/end", r.streams.moveAPI(s.Staff.End))
	g.POST("/streams/:id/comments", r.comments.pushAPI)
	g.PUT("/characters/:id", r.characters.saveAPI)
}

func (s *Server) gallery(c echo.Context) error {
	p, err := s.frame(c, "", "")
	if err != nil {
		return err
	}
	return s.render(c, http.StatusOK, views.Gallery(p, views.Samples{Moment: s.now()}))
}

// param is a part of the path as it was meant, also when it came escaped.
func param(c echo.Context, name string) string {
	raw := c.Param(name)
	if c.Request().URL.RawPath == "" {
		return clean(raw)
	}
	if plain, err := url.PathUnescape(raw); err == nil {
		return clean(plain)
	}
	return clean(raw)
}
