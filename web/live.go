package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/labstack/echo/v4"

	"urakata/internal/ops"
)

// changes is the durable order of what moved. Listen only says "look again".
type changes interface {
	Since(ctx context.Context, stream string, after int64, limit int) ([]ops.Change, error)
	Last(ctx context.Context, stream string) (int64, error)
	Listen(ctx context.Context, topic string) <-chan struct{}
}

// What a socket does at most.
const (
	replayLimit = 500                    // changes a page may have missed before it is cheaper to load it again
	frameGap    = 250 * time.Millisecond // four frames a second
	pingEvery   = 20 * time.Second       // proxies drop what is silent for longer
)

// live serves the one socket of a tab.
type live struct {
	*Server
	changes changes
	draw    *drawer
}

// frame is one message. A page keeps Seq and says it when it comes back; Reload means that it missed too much to catch up in place.
type frame struct {
	Seq     int64  `json:"seq"`
	Content string `json:"content,omitempty"`
	Reload  bool   `json:"reload,omitempty"`
}

func (f frame) bytes() []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(f) // strings and numbers always encode
	return b.Bytes()
}

// topic is where the bell of a stream rings, or that of the whole console.
func topic(stream string) string {
	if stream == "" {
		return "console"
	}
	return "stream/" + stream
}

func (l *live) follow(c echo.Context) error {
	since, err := place(c, "since")
	if err != nil {
		return err
	}
	stream := clean(c.QueryParam("stream"))
	if stream != "" {
		if _, err := l.Staff.Stream(c.Request().Context(), stream); err != nil {
			return err
		}
	}
	ctx, leave, err := l.sockets.enter(c.Request().Context(), session(c))
	if err != nil {
		return &refusal{status: http.StatusServiceUnavailable, kind: "leaving", cause: err}
	}
	defer leave()
	conn, err := l.accept(c)
	if err != nil {
		return err
	}
	ctx, stop := listenOnly(ctx, conn)
	defer stop()
	f := &follower{live: l, conn: conn, stream: stream, seq: since, session: session(c), view: l.draw.viewFor(c, stream)}
	why := f.run(ctx)
	l.told(c, why)
	goodbye(conn, why)
	return nil
}

// told logs why a socket ended when it was our fault; pages come and go without a word.
func (s *Server) told(c echo.Context, why error) {
	for _, usual := range []error{nil, errGone, errSlow, errLoggedOut, errLeaving, context.Canceled} {
		if errors.Is(why, usual) {
			return
		}
	}
	s.log.ErrorContext(c.Request().Context(), "socket failed", "request", requestID(c), "route", c.Path(), "error", why)
}

// accept makes a socket of a request. The guards have looked at Host and Origin; the library looks at Origin once more.
func (s *Server) accept(c echo.Context) (*websocket.Conn, error) {
	opts := &websocket.AcceptOptions{}
	if s.doors.public != "" {
		opts.OriginPatterns = []string{s.doors.public}
	}
	if !wantsSocket(c.Request()) {
		return nil, errSocket
	}
	conn, err := websocket.Accept(c.Response(), c.Request(), opts)
	if err != nil {
		return nil, &refusal{status: http.StatusBadRequest, kind: "socket", cause: err}
	}
	return conn, nil
}

// wantsSocket reports whether a request asks to become a websocket.
func wantsSocket(r *http.Request) bool {
	return strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}

// follower is one open page: what it shows, and how far it has been told.
type follower struct {
	*live
	conn    *websocket.Conn
	stream  string
	seq     int64
	session string
	view    *view
}

// run listens first and looks then, so that what happens in between rings. It returns why the socket ends.
func (f *follower) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // lets go of the bells
	rung, console := f.changes.Listen(ctx, topic(f.stream)), (<-chan struct{})(nil)
	if f.stream != "" {
		console = f.changes.Listen(ctx, topic(""))
	}
	sent, err := f.begin(ctx)
	ping, tick := time.NewTicker(pingEvery), time.NewTicker(headGap)
	defer ping.Stop()
	defer tick.Stop()
	for err == nil {
		if sent { // bells coalesce meanwhile
			if err = rest(ctx, frameGap); err != nil {
				break
			}
		}
		moved, aside := false, false
		sent = false
		select {
		case <-rung:
			moved = true
		case <-console:
			aside = true
		case <-tick.C:
			if !f.view.due() {
				continue
			}
		case <-ping.C:
			err = f.greet(ctx)
			continue
		case <-ctx.Done():
			return ended(ctx, nil)
		}
		sent, err = f.tell(ctx, moved, aside)
	}
	return ended(ctx, err)
}

func rest(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// begin says what the page missed since it was rendered or last connected.
func (f *follower) begin(ctx context.Context) (sent bool, err error) {
	last, err := f.changes.Last(ctx, f.stream)
	if err != nil {
		return false, err
	}
	if f.seq > last || last-f.seq > replayLimit {
		f.seq = last
		return true, write(ctx, f.conn, frame{Seq: last, Reload: true}.bytes())
	}
	return f.tell(ctx, true, f.stream != "")
}

// tell sends one frame with all that moved, and reports whether there was anything to send.
func (f *follower) tell(ctx context.Context, moved, aside bool) (sent bool, err error) {
	var news []ops.Change
	seq := f.seq
	for moved {
		got, err := f.changes.Since(ctx, f.stream, seq, replayLimit)
		if err != nil {
			return false, err
		}
		news = append(news, got...)
		if len(got) > 0 {
			seq = got[len(got)-1].Seq
		}
		moved = len(got) == replayLimit
	}
	content, err := f.view.draw(ctx, latest(news), aside)
	if err != nil {
		return false, err
	}
	f.seq = seq
	if content == "" {
		return false, nil
	}
	return true, write(ctx, f.conn, frame{Seq: seq, Content: content}.bytes())
}

// latest keeps the last change of each row, in order: a card that moved three times is drawn once.
func latest(news []ops.Change) []ops.Change {
	type row struct {
		kind ops.ChangeKind
		ref  string
	}
	key := func(ch ops.Change) row { return row{kind: ch.Kind, ref: ch.Ref} }
	last := make(map[row]int64, len(news))
	for _, ch := range news {
		last[key(ch)] = ch.Seq
	}
	kept := news[:0]
	for _, ch := range news {
		if last[key(ch)] == ch.Seq {
			kept = append(kept, ch)
		}
	}
	return kept
}

// greet pings the page, so that a dead connection is noticed, and asks whether its login still stands.
func (f *follower) greet(ctx context.Context) error {
	quick, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime)
	defer cancel()
	if err := f.conn.Ping(quick); err != nil {
		return errGone
	}
	return f.stillIn(ctx, f.session)
}

// stillIn is nil while a session stands. A script's token does not end.
func (s *Server) stillIn(ctx context.Context, session string) error {
	if session == "" {
		return nil
	}
	_, err := s.operators.Who(ctx, session)
	if errors.Is(err, ops.ErrNotFound) || errors.Is(err, ops.ErrForbidden) {
		return errLoggedOut
	}
	return err
}
