package main

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"urakata/internal/agent"
	"urakata/internal/db"
	"urakata/internal/lang"
	"urakata/internal/ops"
	"urakata/internal/ops/platform"
)

// house is the built program: every floor, bottom-up. Nothing in it runs before Run of its parts is called.
type house struct {
	cfg        config
	log        *slog.Logger
	db         *db.DB
	catalogue  *lang.Catalogue
	metrics    *prometheus.Registry
	staff      *ops.Staff
	inbox      *ops.Inbox
	board      *ops.Board
	reports    *ops.Reports
	characters *ops.Characters
	operators  *ops.Operators
	audits     *ops.Audits
}

// seams are what a test may replace, and how a rehearsal differs from the application. The zero value is the application.
type seams struct {
	Log      func(agent.Store) agent.Store
	Actor    func(ops.Actor) ops.Actor
	Minds    ops.Minds
	Example  bool // tests: play the example
	Lockstep bool
	Shared   bool                       // beside a running server: no lock, and nothing is run
	Own      string                     // rehearse: the recording's path
	NewID    func(prefix string) string // nil: random
}

// build opens the database and makes the floors. The caller closes the house.
func build(ctx context.Context, cfg config, log *slog.Logger, s seams) (*house, error) {
	if err := cfg.ensureData(); err != nil {
		return nil, err
	}
	catalogue, err := lang.Load()
	if err != nil {
		return nil, err
	}
	store, err := db.Open(ctx, db.Config{DSN: cfg.DB, Log: log, Now: time.Now, Shared: s.Shared})
	if err != nil {
		return nil, err
	}
	h := &house{cfg: cfg, log: log, db: store, catalogue: catalogue, metrics: newMetrics()}
	if err := h.floors(s); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return h, nil
}

func (h *house) floors(s seams) error {
	var sessions agent.Store = h.db
	if s.Log != nil {
		sessions = s.Log(sessions)
	}
	rehearsal, err := platform.NewRehearsal(platform.RehearsalConfig{Ledger: h.db, Now: time.Now})
	if err != nil {
		return err
	}
	var actor ops.Actor = rehearsal
	if s.Actor != nil {
		actor = s.Actor(actor)
	}
	ids := s.NewID
	if ids == nil {
		ids = newID
	}
	var mind ops.Minds = &minds{cfg: h.cfg.Mind, catalogue: h.catalogue}
	if s.Minds != nil {
		mind = s.Minds
	}
	h.staff, err = ops.NewStaff(ops.StaffConfig{
		Store: h.db, Log: sessions, Minds: mind, Actor: actor, Sources: &sources{imports: h.imports(), own: s.Own},
		Logger: h.log, Now: time.Now, NewID: ids, Meters: meters(h.metrics), Lockstep: s.Lockstep,
	})
	if err != nil {
		return err
	}
	h.inbox = ops.NewInbox(ops.InboxConfig{Store: h.db, Staff: h.staff, Now: time.Now})
	h.board = ops.NewBoard(ops.BoardConfig{Store: h.db, Staff: h.staff, Log: sessions, Now: time.Now})
	h.reports = ops.NewReports(ops.ReportsConfig{Store: h.db})
	h.characters = ops.NewCharacters(ops.CharactersConfig{Store: h.db, Minds: mind, Now: time.Now})
	h.operators = ops.NewOperators(ops.OperatorsConfig{Store: h.db, Now: time.Now, NewID: newID})
	h.audits = ops.NewAudits(h.db)
	return nil
}

func (h *house) imports() string { return filepath.Join(h.cfg.Data, "imports") }

// Close lets go of the database and of the lock beside it.
func (h *house) Close() error { return h.db.Close() }

// newID makes an id that sorts by nothing and tells nothing: 80 random bits.
func newID(prefix string) string {
	var b [10]byte
	rand.Read(b[:]) // never fails
	return prefix + "_" + strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b[:]))
}

func newMetrics() *prometheus.Registry {
	r := prometheus.NewRegistry()
	r.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return r
}

func metricsHandler(r *prometheus.Registry) http.Handler {
	return promhttp.HandlerFor(r, promhttp.HandlerOpts{})
}

// removeTemp removes a rehearsal's folder; what cannot be removed is said, not hidden.
func removeTemp(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("the temporary folder %s could not be removed: %w", dir, err)
	}
	return nil
}

// counted makes ids that count up, so that two rehearsals of one recording give the same result to the letter.
func counted() func(prefix string) string {
	var mu sync.Mutex
	next := map[string]int{}
	return func(prefix string) string {
		mu.Lock()
		defer mu.Unlock()
		next[prefix]++
		return fmt.Sprintf("%s_%06d", prefix, next[prefix])
	}
}
