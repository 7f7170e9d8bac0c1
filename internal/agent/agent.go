package agent

import (
	"context"
	"fmt"
	"strings"
	"sync"
)

// Agent is one character at work: it opens sessions and waits for them when it closes.
type Agent struct {
	cfg     Config
	box     *toolbox
	opening sync.WaitGroup

	mu       sync.Mutex // guards sessions and closed
	sessions map[SessionID]*Session
	closed   bool
}

// New checks everything at once; a *ConfigError lists all that is wrong.
func New(cfg Config) (*Agent, error) {
	issues := cfg.issues()
	box, faults := newToolbox(cfg.Tools)
	issues = append(issues, faults...)
	switch p := cfg.Policy.(type) {
	case Lists:
		issues = append(issues, p.unknown(box.has)...)
	case *Lists:
		issues = append(issues, p.unknown(box.has)...)
	}
	if len(issues) > 0 {
		return nil, &ConfigError{What: "agent " + cfg.ID, Issues: issues}
	}
	return &Agent{cfg: cfg.withDefaults(), box: box, sessions: map[SessionID]*Session{}}, nil
}

// Open begins a session, or goes on with one from its log. One that is open already is ErrOpen, one that was closed for good is ErrClosed.
func (a *Agent) Open(ctx context.Context, cfg SessionConfig) (*Session, error) {
	s, err := a.prepare(cfg)
	if err != nil {
		return nil, err
	}
	if err := a.reserve(s.cfg.ID); err != nil {
		return nil, fmt.Errorf("open %s: %w", s.cfg.ID, err)
	}
	defer a.opening.Done()
	l, err := s.recover(ctx)
	if err != nil {
		a.release(s.cfg.ID)
		return nil, fmt.Errorf("open %s: %w", s.cfg.ID, err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		delete(a.sessions, s.cfg.ID)
		return nil, fmt.Errorf("open %s: %w", s.cfg.ID, ErrClosed)
	}
	a.sessions[s.cfg.ID] = s
	go l.run(context.WithoutCancel(ctx)) // the session outlives the call; Close waits for it
	return s, nil
}

func (a *Agent) prepare(cfg SessionConfig) (*Session, error) {
	if cfg.ID == "" {
		cfg.ID = SessionID(a.cfg.NewID("session"))
	}
	box, issues := a.box.only(cfg.Tools)
	if strings.TrimSpace(cfg.Purpose) == "" {
		issues = append(issues, "purpose is required")
	}
	cfg.Audience, cfg.Trust = Audience(orElse(string(cfg.Audience), string(Public))), Trust(orElse(string(cfg.Trust), string(Untrusted)))
	switch cfg.Audience {
	case Public, Private, Operator, Owner:
	default:
		issues = append(issues, fmt.Sprintf("audience %q is not one of public, private, operator, owner", cfg.Audience))
	}
	if cfg.Trust != Trusted && cfg.Trust != Untrusted {
		issues = append(issues, fmt.Sprintf("trust %q is not one of trusted, untrusted", cfg.Trust))
	}
	if len(box.order) > 0 && !a.cfg.Backend.Capabilities().Tools {
		issues = append(issues, "the backend "+a.cfg.Backend.Name()+" cannot call tools")
	}
	s := &Session{agent: a, cfg: cfg, box: box, mail: make(chan mail), ended: make(chan struct{}), left: make(chan struct{})}
	if len(cfg.Output) > 0 {
		output, err := newSchema(cfg.Output)
		if err != nil {
			issues = append(issues, "output: "+err.Error())
		}
		s.output = output
	}
	if len(issues) > 0 {
		return nil, &ConfigError{What: "session " + string(cfg.ID), Issues: issues}
	}
	return s, nil
}

func (a *Agent) reserve(id SessionID) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return ErrClosed
	}
	if _, there := a.sessions[id]; there {
		return ErrOpen
	}
	a.sessions[id] = nil
	a.opening.Add(1)
	return nil
}

func (a *Agent) release(id SessionID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.sessions, id)
}

// Close stops every session and waits for them: models are cancelled, tools get the grace period, what is known is appended. Turns and approvals
// stay open in the log and go on when the sessions are opened again. Closing twice is one close.
func (a *Agent) Close(ctx context.Context) error {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.opening.Wait()
	a.mu.Lock()
	var all []*Session
	for _, s := range a.sessions {
		all = append(all, s)
	}
	a.mu.Unlock()
	for _, s := range all {
		if err := s.tell(ctx, func(_ context.Context, l *loop) { l.stop() }); err != nil {
			continue // it has ended, or ctx has
		}
	}
	for _, s := range all {
		select {
		case <-s.left:
		case <-ctx.Done():
			return fmt.Errorf("close agent %s: %w", a.cfg.ID, context.Cause(ctx))
		}
	}
	return nil
}
