package web

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// Why a socket ends.
var (
	errLeaving   = errors.New("the program is going away")
	errLoggedOut = errors.New("the login has ended")
	errGone      = errors.New("the page has gone")
	errSlow      = errors.New("the page reads too slowly")
)

// writeTime is how long one message may take to leave; sockets that need longer are cut and come back by their cursor.
const writeTime = 5 * time.Second

// sockets knows everything that stays open: live pages, pushed chat, followers of a log. http.Server.Shutdown does not see hijacked
// connections, so they end here.
type sockets struct {
	wait sync.WaitGroup

	mu     sync.Mutex // guards what follows
	next   int
	open   map[int]opened
	closed bool
}

type opened struct {
	session string
	end     context.CancelCauseFunc
}

func newSockets() *sockets { return &sockets{open: map[int]opened{}} }

// enter counts one in. The context ends when the program leaves or the login does; leave must be called.
func (s *sockets) enter(ctx context.Context, session string) (_ context.Context, leave func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, nil, errLeaving
	}
	ctx, end := context.WithCancelCause(ctx)
	id := s.next
	s.next++
	s.open[id] = opened{session: session, end: end}
	s.wait.Add(1)
	return ctx, func() {
		end(nil)
		s.mu.Lock()
		delete(s.open, id)
		s.mu.Unlock()
		s.wait.Done()
	}, nil
}

// logout ends what a session opened.
func (s *sockets) logout(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.open {
		if o.session == session && session != "" {
			o.end(errLoggedOut)
		}
	}
}

// count is how many are open, for the metrics and for tests.
func (s *sockets) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

// close ends all and waits until they have said goodbye.
func (s *sockets) close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	for _, o := range s.open {
		o.end(errLeaving)
	}
	s.mu.Unlock()
	done := make(chan struct{})
	go func() { // ends with the last socket, each of which has a bounded goodbye
		s.wait.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// ended is why a socket ends: the reason its context has, whoever ended it above us being "the program leaves", else the error that came.
func ended(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	cause := context.Cause(ctx)
	for _, ours := range []error{errLoggedOut, errGone, errSlow} {
		if errors.Is(cause, ours) {
			return ours
		}
	}
	return errLeaving
}

// listenOnly reads a socket that only we write to, and returns a context that ends when either side is done. The reader itself must not
// see our own end, because a cancelled read tears the connection down before a close frame could say why.
func listenOnly(ctx context.Context, conn *websocket.Conn) (context.Context, func()) {
	gone := conn.CloseRead(context.WithoutCancel(ctx))
	ctx, end := context.WithCancelCause(ctx)
	stop := context.AfterFunc(gone, func() { end(errGone) })
	return ctx, func() { stop(); end(nil) }
}

// write sends one text message within writeTime, whatever happens to ctx meanwhile: half a message is worse than a late goodbye.
func write(ctx context.Context, conn *websocket.Conn, message []byte) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime)
	defer cancel()
	if err := conn.Write(ctx, websocket.MessageText, message); err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return errSlow
		}
		return errGone
	}
	return nil
}

// goodbye closes a socket with the code that tells the page what to do: come back (1012, 1013, 1011) or log in (1008).
func goodbye(conn *websocket.Conn, err error) {
	code, why := websocket.StatusInternalError, "our fault"
	switch {
	case err == nil:
		code, why = websocket.StatusNormalClosure, ""
	case errors.Is(err, errLoggedOut):
		code, why = websocket.StatusPolicyViolation, "logged out"
	case errors.Is(err, errSlow):
		code, why = websocket.StatusTryAgainLater, "too slow"
	case errors.Is(err, errLeaving):
		code, why = websocket.StatusServiceRestart, "restarting"
	}
	_ = conn.Close(code, why) // the page may have gone first
}
