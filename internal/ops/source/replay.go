package source

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"hash/maphash"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"urakata/internal/ops/comment"
)

// Replay plays a recorded chat. Its format is found out by content.
type ReplayConfig struct {
	Name     string // file name, for messages only
	Open     func() (io.ReadCloser, error)
	Size     int64            // bytes, 0 unknown
	Speed    float64          // 0: as fast as the desk takes them; 1: as recorded; up to 60
	From     string           // a Batch.Position to go on after
	Start    time.Time        // the wall time that offset 0 stands for; zero: the recording's own times are kept
	Now      func() time.Time // nil: time.Now
	MaxBytes int64            // refuse more than this many (decompressed) bytes; 0: 2 GiB
}

const (
	maxBatch   = 200
	maxSpeed   = 60
	maxReasons = 64 // different reasons counted by name; the rest counts as reasonOther
)

// ErrClosed is what a source that was closed answers.
var ErrClosed = errors.New("the source is closed")

// Replay is a Source that plays a recording. A gap in the recording is waited for in full at the chosen speed, however long it is; a caller who
// does not want that plays at speed 0.
type Replay struct {
	cfg     ReplayConfig
	in      *input
	frames  framer
	format  string
	print   string // of the recording's beginning, so that a position is not used on another recording
	imports importer
	line    timeline
	skipTo  int64 // records before this were handed out before

	queue   []found // records of the frame at hand
	used    int     // of queue
	at      int64   // line of the frame at hand
	records int64
	seen    map[[2]uint64]struct{}
	seeds   [2]maphash.Seed
	held    *comment.Comment // read, and not yet due
	ready   Batch
	pace    pace
	failed  error
	closed  chan struct{}

	mu     sync.Mutex // guards what Health shows
	health Health
	shut   bool
}

// NewReplay opens a recording and finds out its format. It reads the beginning only; an unknown format is ErrFormat, nothing at all is ErrEmpty.
func NewReplay(cfg ReplayConfig) (*Replay, error) {
	if cfg.Open == nil {
		return nil, errors.New("replay: no recording to open")
	}
	if math.IsNaN(cfg.Speed) || cfg.Speed < 0 || cfg.Speed > maxSpeed {
		return nil, fmt.Errorf("replay %s: speed %v is not between 0 and %d", cfg.Name, cfg.Speed, maxSpeed)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	file, err := cfg.Open()
	if err != nil {
		return nil, fmt.Errorf("replay %s: %w", cfg.Name, err)
	}
	r := &Replay{
		cfg: cfg, line: timeline{start: cfg.Start}, seen: map[[2]uint64]struct{}{}, seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()},
		pace: pace{speed: cfg.Speed, now: cfg.Now}, closed: make(chan struct{}),
		health: Health{State: StateWaiting, Total: cfg.Size, Counts: Counts{Reasons: map[string]int64{}}},
	}
	if err := r.prepare(file); err != nil {
		return nil, errors.Join(fmt.Errorf("replay %s: %w", cfg.Name, err), file.Close())
	}
	return r, nil
}

func (r *Replay) prepare(file io.ReadCloser) error {
	in, err := newInput(file, r.cfg.MaxBytes)
	if err != nil {
		return err
	}
	s, err := detect(in)
	if err != nil {
		return err
	}
	head, _ := in.Peek(256) // detect has looked at more
	r.in, r.format, r.health.Format = in, s.format, s.format
	r.print = strconv.FormatUint(uint64(crc32.ChecksumIEEE(head)), 16)
	r.imports = newImporter(s.format)
	r.frames = &lines{in: in.Reader}
	if s.array {
		r.frames = &elements{in: in.Reader, head: r.imports.head}
	}
	if r.cfg.From == "" {
		return nil
	}
	if r.skipTo, err = r.parsePosition(r.cfg.From); err != nil {
		return fmt.Errorf("position %q: %w", r.cfg.From, err)
	}
	return nil
}

// Read hands out the next comments, at most 200. With the last of a recording it answers io.EOF; the batch beside io.EOF holds no comments, but
// may still hold skips. It answers the cause of a cancelled ctx at once and goes on from there when called again. A Read that waits in the
// operating system for a pipe ends with Close.
func (r *Replay) Read(ctx context.Context) (Batch, error) {
	if err := r.interrupted(ctx); err != nil {
		return Batch{}, err
	}
	for n := 1; len(r.ready.Comments) < maxBatch && r.failed == nil; n++ {
		if n%64 == 0 {
			if err := r.interrupted(ctx); err != nil {
				return Batch{}, err
			}
		}
		if r.held == nil {
			if r.failed = r.step(); r.failed != nil || r.held == nil {
				continue
			}
		}
		wait := r.pace.until(r.held.Offset)
		if wait > 0 && len(r.ready.Comments) > 0 {
			break
		}
		if wait > 0 {
			if err := r.sleep(ctx, wait); err != nil {
				return Batch{}, err
			}
		}
		r.ready.Comments = append(r.ready.Comments, *r.held)
		r.held = nil
		r.counted(func(c *Counts) { c.Records++; c.Read++ })
	}
	return r.deliver()
}

