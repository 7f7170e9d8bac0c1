package ops

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"urakata/internal/agent"
	"urakata/internal/lang"
	"urakata/internal/ops/comment"
	"urakata/internal/ops/source"
)

// StaffConfig makes a staff. Everything up to Sources is required.
type StaffConfig struct {
	Store     Store
	Log       agent.Store
	Minds     Minds
	Actor     Actor
	Sources   Opener
	Logger    *slog.Logger
	Now       func() time.Time
	NewID     func(prefix string) string
	Meters    Meters
	Catalogue *lang.Catalogue // nil: the embedded one

	// Lockstep makes a desk wait for its character after each look, so that the same recording gives the same cards. For rehearsals only: the
	// chat waits for the model.
	Lockstep bool
}

// Staff keeps the desks. Run does the work; everything else may be called from any goroutine.
type Staff struct {
	cfg    StaffConfig
	wanted chan want
	seated chan struct{} // closed once Run has opened the desks of the streams that were under way

	mu    sync.Mutex // guards desks
	desks map[string]*desk
}

// want asks Run for a desk.
type want struct {
	stream string
	open   chan struct{}
}

// NewStream is what a person says of a stream to come.
type NewStream struct {
	Title     string
	Topic     string
	Language  string
	Character string
	Source    SourceSpec
	Start     bool
	Example   bool
}

// StreamView is a stream as screens show it.
type StreamView struct {
	Stream
	Health  source.Health
	Session agent.Snapshot
	Backend string        // "" when nobody is at work
	Pending int           // inbox items
	Lag     time.Duration // how long something new has waited for a look
}

// NewStaff checks what it is given; it starts nothing.
func NewStaff(c StaffConfig) (*Staff, error) {
	switch {
	case c.Store == nil:
		return nil, errors.New("staff: no store")
	case c.Log == nil:
		return nil, errors.New("staff: no log")
	case c.Minds == nil:
		return nil, errors.New("staff: no minds")
	case c.Actor == nil:
		return nil, errors.New("staff: no actor")
	case c.Sources == nil:
		return nil, errors.New("staff: no sources")
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Catalogue == nil {
		words, err := lang.Load()
		if err != nil {
			return nil, fmt.Errorf("staff: %w", err)
		}
		c.Catalogue = words
	}
	c.Now, c.NewID = clock(c.Now), ids(c.NewID)
	return &Staff{cfg: c, wanted: make(chan want), seated: make(chan struct{}), desks: map[string]*desk{}}, nil
}

// Run works every stream that is under way, and those that are started, until ctx is done; then it waits for all desks to stop.
func (s *Staff) Run(ctx context.Context) error {
	var desks sync.WaitGroup
	defer desks.Wait()
	rung := s.cfg.Store.Listen(ctx, "console") // listen, then look
	open, err := s.unfinished(ctx)
	if err != nil {
		return err
	}
	for _, id := range open {
		s.sit(ctx, &desks, id)
	}
	close(s.seated)
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case w := <-s.wanted:
			s.sit(ctx, &desks, w.stream)
			close(w.open)
		case <-rung:
			for _, d := range s.all() {
				d.nudge()
			}
		}
	}
}

// unfinished lists the streams to take up again: those that have not ended, and those that have with a call decided and not carried out.
func (s *Staff) unfinished(ctx context.Context) ([]string, error) {
	var ids []string
	for page := (Page{Limit: 500}); ; {
		streams, err := s.cfg.Store.Streams(ctx, page)
		if err != nil {
			return nil, fmt.Errorf("streams under way: %w", err)
		}
		for _, st := range streams {
			if st.State == StreamLive || st.State == StreamPaused || st.State == StreamEnding {
				ids = append(ids, st.ID)
			}
			page.After = st.ID
		}
		if len(streams) < page.Limit {
			break
		}
	}
	done, err := s.cfg.Store.Items(ctx, ItemQuery{Done: true, Page: Page{Limit: 500}})
	if err != nil {
		return nil, fmt.Errorf("open work: %w", err)
	}
	for _, it := range done {
		if it.open() {
			ids = append(ids, it.Stream)
		}
	}
	return ids, nil
}

// sit opens a desk, unless there is one. Only Run calls it.
func (s *Staff) sit(ctx context.Context, desks *sync.WaitGroup, stream string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.desks[stream] != nil || stream == "" {
		return
	}
	d := newDesk(s, stream)
	s.desks[stream] = d
	desks.Go(func() {
		err := d.run(ctx)
		s.mu.Lock()
		delete(s.desks, stream)
		s.mu.Unlock()
		d.refuseOffers()
		if err != nil && ctx.Err() == nil {
			s.fell(ctx, d, err)
		}
	})
}

