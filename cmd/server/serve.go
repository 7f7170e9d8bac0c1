package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"golang.org/x/sync/errgroup"

	"urakata/internal/ops"
	"urakata/web"
)

// stopTime is how long a stop waits for requests and running tools before it leaves the rest to the next start.
const stopTime = 10 * time.Second

// serve runs the application until ctx ends.
func serve(ctx context.Context, sys system, args []string) error {
	var c config
	fs := c.flags(sys, "serve")
	fs.StringVar(&c.Addr, "addr", "127.0.0.1:8080", "address to listen on")
	fs.StringVar(&c.BasePath, "base-path", "/", "path under which a reverse proxy serves the application")
	fs.StringVar(&c.PublicURL, "public-url", "", "address that people open, when it is not the listening one")
	fs.BoolVar(&c.Example, "example", true, "load the example on an empty database and play it once")
	fs.BoolVar(&c.Dev, "dev", false, "show the gallery of page parts at /gallery")
	rest, err := c.parse(sys, fs, args)
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return usageError{fmt.Sprintf("serve takes no argument %q", rest[0])}
	}
	log := c.logger(sys)
	h, err := build(ctx, c, log, seams{})
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", c.Addr)
	if err != nil {
		return errors.Join(fmt.Errorf("listen on %s: %w", c.Addr, err), h.Close())
	}
	say := func(format string, a ...any) { fmt.Fprintf(sys.Out, format, a...) }
	err = h.serve(ctx, listener, say)
	return errors.Join(err, h.Close())
}

// serve prepares an empty database, says where the application is, and runs the staff and the pages until ctx ends. Pages stop first, then
// the staff, then the database.
func (h *house) serve(ctx context.Context, listener net.Listener, say func(string, ...any)) error {
	site, err := web.New(web.Config{
		Staff: h.staff, Inbox: h.inbox, Board: h.board, Reports: h.reports, Characters: h.characters, Operators: h.operators, Audits: h.audits,
		Catalogue: h.catalogue, Logger: h.log, Now: time.Now, BasePath: h.cfg.BasePath, PublicURL: h.cfg.PublicURL, Addr: listener.Addr().String(),
		Token: h.cfg.Token, Imports: h.imports(), Metrics: metricsHandler(h.metrics), Version: versionText(), Dev: h.cfg.Dev,
	})
	if err != nil {
		return err
	}
	link, err := h.welcome(ctx, listener)
	if err != nil {
		return err
	}
	pages, stopPages := context.WithCancelCause(context.WithoutCancel(ctx)) // sockets end by this, because Shutdown does not see them
	server := &http.Server{
		Handler: site.Handler(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute,
		BaseContext: func(net.Listener) context.Context { return pages },
	}
	staff, stopStaff := context.WithCancelCause(context.WithoutCancel(ctx)) // the staff outlives the pages, see below
	group, ended := errgroup.WithContext(ctx)
	group.Go(func() error { return quiet(h.staff.Run(staff)) })
	group.Go(func() error {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve: %w", err)
		}
		return nil
	})
	group.Go(func() error {
		<-ended.Done()
		stopPages(errStopping)
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
		defer cancel()
		err := server.Shutdown(last)
		stopStaff(errStopping)
		return err
	})
	if h.cfg.Example {
		group.Go(func() error { return h.playExample(ended) })
	}
	say("Urakata is at %s\n", link)
	return quiet(group.Wait())
}

var errStopping = errors.New("the server is stopping")

// quiet drops the error that only says somebody asked to stop.
func quiet(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, errStopping) {
		return nil
	}
	return err
}

// welcome makes the first owner on an empty database and returns the address to open, with a one-time login link while the owner has no
// password.
func (h *house) welcome(ctx context.Context, listener net.Listener) (string, error) {
	base := h.cfg.PublicURL
	if base == "" {
		base = "http://" + listener.Addr().String()
	}
	base += h.cfg.BasePath
	if _, err := h.operators.First(ctx); err != nil {
		return "", fmt.Errorf("make the first operator: %w", err)
	}
	if err := h.loadCharacters(ctx); err != nil {
		return "", err
	}
	name, err := h.withoutPassword(ctx)
	if err != nil || name == "" {
		return base + "/", err
	}
	token, err := h.operators.Link(ctx, name)
	if err != nil {
		return "", fmt.Errorf("make a login link: %w", err)
	}
	return base + "/login?token=" + url.QueryEscape(token), nil
}

// withoutPassword is the owner's name while nobody at all has a password; afterwards it is empty, and people log in with theirs.
func (h *house) withoutPassword(ctx context.Context) (string, error) {
	all, err := h.operators.List(ctx)
	if err != nil {
		return "", err
	}
	name := ""
	for _, o := range all {
		if o.Hash != "" {
			return "", nil
		}
		if o.Role == ops.RoleOwner && name == "" {
			name = o.Name
		}
	}
	return name, nil
}
