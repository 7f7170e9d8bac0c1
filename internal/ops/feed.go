package ops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"urakata/internal/ops/comment"
	"urakata/internal/ops/source"
)

// SourcePush and SourceReplay are the kinds of sources.
const (
	SourcePush   = "push"
	SourceReplay = "replay"
)

// Opener opens the source of a stream at the stream's position.
type Opener interface {
	Open(ctx context.Context, s Stream) (source.Source, error)
}

// feed reads a source in its own goroutine, one batch ahead of nobody: it reads again only when the desk has stored what it gave.
type feed struct {
	out    chan fed
	cancel context.CancelFunc
	done   sync.WaitGroup
}

// fed is what the feeder hands over. The desk answers on next once it may read on.
type fed struct {
	batch  source.Batch
	health source.Health
	err    error
	next   chan struct{}
}

// startFeed opens the source, unless it is open, or failed, or is pushed.
func (d *desk) startFeed(ctx context.Context) {
	if d.feed != nil || d.row.Source.Kind == SourcePush {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	f := &feed{out: make(chan fed), cancel: cancel}
	d.feed = f
	row := d.row
	f.done.Go(func() { f.read(ctx, d.staff.cfg.Sources, row) })
}

// stopFeed closes the source. What it read and the desk did not store is read again: the stream's position says from where.
func (d *desk) stopFeed() {
	if d.feed == nil {
		return
	}
	if d.feed.cancel != nil {
		d.feed.cancel()
		d.feed.done.Wait()
	}
	d.feed = nil
}

// read is the feeder. Its last word is an error: io.EOF, or why the source failed.
func (f *feed) read(ctx context.Context, sources Opener, row Stream) {
	next := make(chan struct{}, 1)
	src, err := sources.Open(ctx, row)
	if err != nil {
		f.give(ctx, fed{err: err, next: next, health: source.Health{State: source.StateFailed, Err: err.Error(), Counts: row.Counts}})
		return
	}
	defer src.Close() // a source that was read to its end has nothing left to say
	for {
		batch, err := src.Read(ctx)
		if ctx.Err() != nil {
			return
		}
		if !f.give(ctx, fed{batch: batch, health: src.Health(), err: err, next: next}) || err != nil {
			return
		}
		select {
		case <-next:
		case <-ctx.Done():
			return
		}
	}
}

func (f *feed) give(ctx context.Context, b fed) bool {
	select {
	case f.out <- b:
		return true
	case <-ctx.Done():
		return false
	}
}

// store keeps a batch and looks at what is new. The analyser is asked inside the transaction, once; when that fails the analyser is built again
// from what is stored, because it has seen comments that are not.
func (d *desk) store(ctx context.Context, batch CommentBatch) (Added, error) {
	analyse := func(fresh []Stored) []comment.Analysis {
		out := make([]comment.Comment, len(fresh))
		for i, s := range fresh {
			out[i] = s.Comment
		}
		return d.analyser.Take(out...)
	}
	added, err := d.staff.cfg.Store.AddComments(ctx, d.stream, batch, analyse)
	if err != nil {
		if ctx.Err() == nil {
			err = errors.Join(err, d.warm(ctx))
		}
		return Added{}, fmt.Errorf("desk of %s: %w", d.stream, err)
	}
	d.row.Position = first(batch.Position, d.row.Position)
	if batch.Counts != nil {
		d.row.Counts = *batch.Counts
	}
	d.count(added.Fresh)
	return added, d.meet(ctx, added.Fresh)
}

func (d *desk) count(fresh []Stored) {
	t := tally[string]{}
	for _, s := range fresh {
		t.add(string(platformOf(s.Comment.Platform)))
	}
	for name, n := range t {
		d.staff.cfg.Meters.comments(name, n)
	}
}

// meet passes new comments by the pace, in order. In lockstep each look that is due is taken at its own comment and waited for, so that the same
// recording gives the same looks however it was cut into batches; otherwise one look at the end of the batch sees them all.
func (d *desk) meet(ctx context.Context, fresh []Stored) error {
	due := false
	for _, s := range fresh {
		d.remember(s)
		if !d.pace.see(s) {
			continue
		}
		due = true
		if d.staff.cfg.Lockstep {
			if err := d.brief(ctx, s.Seq, false); err != nil {
				return err
			}
			due = false
		}
	}
	switch {
	case due:
		return d.brief(ctx, d.place, false)
	case len(fresh) > 0 && !d.staff.cfg.Lockstep:
		d.waits()
	}
	return nil
}

// waits notes that something new is there, and looks at it even if nobody writes any more.
func (d *desk) waits() {
	d.mu.Lock()
	fresh := d.waiting.IsZero()
	if fresh {
		d.waiting = d.staff.cfg.Now()
	}
	d.mu.Unlock()
	if !fresh {
		return
	}
	wait := anyAfter
	if speed := d.row.Source.Speed; d.row.Source.Kind == SourceReplay && speed > 1 {
		wait = time.Duration(float64(wait) / speed)
	}
	d.quiet.Reset(max(wait, time.Second))
}

// remember takes a stored comment into everything that is rebuilt from stored comments.
func (d *desk) remember(s Stored) {
	d.viewers.meet(s)
	d.memory.keep(s, d.taken)
	d.place, d.now = s.Seq, s.Comment.Offset
}

// warm builds the analyser, the numbering, the pace and the memory from the stored comments. Looks that were sent before are looked again by the
// pace, without sending anything, so that it is where it was.
func (d *desk) warm(ctx context.Context) error {
	d.analyser = comment.New(comment.Stream{Topic: d.row.Topic, Title: d.row.Title, Language: d.row.Language})
	d.viewers, d.pace, d.memory, d.place = numbering{}, newPace(), memory{}, 0
	var part []Stored
	flush := func() {
		batch := make([]comment.Comment, len(part))
		for i, s := range part {
			batch[i] = s.Comment
		}
		d.analyser.Take(batch...)
		for _, s := range part {
			d.remember(s)
			if d.pace.see(s) && s.Seq <= d.sent {
				d.pace.look(s.Comment.Offset)
			}
		}
		part = part[:0]
	}
	for s, err := range rows(ctx, d.staff.cfg.Store, d.stream, Range{}) {
		if err != nil {
			return err
		}
		if part = append(part, s); len(part) == rowPage {
			flush()
		}
	}
	flush()
	return nil
}

// openCards are the cards that a person has not moved, newest change first.
func (d *desk) openCards(ctx context.Context) ([]Card, error) {
	cards, err := d.staff.cfg.Store.Cards(ctx, d.stream, Page{Limit: 100})
	if err != nil {
		return nil, fmt.Errorf("desk of %s: %w", d.stream, err)
	}
	return slices.DeleteFunc(cards, func(c Card) bool { return c.State != CardOpen }), nil
}

// raisedItems are the inbox items of the stream as facts, newest first. What an item rests on never changes, so it is looked up once.
func (d *desk) raisedItems(ctx context.Context) ([]RaisedFacts, error) {
	type dated struct {
		facts RaisedFacts
		at    time.Time
	}
	var all []dated
	for _, done := range []bool{false, true} {
		items, err := d.staff.cfg.Store.Items(ctx, ItemQuery{Stream: d.stream, Done: done, Page: Page{Limit: maxRaised}})
		if err != nil {
			return nil, fmt.Errorf("desk of %s: %w", d.stream, err)
		}
		for _, it := range items {
			facts, known := d.raised[it.ID]
			if !known {
				if facts, err = d.factsOf(ctx, it); err != nil {
					return nil, err
				}
				d.raised[it.ID] = facts
			}
			facts.State = it.State
			facts.Age = max(0, seconds(d.now)-facts.Age) // kept: when it was raised, on the stream's own clock
			all = append(all, dated{facts, it.At})
		}
	}
	slices.SortStableFunc(all, func(a, b dated) int { return cmp.Or(cmp.Compare(a.facts.Age, b.facts.Age), b.at.Compare(a.at)) })
	out := make([]RaisedFacts, len(all))
	for i, one := range all {
		out[i] = one.facts
	}
	return out, nil
}

// factsOf says what an item rests on, in the character's own names.
func (d *desk) factsOf(ctx context.Context, it Item) (RaisedFacts, error) {
	facts := RaisedFacts{Tool: it.Tool, Age: seconds(d.now)}
	if len(it.Evidence) == 0 {
		return facts, nil
	}
	found, err := d.staff.cfg.Store.Comments(ctx, d.stream, Range{IDs: it.Evidence, Limit: maxEvidence})
	if err != nil {
		return RaisedFacts{}, fmt.Errorf("item %s: %w", it.ID, err)
	}
	newest := time.Duration(0)
	for _, s := range found {
		facts.Refs = append(facts.Refs, s.Ref())
		facts.Viewers = append(facts.Viewers, d.viewers.meet(s))
		if g := groupOf(s.Analysis.Group, "qt"); g != "" {
			facts.Groups = append(facts.Groups, g)
		}
		newest = max(newest, s.Comment.Offset)
	}
	slices.Sort(facts.Groups)
	slices.Sort(facts.Viewers)
	facts.Groups, facts.Viewers = slices.Compact(facts.Groups), slices.Compact(facts.Viewers)
	facts.Age = seconds(newest)
	return facts, nil
}

// When a look at the chat is worth a turn, in the stream's own time.
const (
	enoughNew   = 12
	enoughAfter = 10 * time.Second // between two looks that only "enough new" asks for
	urgentAfter = 5 * time.Second  // between two looks, unless somebody may be in danger
	anyAfter    = 20 * time.Second
	forgetAfter = 10 * time.Minute // the same finding about the same viewer counts as new again
)

// pace decides when the chat deserves a turn. It sees every comment once, in order, and knows only what it saw: fed with the stored comments
// after a restart it is where it was.
type pace struct {
	waiting int           // comments since the last look
	since   time.Duration // the first of them
	looked  time.Duration // when the last look was
	ever    bool
	urgent  bool                     // something came that should not wait long
	raised  map[string]time.Duration // viewer and category, when last
	voices  map[string]int           // group: the step it has reached
	waves   map[string]int
}

func newPace() *pace {
	return &pace{raised: map[string]time.Duration{}, voices: map[string]int{}, waves: map[string]int{}}
}

// see takes the next comment and reports whether a look is due now.
func (p *pace) see(s Stored) bool {
	now := s.Comment.Offset
	if p.waiting == 0 {
		p.since = now
	}
	p.waiting++
	rise := p.rise(s, now)
	grave := rise && (s.Analysis.Action == comment.Escalate || s.Analysis.Risk == comment.RiskHigh)
	p.urgent = p.urgent || rise
	if step(p.voices, groupOf(s.Analysis.Group, "qt"), s.Analysis.GroupVoices) {
		p.urgent = true
	}
	if step(p.waves, groupOf(s.Analysis.Wave, "w"), s.Analysis.WaveSize) || s.Comment.Kind == comment.KindRaid {
		p.urgent = true
	}
	soon := p.urgent && (!p.ever || now-p.looked >= urgentAfter)
	enough := p.waiting >= enoughNew && (!p.ever || now-p.looked >= enoughAfter)
	return grave || soon || enough || now-p.since >= anyAfter
}

// look starts a new count at a comment.
func (p *pace) look(now time.Duration) { p.waiting, p.looked, p.ever, p.urgent = 0, now, true, false }

// rise reports a safety finding that was not there before: escalated, or of medium risk and more, about this viewer and for this cause.
func (p *pace) rise(s Stored, now time.Duration) bool {
	a := s.Analysis
	if a.Action != comment.Escalate && !worse(a.Risk, comment.RiskLow) {
		return false
	}
	names := categoriesOf(a.Categories)
	if len(names) == 0 {
		names = []comment.Category{""}
	}
	fresh := false
	for _, c := range names {
		key := viewerKey(s.Comment) + "\x00" + string(c)
		if at, ok := p.raised[key]; !ok || now-at > forgetAfter {
			fresh = true
		}
		p.raised[key] = now
	}
	return fresh
}

// step reports that a count has crossed 3, 6, 12, 24, … for the first time.
func step(reached map[string]int, name string, n int) bool {
	if name == "" || n < 3 {
		return false
	}
	at := 3
	for at*2 <= n {
		at *= 2
	}
	if at <= reached[name] {
		return false
	}
	reached[name] = at
	return true
}

// memory is the last minutes of a stream: what a look is made from.
type memory struct{ recent []Stored }

// keep adds a comment and forgets what is old and was told already, and in a flood the oldest whatever it was.
func (m *memory) keep(s Stored, taken int64) {
	m.recent = append(m.recent, s)
	drop := 0
	for drop < len(m.recent) && m.recent[drop].Seq <= taken && m.recent[drop].Comment.Offset < s.Comment.Offset-lookBack {
		drop++
	}
	drop = max(drop, len(m.recent)-maxMemory)
	m.recent = m.recent[drop:] // what was dropped goes when append moves the rest
}

// until gives what is remembered of the last minutes up to a place.
func (m *memory) until(seq, taken int64) []Stored {
	end := len(m.recent)
	for end > 0 && m.recent[end-1].Seq > seq {
		end--
	}
	if end == 0 {
		return nil
	}
	now, start := m.recent[end-1].Comment.Offset, 0
	for start < end && m.recent[start].Seq <= taken && m.recent[start].Comment.Offset < now-lookBack {
		start++
	}
	return m.recent[start:end]
}