// deliver hands over what is ready, or the end.
func (r *Replay) deliver() (Batch, error) {
	b := r.ready
	r.ready = Batch{}
	b.Position = r.position()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.health.Done = r.in.done.Load()
	if len(b.Comments) > 0 {
		r.health.State, r.health.Last = StateLive, r.cfg.Now()
		return b, nil
	}
	if errors.Is(r.failed, io.EOF) {
		r.health.State = StateEnded
		return b, io.EOF
	}
	if r.shut {
		return Batch{}, ErrClosed
	}
	err := fmt.Errorf("replay %s, after record %d: %w", r.cfg.Name, r.records, r.failed)
	r.health.State, r.health.Err = StateFailed, err.Error()
	return b, err
}

// Health is safe to call while another goroutine reads.
func (r *Replay) Health() Health {
	r.mu.Lock()
	defer r.mu.Unlock()
	h := r.health
	h.Counts.Reasons = make(map[string]int64, len(r.health.Counts.Reasons))
	for k, v := range r.health.Counts.Reasons {
		h.Counts.Reasons[k] = v
	}
	h.Done = r.in.done.Load()
	return h
}

// Format is the format that was found, one of the names beside Detect.
func (r *Replay) Format() string { return r.format }

// Close ends a waiting Read and closes the recording. Closing twice is no error.
func (r *Replay) Close() error {
	r.mu.Lock()
	again := r.shut
	r.shut = true
	r.mu.Unlock()
	if again {
		return nil
	}
	close(r.closed)
	if err := r.in.file.Close(); err != nil {
		return fmt.Errorf("replay %s: %w", r.cfg.Name, err)
	}
	return nil
}

func (r *Replay) interrupted(ctx context.Context) error {
	select {
	case <-r.closed:
		return ErrClosed
	default:
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return nil
}

func (r *Replay) sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-r.closed:
		return ErrClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// step takes one record: it becomes the held comment, or is counted as skipped, as a duplicate, or as handed out before.
func (r *Replay) step() error {
	if r.used == len(r.queue) {
		fr, err := r.frames.next()
		if err != nil {
			return err
		}
		r.at = fr.line
		if fr.reason != "" {
			r.queue = append(r.queue[:0], found{skip: fr.reason})
		} else {
			r.queue = r.imports.read(fr.raw, r.queue[:0])
		}
		r.used = 0
	}
	f := r.queue[r.used]
	r.used++
	r.records++
	before := r.records <= r.skipTo
	if f.skip == "" {
		f.skip = r.line.place(&f)
	}
	if f.skip != "" {
		r.skip(&f, before)
		return nil
	}
	tidy(&f.Comment)
	if f.ID == "" {
		place := int64(0)
		if f.Author.ID == "" {
			place = r.records
		}
		f.ID = contentID(&f.Comment, place)
	}
	switch {
	case r.twice(&f.Comment):
		r.counted(func(c *Counts) { c.Records++; c.Duplicates++ })
	case before:
		r.counted(func(c *Counts) { c.Records++; c.Read++ })
	default:
		r.held = &f.Comment
	}
	return nil
}

func (r *Replay) skip(f *found, before bool) {
	if !before && len(r.ready.Skipped) < maxBatch {
		r.ready.Skipped = append(r.ready.Skipped, Skip{Line: r.at, Reason: f.reason()})
	}
	r.counted(func(c *Counts) {
		c.Records++
		c.Skipped++
		reason := f.reason()
		if _, known := c.Reasons[reason]; !known && len(c.Reasons) >= maxReasons {
			reason = reasonOther
		}
		c.Reasons[reason]++
	})
}

// twice reports whether a comment of this id was seen. Two hashes stand for the id, so that millions of them fit into memory.
func (r *Replay) twice(c *comment.Comment) bool {
	var key [2]uint64
	for i := range key {
		var h maphash.Hash
		h.SetSeed(r.seeds[i])
		h.WriteString(string(c.Platform))
		h.WriteByte('/')
		h.WriteString(c.ID)
		key[i] = h.Sum64()
	}
	_, ok := r.seen[key]
	if !ok {
		r.seen[key] = struct{}{}
	}
	return ok
}

func (r *Replay) counted(change func(*Counts)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(&r.health.Counts)
}

// position names the place after everything handed out: a held comment is not.
func (r *Replay) position() string {
	n := r.records
	if r.held != nil {
		n--
	}
	return "replay:" + r.print + ":" + strconv.FormatInt(max(n, r.skipTo), 10)
}

func (r *Replay) parsePosition(s string) (int64, error) {
	parts := strings.Split(s, ":")
	if len(parts) != 3 || parts[0] != "replay" {
		return 0, errors.New("not a position in a recording")
	}
	if parts[1] != r.print {
		return 0, errors.New("it belongs to another recording")
	}
	n, err := strconv.ParseInt(parts[2], 10, 64)
	if err != nil || n < 0 {
		return 0, errors.New("not a position in a recording")
	}
	return n, nil
}