// fell says why a desk stopped by itself. The stream stays as it is, for a person to end or to start again.
func (s *Staff) fell(ctx context.Context, d *desk, err error) {
	s.cfg.Logger.ErrorContext(ctx, "desk stopped", "stream", d.stream, "err", err)
	for _, state := range []StreamState{StreamLive, StreamPaused, StreamEnding} {
		if _, err := s.cfg.Store.MoveStream(ctx, d.stream, []StreamState{state}, state, s.cfg.Now(), "the desk stopped: "+err.Error()); err == nil {
			return
		}
	}
}

func (s *Staff) all() []*desk {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]*desk, 0, len(s.desks))
	for _, d := range s.desks {
		out = append(out, d)
	}
	return out
}

// working is the stream's desk, nil when it has none. In the first moments after a start it waits until the desks have been opened.
func (s *Staff) working(ctx context.Context, stream string) (*desk, error) {
	select {
	case <-s.seated:
		return s.desk(stream), nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (s *Staff) desk(stream string) *desk {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.desks[stream]
}

// need returns once the stream has a desk, and tells it to look again.
func (s *Staff) need(ctx context.Context, stream string) error {
	w := want{stream: stream, open: make(chan struct{})}
	select {
	case s.wanted <- w:
		<-w.open
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if d := s.desk(stream); d != nil {
		d.nudge()
	}
	return nil
}

// Create makes a stream, and starts it if it is to start. InvalidError names each field that is wrong.
func (s *Staff) Create(ctx context.Context, who Who, in NewStream) (Stream, error) {
	if !who.May(RoleOperator) {
		return Stream{}, fmt.Errorf("create stream: %w", ErrForbidden)
	}
	in.Title, in.Topic = strings.TrimSpace(in.Title), strings.TrimSpace(in.Topic)
	if wrong, err := s.check(ctx, &in); err != nil {
		return Stream{}, err
	} else if len(wrong) > 0 {
		return Stream{}, wrong
	}
	st := Stream{
		ID: s.cfg.NewID("str"), Title: in.Title, Topic: in.Topic, Language: in.Language, State: StreamReady, Character: in.Character, Source: in.Source,
		Rehearsal: true, // neither a recording nor a push has a platform behind it
		Example:   in.Example, CreatedAt: s.cfg.Now(),
	}
	if err := s.cfg.Store.CreateStream(ctx, st); err != nil {
		return Stream{}, fmt.Errorf("create stream: %w", err)
	}
	if err := s.audit(ctx, who, AuditStream+"create", st.ID); err != nil {
		return st, err
	}
	if !in.Start {
		return st, nil
	}
	return s.Start(ctx, who, st.ID)
}

func (s *Staff) check(ctx context.Context, in *NewStream) (InvalidError, error) {
	var wrong InvalidError
	add := func(field, say string, args map[string]any) {
		wrong = append(wrong, Invalid{Field: field, Say: say, Args: args})
	}
	switch n := utf8.RuneCountInString(in.Title); {
	case n == 0:
		add("title", "invalid.required", nil)
	case n > 200:
		add("title", "invalid.long", map[string]any{"Max": 200})
	}
	if utf8.RuneCountInString(in.Topic) > 300 {
		add("topic", "invalid.long", map[string]any{"Max": 300})
	}
	switch in.Source.Kind {
	case SourceReplay:
		if in.Source.File == "" {
			add("file", "invalid.required", nil)
		}
		if sp := in.Source.Speed; !(sp >= 0 && sp <= 60) {
			add("speed", "invalid.range", map[string]any{"Min": 0, "Max": 60})
		}
	case SourcePush:
	default:
		add("kind", "invalid.choice", nil)
	}
	c, err := s.character(ctx, in.Character)
	if errors.Is(err, ErrNotFound) || (err == nil && c.Job != JobOperations) {
		add("character", "invalid.choice", nil)
	} else if err != nil {
		return nil, err
	}
	in.Character = c.ID
	if in.Language == "" {
		in.Language = first(c.Language, "en")
	}
	if in.Language != "ja" && in.Language != "en" {
		add("language", "invalid.choice", nil)
	}
	return wrong, nil
}

// character finds one by id; without an id the first one whose job it is.
func (s *Staff) character(ctx context.Context, id string) (Character, error) {
	if id != "" {
		c, err := s.cfg.Store.Character(ctx, id)
		if err != nil {
			return Character{}, fmt.Errorf("character %s: %w", id, err)
		}
		return c, nil
	}
	all, err := s.cfg.Store.Characters(ctx)
	if err != nil {
		return Character{}, fmt.Errorf("characters: %w", err)
	}
	for _, c := range all {
		if c.Job == JobOperations {
			return c, nil
		}
	}
	return Character{}, fmt.Errorf("a character for streams: %w", ErrNotFound)
}

// Start makes a stream live, or lets a paused one go on. Starting one that is live brings its desk back if it had stopped.
func (s *Staff) Start(ctx context.Context, who Who, id string) (Stream, error) {
	return s.turn(ctx, who, id, "start", []StreamState{StreamReady, StreamPaused, StreamLive}, StreamLive)
}

// Pause stops reading the source; nothing is lost.
func (s *Staff) Pause(ctx context.Context, who Who, id string) (Stream, error) {
	return s.turn(ctx, who, id, "pause", []StreamState{StreamLive, StreamPaused}, StreamPaused)
}

// End lets a stream end and its report be made. Ending twice is a no-op.
func (s *Staff) End(ctx context.Context, who Who, id string) (Stream, error) {
	return s.turn(ctx, who, id, "end", []StreamState{StreamLive, StreamPaused}, StreamEnding)
}

func (s *Staff) turn(ctx context.Context, who Who, id, what string, from []StreamState, to StreamState) (Stream, error) {
	if !who.May(RoleOperator) {
		return Stream{}, fmt.Errorf("%s stream %s: %w", what, id, ErrForbidden)
	}
	was, err := s.cfg.Store.Stream(ctx, id)
	if err != nil {
		return Stream{}, fmt.Errorf("%s stream %s: %w", what, id, err)
	}
	switch {
	case to == StreamEnding && was.State == StreamEnded:
		return was, nil
	case to == StreamEnding && was.State == StreamEnding:
		return was, s.need(ctx, id) // a desk that stopped on the way is brought back
	}
	st, err := s.cfg.Store.MoveStream(ctx, id, from, to, s.cfg.Now(), "")
	if err != nil {
		return was, fmt.Errorf("%s stream %s: %w", what, id, err)
	}
	if was.State != to {
		if err := s.audit(ctx, who, AuditStream+what, id); err != nil {
			return st, err
		}
	}
	return st, s.need(ctx, id)
}

func (s *Staff) audit(ctx context.Context, who Who, action, stream string) error {
	return record(ctx, s.cfg.Store, AuditEntry{At: s.cfg.Now(), By: who.Name, Action: action, Stream: stream, Ref: stream})
}

// Offer hands comments to a stream that takes them. They are stored when it returns; *Busy says to come back, ErrState that the stream takes none.
func (s *Staff) Offer(ctx context.Context, id string, batch []comment.Comment) (Added, error) {
	d, err := s.working(ctx, id)
	if err != nil {
		return Added{}, err
	}
	if d == nil {
		st, err := s.cfg.Store.Stream(ctx, id)
		if err != nil {
			return Added{}, fmt.Errorf("offer to %s: %w", id, err)
		}
		return Added{}, fmt.Errorf("offer to %s, which is %s: %w", id, st.State, ErrState)
	}
	o := offer{comments: batch, reply: make(chan offered, 1)}
	select {
	case d.offers <- o:
	default:
		return Added{}, &Busy{RetryAfter: offerRetry}
	}
	select {
	case got := <-o.reply:
		return got.added, got.err
	case <-d.gone:
	case <-ctx.Done():
		return Added{}, context.Cause(ctx)
	}
	select {
	case got := <-o.reply: // it was answered on the way out
		return got.added, got.err
	default:
		return Added{}, &Busy{RetryAfter: offerRetry}
	}
}

// Meters are counters that somebody else keeps, Prometheus for one. A nil func counts nothing. No argument ever holds words of a viewer.
type Meters struct {
	Comments func(platform string, n int)                       // stored; platform is of a closed list
	Briefing func()                                             // sent to a session
	Card     func(kind CardKind, fresh bool)                    // saved; fresh: not an update
	Turn     func(ended string, took time.Duration, tokens int) // ended: the kind of event
	Decision func(state ItemState)
	Action   func(tool, code string) // carried out; code "" or what the platform said
}

func (m Meters) comments(platform string, n int) {
	if m.Comments != nil && n > 0 {
		m.Comments(platform, n)
	}
}

func (m Meters) briefing() {
	if m.Briefing != nil {
		m.Briefing()
	}
}

func (m Meters) card(kind CardKind, fresh bool) {
	if m.Card != nil {
		m.Card(kind, fresh)
	}
}

func (m Meters) turn(ended string, took time.Duration, tokens int) {
	if m.Turn != nil {
		m.Turn(ended, took, tokens)
	}
}

func (m Meters) decision(state ItemState) {
	if m.Decision != nil {
		m.Decision(state)
	}
}

func (m Meters) action(tool, code string) {
	if m.Action != nil {
		m.Action(tool, code)
	}
}
