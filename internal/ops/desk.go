package ops

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"urakata/internal/agent"
	"urakata/internal/ops/comment"
	"urakata/internal/ops/source"
)

// Bounds of a desk.
const (
	offersWaiting = 64
	offerPart     = 500 // comments of an offer that are stored at once
	offerRetry    = time.Second
	leaveTime     = 10 * time.Second
)

// desk works one stream. Its goroutine, Run, owns everything but what stands under mu; others send it an offer or nudge it to look again.
//
//	ready ─▶ live ◀─▶ paused ─▶ ending ─▶ ended: the stream's row says which, the desk only follows it
type desk struct {
	staff  *Staff
	stream string
	nudges chan struct{} // look again at the stream's and the character's rows
	offers chan offer
	gone   chan struct{} // closed when Run is over

	row      Stream
	who      Character
	analyser *comment.Analyzer
	viewers  numbering
	pace     *pace
	memory   memory
	raised   map[string]RaisedFacts // by inbox item; Age holds when it was raised
	place    int64                  // the last stored comment the desk has seen
	sent     int64                  // the place of the last briefing handed to the session
	taken    int64                  // the place of the last briefing of a turn that was completed
	taking   int64                  // that of the running turn
	now      time.Duration
	feed     *feed
	cursor   Cursor
	rung     <-chan struct{} // the stream or its session's log grew
	agent    *agent.Agent
	mind     *watched
	absent   bool        // there is no mind: the chat is kept and counted, nobody looks at it
	quiet    *time.Timer // live: something new and no more comments

	mu        sync.Mutex // guards the rest
	session   *agent.Session
	changed   chan struct{} // closed when session is set, and made anew
	backend   string
	character string
	health    source.Health
	waiting   time.Time // since when something new waits for a look; zero: nothing does
}

// offer is a batch that somebody pushes. The reply comes after the commit.
type offer struct {
	comments []comment.Comment
	reply    chan offered
}

type offered struct {
	added Added
	err   error
}

func newDesk(s *Staff, stream string) *desk {
	d := &desk{
		staff: s, stream: stream, nudges: make(chan struct{}, 1), offers: make(chan offer, offersWaiting),
		gone: make(chan struct{}), changed: make(chan struct{}), quiet: time.NewTimer(time.Hour),
		raised: map[string]RaisedFacts{},
	}
	d.quiet.Stop()
	return d
}

// nudge says that a row changed. It never waits.
func (d *desk) nudge() { ring(d.nudges) }

func ring(bell chan struct{}) {
	select {
	case bell <- struct{}{}:
	default:
	}
}

// run works the stream until it has ended or ctx is done. Whatever it was doing, a new desk goes on from the rows.
func (d *desk) run(ctx context.Context) error {
	defer close(d.gone)
	defer d.stopFeed()
	if err := d.begin(ctx); err != nil {
		return err
	}
	defer d.leave(ctx)
	if err := d.tellAnswers(ctx); err != nil {
		return err
	}
	for {
		switch d.row.State {
		case StreamEnding:
			return d.finish(ctx)
		case StreamEnded, StreamReady:
			return d.settle(ctx)
		case StreamLive:
			d.startFeed(ctx)
		default:
			d.stopFeed()
		}
		if err := d.step(ctx); err != nil {
			return err
		}
	}
}

// step waits for the next thing and does it.
func (d *desk) step(ctx context.Context) error {
	var batches <-chan fed
	if d.feed != nil {
		batches = d.feed.out
	}
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-d.nudges:
		return d.look(ctx)
	case <-d.rung:
		return d.follow(ctx)
	case o := <-d.offers:
		added, err := d.takeOffer(ctx, o.comments)
		o.reply <- offered{added, err}
		return d.broken(ctx, err)
	case b := <-batches:
		return d.takeBatch(ctx, b)
	case <-d.quiet.C:
		return d.brief(ctx, d.place, false)
	}
}

// look reads the rows again: somebody may have moved the stream or changed the character.
func (d *desk) look(ctx context.Context) error {
	row, err := d.staff.cfg.Store.Stream(ctx, d.stream)
	if err != nil {
		return fmt.Errorf("desk of %s: %w", d.stream, err)
	}
	d.row = row
	who, err := d.staff.cfg.Store.Character(ctx, row.Character)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("desk of %s: %w", d.stream, err)
	}
	if who.Version == d.who.Version {
		return nil
	}
	was := d.who
	d.who = who
	if who.Paused && !was.Paused {
		stop(ctx, d.staff.cfg.Logger, d.session)
	}
	d.leave(ctx)
	if err := d.hire(ctx); err != nil {
		return err
	}
	if was.Paused && !who.Paused && d.place > d.taken {
		return d.brief(ctx, d.place, false)
	}
	return nil
}

