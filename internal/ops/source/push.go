package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"strconv"
	"strings"
	"sync"
	"time"

	"urakata/internal/ops/comment"
)

// ErrFull is what a Push answers when its queue has no room: nothing is lost, the sender keeps the rest and tries again.
var ErrFull = errors.New("the stream takes comments more slowly than they arrive; send the rest again in a moment")

// PushConfig says how a Push behaves.
type PushConfig struct {
	Capacity int              // comments that may wait; 0: 2,000
	Remember int              // ids kept to know a duplicate by; 0: 20,000
	Start    time.Time        // when the stream began, for offsets; zero: offsets are kept as they come
	From     string           // a Batch.Position to go on after
	Now      func() time.Time // nil: time.Now
}

// Push is a Source that somebody else feeds: scripts and host products, over HTTP or a socket. It holds at most Capacity comments and refuses more
// instead of growing. It keeps nothing beyond the process: a sender that must not lose a comment uses Deliver, which answers after
// the reader came back for more, that is, after it stored what it had.
type Push struct {
	cfg PushConfig

	mu      sync.Mutex // guards all below
	changed chan struct{}
	queue   []comment.Comment
	taken   int64 // comments that entered the queue, ever
	handed  int64 // of them, handed out
	stored  int64 // of them, known to be kept
	seen    map[string]struct{}
	order   []string // ring of the ids in seen
	oldest  int
	ended   bool
	closed  bool
	health  Health
}

// Receipt says what became of an offer. Taken is how many comments from its beginning were dealt with: on ErrFull, offer the rest again.
type Receipt struct {
	Taken      int    `json:"-"`
	Accepted   int    `json:"accepted"`
	Duplicates int    `json:"duplicates"`
	Rejected   []Skip `json:"rejected,omitempty"` // Line is the 1-based place in the offer
}

