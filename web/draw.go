package web

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"urakata/internal/ops"
	"urakata/views"
)

// drawer turns what services say into what components take: for pages, and for the frames of sockets.
type drawer struct {
	*Server
}

// item is one thing of the inbox with the comments that stand behind it.
func (d *drawer) item(ctx context.Context, w ops.Who, it ops.Item) (v views.ItemView, err error) {
	v = views.ItemView{Item: it, Key: randomName(16), Reader: w, Severity: it.Severity()}
	s, err := d.Staff.Stream(ctx, it.Stream)
	if err != nil && !errors.Is(err, ops.ErrNotFound) {
		return v, err
	}
	v.Stream = s.Stream
	if v.Character, err = d.character(ctx, it.Character); err != nil {
		return v, err
	}
	if len(it.Evidence) > 0 {
		v.Evidence, err = d.Board.Chat(ctx, it.Stream, ops.Range{IDs: it.Evidence, Limit: len(it.Evidence)})
	}
	if it.Target != nil {
		v.Evidence = slices.DeleteFunc(v.Evidence, func(s ops.Stored) bool { return s.Seq == it.Target.Seq })
	}
	return v, err
}

func (d *drawer) items(ctx context.Context, w ops.Who, items []ops.Item) ([]views.ItemView, error) {
	out := make([]views.ItemView, len(items))
	for i, it := range items {
		var err error
		if out[i], err = d.item(ctx, w, it); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// board is the whole board of a stream.
func (d *drawer) board(ctx context.Context, w ops.Who, s ops.BoardState) (b views.Board, err error) {
	b = views.Board{Cards: s.Cards, Chat: s.Chat, Reader: w, Pulse: pulseView(s.Stream.Stream, s.Pulse)}
	if b.Header, err = d.header(ctx, w, s.Stream); err != nil {
		return b, err
	}
	b.Activity = activityView(s.Stream, b.Header.Character, s.Activity)
	if b.Pending, err = d.items(ctx, w, s.Pending); err != nil {
		return b, err
	}
	for i := range b.Pending {
		b.Pending[i].OnBoard = true
	}
	return b, nil
}

func (d *drawer) header(ctx context.Context, w ops.Who, v ops.StreamView) (h views.StreamHeader, err error) {
	h = views.StreamHeader{
		Stream: v.Stream, Health: v.Health, Backend: v.Backend, Doing: v.Session.Activity, Lag: v.Lag, Pending: v.Pending, Reader: w,
	}
	if h.Elapsed, err = d.elapsed(ctx, v.Stream); err != nil {
		return h, err
	}
	if h.Character, err = d.character(ctx, v.Stream.Character); err != nil {
		return h, err
	}
	h.Report, err = d.reportID(ctx, v.Stream)
	return h, err
}

// elapsed is how long a stream has been going, or went, on its own clock: a recording may be played sixty times as fast as it was made.
func (d *drawer) elapsed(ctx context.Context, s ops.Stream) (time.Duration, error) {
	if s.Source.Kind == "replay" {
		newest, err := d.Board.Chat(ctx, s.ID, ops.Range{Newest: true, Limit: 1})
		if err != nil || len(newest) == 0 {
			return 0, err
		}
		return max(0, newest[0].Comment.Offset), nil
	}
	switch {
	case s.StartedAt.IsZero():
		return 0, nil
	case !s.EndedAt.IsZero():
		return s.EndedAt.Sub(s.StartedAt), nil
	}
	return d.now().Sub(s.StartedAt), nil
}

// view is one open page, drawn piece by piece. Only its socket uses it.
type view struct {
	*drawer
	set    views.Setting
	who    ops.Who
	stream string

	place  int64     // the last comment the page was sent; 0 before the first
	counts []byte    // what the nav last said
	pulsed time.Time // when the pulse was last drawn
	owes   bool      // the pulse moved since
	headed time.Time // when the header was last drawn
	behind bool      // the header's numbers moved since
}

// How often the numbers of a pulse, and those of a header, are drawn anew at most. What a person must know at once does not wait for them.
const (
	pulseGap = 2 * time.Second
	headGap  = time.Second
)

func (d *drawer) viewFor(c echo.Context, stream string) *view {
	return &view{drawer: d, set: d.setting(c), who: who(c), stream: stream}
}

// sketch collects the parts of one frame.
type sketch struct {
	b   bytes.Buffer
	ctx context.Context // of this frame only: it carries the page's language to the components
}

func (s *sketch) add(t templ.Component) error { return t.Render(s.ctx, &s.b) }

// draw renders each thing that changed once. aside says that the console's bell rang, whose counts every page shows.
func (v *view) draw(ctx context.Context, news []ops.Change, aside bool) (string, error) {
	v.set.Now = v.now()
	s := &sketch{ctx: views.With(ctx, v.set)}
	var comments []ops.Change
	seen := map[ops.ChangeKind]bool{}
	for _, ch := range news {
		seen[ch.Kind] = true
		if ch.Kind == ops.ChangeComments {
			comments = append(comments, ch)
			continue
		}
		err := v.one(ctx, s, ch)
		if err != nil && !errors.Is(err, ops.ErrNotFound) { // what is gone needs no drawing
			return "", err
		}
	}
	if err := v.chat(ctx, s, comments); err != nil {
		return "", err
	}
	if v.stream != "" {
		if err := v.numbers(ctx, s, seen); err != nil {
			return "", err
		}
	}
	if aside || seen[ops.ChangeInbox] {
		if err := v.nav(ctx, s); err != nil {
			return "", err
		}
	}
	return string(visible(s.b.Bytes())), nil
}

// numbers draws the header, the activity and the pulse of a board, each when it moved and was not drawn a moment ago.
func (v *view) numbers(ctx context.Context, s *sketch, seen map[ops.ChangeKind]bool) error {
	v.behind, v.owes = v.behind || seen[ops.ChangeComments], v.owes || seen[ops.ChangeComments]
	if seen[ops.ChangeStream] || seen[ops.ChangeSession] || seen[ops.ChangeInbox] || v.headDue() {
		if err := v.head(ctx, s, seen[ops.ChangeSession]); err != nil {
			return err
		}
	}
	if !v.pulseDue() {
		return nil
	}
	return v.pulse(ctx, s)
}

func (v *view) pulseDue() bool { return v.owes && v.now().Sub(v.pulsed) >= pulseGap }
func (v *view) headDue() bool  { return v.behind && v.now().Sub(v.headed) >= headGap }

// due reports that something is owed to the page although nothing moves any more.
func (v *view) due() bool { return v.pulseDue() || v.headDue() }

// one draws the row that a change points at.
func (v *view) one(ctx context.Context, s *sketch, ch ops.Change) error {
	switch ch.Kind {
	case ops.ChangeCard:
		c, err := v.Board.Card(ctx, ch.Ref)
		if err != nil {
			return err
		}
		return s.add(views.CardPartial(c, v.who))
	case ops.ChangeInbox:
		it, err := v.Inbox.Item(ctx, ch.Ref)
		if err != nil {
			return err
		}
		iv, err := v.item(ctx, v.who, it)
		if err != nil {
			return err
		}
		iv.OnBoard = v.stream != ""
		return s.add(views.ItemPartial(iv))
	case ops.ChangeStream:
		if v.stream != "" {
			return nil // the header tells
		}
		got, err := v.Staff.Stream(ctx, ch.Ref)
		if err != nil {
			return err
		}
		row, err := v.streamRow(ctx, got)
		if err != nil {
			return err
		}
		return s.add(views.StreamRowPartial(row, v.who))
	default: // no part of an open page shows it
		return nil
	}
}

// chatRows is how many comments a board shows.
const chatRows = 120

// chat draws the comments after the last one the page has, and those before it that changed since.
func (v *view) chat(ctx context.Context, s *sketch, news []ops.Change) error {
	var newest int64
	var rows []ops.Stored
	for _, ch := range news {
		place, err := strconv.ParseInt(ch.Ref, 10, 64)
		if err != nil {
			continue // not a place: nothing to look up
		}
		newest = max(newest, place)
		if place <= v.place {
			again, err := v.Board.Chat(ctx, v.stream, ops.Range{After: place - 1, Before: place + 1, Limit: 1})
			if err != nil {
				return err
			}
			rows = append(rows, again...)
		}
	}
	if newest > v.place {
		fresh, err := v.Board.Chat(ctx, v.stream, ops.Range{After: v.place, Newest: true, Limit: chatRows})
		if err != nil {
			return err
		}
		if len(fresh) > 0 {
			v.place = fresh[0].Seq
		}
		rows = append(fresh, rows...)
	}
	if len(rows) == 0 {
		return nil
	}
	return s.add(views.ChatRows(v.stream, rows))
}

// head draws what stands at the top of a board, and what the staff does when its log grew.
func (v *view) head(ctx context.Context, s *sketch, acted bool) error {
	got, err := v.Staff.Stream(ctx, v.stream)
	if err != nil {
		return err
	}
	h, err := v.header(ctx, v.who, got)
	if err != nil {
		return err
	}
	v.behind, v.headed = false, v.now()
	if err := s.add(views.StreamHeaderPartial(h)); err != nil || !acted {
		return err
	}
	lines, err := v.Board.Activity(ctx, v.stream, activityLines)
	if err != nil {
		return err
	}
	return s.add(views.ActivityPartial(activityView(got, h.Character, lines)))
}

// activityLines is how many lines of activity a board shows.
const activityLines = 40

func (v *view) pulse(ctx context.Context, s *sketch) error {
	got, err := v.Board.Pulse(ctx, v.stream)
	if err != nil {
		return err
	}
	stream, err := v.Staff.Stream(ctx, v.stream)
	if err != nil {
		return err
	}
	v.owes, v.pulsed = false, v.now()
	return s.add(views.PulsePartial(pulseView(stream.Stream, got)))
}

// nav draws the counts of the inbox when they are not what the page shows.
func (v *view) nav(ctx context.Context, s *sketch) error {
	c, err := v.Inbox.Counts(ctx)
	if err != nil {
		return err
	}
	part := &sketch{ctx: s.ctx}
	if err := part.add(views.NavCounts(views.Counts{Pending: c.Pending, Worst: c.Worst, Stuck: c.Stuck})); err != nil {
		return err
	}
	if bytes.Equal(part.b.Bytes(), v.counts) {
		return nil
	}
	v.counts = slices.Clone(part.b.Bytes())
	s.b.Write(v.counts)
	return nil
}

// activityView shapes the lines for the component.
func activityView(v ops.StreamView, c ops.Character, lines []ops.ActivityLine) views.Activity {
	a := views.Activity{
		Stream: v.Stream.ID, Character: c, Doing: v.Session.Activity, Since: v.Session.Since, Turns: v.Session.Turns, Usage: v.Session.Usage,
		Session: string(v.Session.ID),
	}
	for _, l := range lines {
		a.Lines = append(a.Lines, views.ActivityLine{
			At: l.At, Kind: l.Kind, Turn: l.Turn, Tool: l.Tool, Stop: l.Stop, Detail: l.Detail, MS: l.MS, Tokens: l.Tokens,
		})
	}
	return a
}

// pulseView shapes the numbers for the component.
func pulseView(s ops.Stream, p ops.Pulse) views.Pulse {
	out := views.Pulse{Stream: s.ID, Language: s.Language, Total: p.Comments}
	for _, m := range p.Minutes {
		out.Minutes = append(out.Minutes, views.Minute{
			At: time.Duration(m.Minute) * time.Minute, Messages: m.Comments, Questions: m.Questions, Low: m.Low, Medium: m.Medium, High: m.High,
			Glad: m.Glad, Worried: m.Worried,
		})
	}
	for _, t := range p.Subjects {
		out.Subjects = append(out.Subjects, views.SubjectCount{Subject: t.Subject, Count: t.Count, Before: t.Before})
	}
	return out
}