// takeBatch stores what a source gave, and follows the source to its end.
func (d *desk) takeBatch(ctx context.Context, b fed) error {
	d.mu.Lock()
	d.health = b.health
	d.mu.Unlock()
	if len(b.batch.Comments) > 0 || len(b.batch.Skipped) > 0 || b.err != nil {
		if _, err := d.store(ctx, CommentBatch{Comments: b.batch.Comments, Position: b.batch.Position, Counts: &b.health.Counts}); err != nil {
			return d.broken(ctx, err)
		}
	}
	if b.err == nil {
		b.next <- struct{}{}
		return nil
	}
	d.stopFeed()
	if errors.Is(b.err, io.EOF) {
		return d.move(ctx, StreamEnding, "")
	}
	d.staff.cfg.Logger.WarnContext(ctx, "source failed", "stream", d.stream, "err", b.err)
	d.feed = &feed{} // failed: it is not started again until somebody pauses and resumes the stream
	return d.move(ctx, StreamLive, b.err.Error())
}

// move changes the stream's state from a live one, and takes note of what stands if somebody else was quicker.
func (d *desk) move(ctx context.Context, to StreamState, why string) error {
	row, err := d.staff.cfg.Store.MoveStream(ctx, d.stream, []StreamState{StreamLive, StreamPaused}, to, d.staff.cfg.Now(), why)
	if err != nil && !errors.Is(err, ErrState) {
		return fmt.Errorf("desk of %s: %w", d.stream, err)
	}
	if errors.Is(err, ErrState) {
		if row, err = d.staff.cfg.Store.Stream(ctx, d.stream); err != nil {
			return fmt.Errorf("desk of %s: %w", d.stream, err)
		}
	}
	d.row = row
	return nil
}

// takeOffer stores what somebody pushed, part by part.
func (d *desk) takeOffer(ctx context.Context, batch []comment.Comment) (Added, error) {
	if d.row.State != StreamLive || d.row.Source.Kind != SourcePush {
		return Added{}, fmt.Errorf("stream %s is %s: %w", d.stream, d.row.State, ErrState)
	}
	var all Added
	for len(batch) > 0 {
		part := batch[:min(len(batch), offerPart)]
		batch = batch[len(part):]
		for i := range part {
			d.date(&part[i])
		}
		twice, err := d.twice(ctx, part)
		if err != nil {
			return all, err
		}
		counts := d.row.Counts
		counts.Records += int64(len(part))
		counts.Duplicates += int64(twice)
		counts.Read += int64(len(part) - twice)
		added, err := d.store(ctx, CommentBatch{Comments: part, Counts: &counts})
		if err != nil {
			return all, err
		}
		d.row.Counts = counts
		all.Fresh, all.Duplicates = append(all.Fresh, added.Fresh...), all.Duplicates+added.Duplicates
	}
	d.mu.Lock()
	d.health = source.Health{State: source.StateLive, Format: SourcePush, Last: d.staff.cfg.Now(), Counts: d.row.Counts}
	d.mu.Unlock()
	return all, nil
}

// date gives a pushed comment its time and its place in the stream's time.
func (d *desk) date(c *comment.Comment) {
	if c.At.IsZero() {
		c.At = d.staff.cfg.Now().UTC()
	}
	if c.Offset == 0 && !d.row.StartedAt.IsZero() {
		c.Offset = c.At.Sub(d.row.StartedAt)
	}
	if c.ID == "" {
		c.ID = idOf("push", string(c.Platform)+"\x00"+c.Author.ID+"\x00"+c.Text+"\x00"+c.At.UTC().Format(time.RFC3339Nano))
	}
}

// twice counts the comments of a batch that the stream has, or that stand in the batch before. The desk is the only one who stores comments of
// this stream, so the answer is still true when they are stored.
func (d *desk) twice(ctx context.Context, batch []comment.Comment) (int, error) {
	ids, seen, n := make([]string, len(batch)), map[[2]string]bool{}, 0
	for i, c := range batch {
		ids[i] = c.ID
	}
	have, err := d.staff.cfg.Store.Comments(ctx, d.stream, Range{IDs: ids, Limit: 4 * offerPart})
	if err != nil {
		return 0, fmt.Errorf("desk of %s: %w", d.stream, err)
	}
	for _, s := range have {
		seen[[2]string{string(s.Comment.Platform), s.Comment.ID}] = true
	}
	for _, c := range batch {
		key := [2]string{string(c.Platform), c.ID}
		if seen[key] {
			n++
		}
		seen[key] = true
	}
	return n, nil
}

// broken ends the desk when an error came from its own work and not from what it was handed.
func (d *desk) broken(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, ErrState) {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
