package web

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"urakata/internal/lang"
)

// Config is what the site is made of. The services, Catalogue and Logger are required.
type Config struct {
	Staff      Staff
	Inbox      Inbox
	Board      Board
	Reports    Reports
	Characters Characters
	Operators  Operators
	Audits     Audits
	Catalogue  *lang.Catalogue
	Logger     *slog.Logger
	Now        func() time.Time // nil: time.Now

	Addr      string   // the address that is listened on, host:port; it says which Host names are ours
	Hosts     []string // further names this program may be reached by
	PublicURL string   // how people reach it from outside: https://desk.example/urakata; "" for nobody does
	BasePath  string   // the path it is mounted at; "" or "/" for the root

	Token   string                          // URAKATA_TOKEN; "" lets no script in
	Imports string                          // the folder uploads are written to; "" takes none
	Metrics http.Handler                    // nil: none
	Ready   func(ctx context.Context) error // nil: ready when listening
	Version string
	Dev     bool // shows the gallery of components
}

// Server is the site. Handler serves it, Close ends what stays open.
type Server struct {
	Config
	log       *slog.Logger
	now       func() time.Time
	token     string
	base      string // without a slash at its end
	https     bool
	operators known
	doors     *doors
	gate      *turnstile
	sockets   *sockets
	keys      *keys
	handler   http.Handler
}

// New builds the site and checks that nothing it needs is missing.
func New(cfg Config) (*Server, error) {
	if err := cfg.check(); err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	s := &Server{
		Config: cfg, log: cfg.Logger, now: cfg.Now, token: cfg.Token, operators: cfg.Operators,
		gate: newTurnstile(cfg.Now), sockets: newSockets(), keys: newKeys(cfg.Now),
	}
	var err error
	if s.base, err = basePath(cfg.BasePath); err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	public, err := publicURL(cfg.PublicURL)
	if err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	s.https = public != nil && public.Scheme == "https"
	if s.doors, err = newDoors(cfg.Addr, public, cfg.Hosts); err != nil {
		return nil, fmt.Errorf("web: %w", err)
	}
	s.handler = s.routes()
	return s, nil
}

func (cfg Config) check() error {
	for _, need := range []struct {
		name string
		have bool
	}{
		{"Staff", cfg.Staff != nil}, {"Inbox", cfg.Inbox != nil}, {"Board", cfg.Board != nil}, {"Reports", cfg.Reports != nil},
		{"Characters", cfg.Characters != nil}, {"Operators", cfg.Operators != nil}, {"Audits", cfg.Audits != nil},
		{"Catalogue", cfg.Catalogue != nil}, {"Logger", cfg.Logger != nil},
	} {
		if !need.have {
			return errors.New("config without " + need.name)
		}
	}
	return nil
}

func basePath(given string) (string, error) {
	base := strings.TrimRight(given, "/")
	if base == "" {
		return "", nil
	}
	if u, err := url.Parse(base); err != nil || !strings.HasPrefix(base, "/") || strings.Contains(base, "//") || u.Path != base {
		return "", fmt.Errorf("base path %q: want a path like /urakata", given)
	}
	return base, nil
}

func publicURL(given string) (*url.URL, error) {
	if given == "" {
		return nil, nil
	}
	u, err := url.Parse(given)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("public url %q: want http:// or https:// and a host", given)
	}
	return u, nil
}

// Handler serves the whole site below the base path.
func (s *Server) Handler() http.Handler { return s.handler }

// Close ends sockets and followers with a code that makes pages come back, and waits for them. Call it when the server begins to shut
// down: http.Server.Shutdown waits for followers and does not know sockets.
func (s *Server) Close(ctx context.Context) error {
	if err := s.sockets.close(ctx); err != nil {
		return fmt.Errorf("web: sockets: %w", err)
	}
	return nil
}

// Open is how many sockets and followers there are, for a gauge.
func (s *Server) Open() int { return s.sockets.count() }

// mount puts the site under its base path.
func (s *Server) mount(e *echo.Echo) http.Handler {
	if s.base == "" {
		return e
	}
	inner := http.StripPrefix(s.base, e)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == s.base:
			http.Redirect(w, r, s.base+"/", http.StatusPermanentRedirect)
		case strings.HasPrefix(r.URL.Path, s.base+"/"):
			inner.ServeHTTP(w, r)
		default:
			http.NotFound(w, r)
		}
	})
}