// NewPush returns a Push that waits for its first comment.
func NewPush(cfg PushConfig) (*Push, error) {
	if cfg.Capacity <= 0 {
		cfg.Capacity = 2000
	}
	if cfg.Remember <= 0 {
		cfg.Remember = 20_000
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	p := &Push{cfg: cfg, changed: make(chan struct{}), seen: map[string]struct{}{}, order: make([]string, 0, min(cfg.Remember, 1024))}
	p.health = Health{State: StateWaiting, Format: "push", Counts: Counts{Reasons: map[string]int64{}}}
	if cfg.From != "" {
		n, err := strconv.ParseInt(strings.TrimPrefix(cfg.From, "push:"), 10, 64)
		if err != nil || n < 0 || !strings.HasPrefix(cfg.From, "push:") {
			return nil, fmt.Errorf("push: %q is not a position of a pushed stream", cfg.From)
		}
		p.taken, p.handed, p.stored = n, n, n
	}
	return p, nil
}

// Offer hands comments to the stream without waiting. What does not fit is answered with ErrFull.
func (p *Push) Offer(comments []comment.Comment) (Receipt, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.offer(comments)
}

func (p *Push) offer(comments []comment.Comment) (Receipt, error) {
	var r Receipt
	if p.closed || p.ended {
		return r, ErrClosed
	}
	defer p.ring()
	counts := &p.health.Counts
	for i := range comments {
		c := comments[i]
		switch key, reason := p.fit(&c); {
		case reason != "":
			r.Rejected = append(r.Rejected, Skip{Line: int64(i + 1), Reason: reason})
			counts.Skipped++
			counts.Reasons[reason]++
		case p.known(key):
			r.Duplicates++
			counts.Duplicates++
		case len(p.queue) >= p.cfg.Capacity:
			return r, ErrFull
		default:
			p.remember(key)
			p.queue = append(p.queue, c)
			p.taken++
			r.Accepted++
			counts.Read++
		}
		counts.Records++
		r.Taken++
	}
	return r, nil
}

// Deliver offers comments, waits for room where there is none, and answers once the reader has kept them all. The receipt counts what was dealt
// with even when ctx ends first; those comments may or may not be kept.
func (p *Push) Deliver(ctx context.Context, comments []comment.Comment) (Receipt, error) {
	var sum Receipt
	for {
		p.mu.Lock()
		r, err := p.offer(comments[sum.Taken:])
		for _, s := range r.Rejected {
			s.Line += int64(sum.Taken)
			sum.Rejected = append(sum.Rejected, s)
		}
		sum.Taken, sum.Accepted, sum.Duplicates = sum.Taken+r.Taken, sum.Accepted+r.Accepted, sum.Duplicates+r.Duplicates
		until, changed := p.taken, p.changed
		p.mu.Unlock()
		if err == nil {
			return sum, p.kept(ctx, until)
		}
		if !errors.Is(err, ErrFull) {
			return sum, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return sum, context.Cause(ctx)
		}
	}
}

// kept waits until the first n comments are stored.
func (p *Push) kept(ctx context.Context, n int64) error {
	for {
		p.mu.Lock()
		stored, closed, changed := p.stored, p.closed, p.changed
		p.mu.Unlock()
		switch {
		case stored >= n:
			return nil
		case closed:
			return ErrClosed
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// End says that no more comments will come: the reader gets what waits, and then io.EOF.
func (p *Push) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	p.ring()
}

// Read hands out what waits, at most 200 comments, or waits for some. Coming back for more says that the batch before is kept.
func (p *Push) Read(ctx context.Context) (Batch, error) {
	for {
		if ctx.Err() != nil {
			return Batch{}, context.Cause(ctx)
		}
		b, changed, err := p.take()
		if changed == nil {
			return b, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return Batch{}, context.Cause(ctx)
		}
	}
}

// take answers a batch or an error, or else what to wait for.
func (p *Push) take() (Batch, <-chan struct{}, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return Batch{}, nil, ErrClosed
	}
	if p.stored < p.handed {
		p.stored = p.handed
		p.ring()
	}
	n := min(len(p.queue), maxBatch)
	if n == 0 && p.ended {
		p.health.State = StateEnded
		return Batch{Position: p.position()}, nil, io.EOF
	}
	if n == 0 {
		return Batch{}, p.changed, nil
	}
	b := Batch{Comments: append([]comment.Comment(nil), p.queue[:n]...)}
	clear(p.queue[:n]) // so that the comments can be freed
	p.queue = p.queue[n:]
	p.handed += int64(n)
	b.Position = p.position()
	p.health.State, p.health.Last = StateLive, p.cfg.Now()
	p.ring()
	return b, nil, nil
}

// Health is safe to call at any time.
func (p *Push) Health() Health {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.health
	h.Counts.Reasons = maps.Clone(h.Counts.Reasons)
	return h
}

// Close ends waiting reads and deliveries; what waits is dropped. Closing twice is no error.
func (p *Push) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.queue = nil
	p.ring()
	return nil
}

// fit makes a comment fit to be kept, and gives the key by which a second one is known.
func (p *Push) fit(c *comment.Comment) (key, reason string) {
	if c.Kind == comment.KindMessage && c.Text == "" {
		return "", reasonNoText
	}
	if c.At.IsZero() {
		c.At = p.cfg.Now().UTC()
	}
	if c.At.Year() < firstYear || c.At.Year() > lastYear {
		return "", reasonTime
	}
	if c.Offset == 0 && !p.cfg.Start.IsZero() {
		c.Offset = c.At.Sub(p.cfg.Start)
	}
	if c.Offset.Abs() > maxOffset {
		return "", reasonOffset
	}
	tidy(c)
	if c.ID == "" {
		c.ID = contentID(c, 0)
	}
	return string(c.Platform) + "/" + c.ID, ""
}

func (p *Push) known(key string) bool {
	_, ok := p.seen[key]
	return ok
}

// remember keeps a key, and forgets the oldest when there are too many.
func (p *Push) remember(key string) {
	if len(p.order) < p.cfg.Remember {
		p.order = append(p.order, key)
	} else {
		delete(p.seen, p.order[p.oldest])
		p.order[p.oldest] = key
		p.oldest = (p.oldest + 1) % len(p.order)
	}
	p.seen[key] = struct{}{}
}

func (p *Push) position() string { return "push:" + strconv.FormatInt(p.handed, 10) }

// ring wakes everybody who waits for a change.
func (p *Push) ring() {
	close(p.changed)
	p.changed = make(chan struct{})
}
