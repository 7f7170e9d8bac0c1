package ops

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"urakata/internal/agent"
)

// session finds the live session that works a stream, waiting while its desk opens it.
func (s *Staff) session(ctx context.Context, stream, id string) (*agent.Session, error) {
	d, err := s.working(ctx, stream)
	if err != nil {
		return nil, err
	}
	if d == nil {
		return nil, fmt.Errorf("nobody works stream %s: %w", stream, ErrState)
	}
	for {
		d.mu.Lock()
		live, changed := d.session, d.changed
		d.mu.Unlock()
		if live != nil {
			if string(live.Snapshot().ID) != id {
				return nil, fmt.Errorf("session %s of stream %s: %w", id, stream, ErrState)
			}
			return live, nil
		}
		select {
		case <-changed:
		case <-d.gone:
			return nil, fmt.Errorf("nobody works stream %s: %w", stream, ErrState)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// tell hands an operator's answer to the character. Without a desk it waits in its row: the next desk tells it.
func (s *Staff) tell(ctx context.Context, it Item) error {
	session, err := s.session(ctx, it.Stream, it.Session)
	if errors.Is(err, ErrState) {
		return nil
	}
	if err != nil {
		return err
	}
	in, err := answerInput(it)
	if err != nil {
		return err
	}
	if err := session.Send(ctx, in); err != nil && !errors.Is(err, agent.ErrClosed) {
		return fmt.Errorf("tell the answer %s: %w", it.ID, err)
	}
	return nil
}

// Stream is one stream with what its desk does right now.
func (s *Staff) Stream(ctx context.Context, id string) (StreamView, error) {
	st, err := s.cfg.Store.Stream(ctx, id)
	if err != nil {
		return StreamView{}, fmt.Errorf("stream %s: %w", id, err)
	}
	return s.view(ctx, st)
}

// Streams lists streams, newest first.
func (s *Staff) Streams(ctx context.Context, p Page) ([]StreamView, error) {
	all, err := s.cfg.Store.Streams(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("streams: %w", err)
	}
	out := make([]StreamView, len(all))
	for i, st := range all {
		if out[i], err = s.view(ctx, st); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s *Staff) view(ctx context.Context, st Stream) (StreamView, error) {
	v := StreamView{Stream: st}
	v.Health.Counts = st.Counts
	pending, err := s.cfg.Store.Items(ctx, ItemQuery{Stream: st.ID, Page: Page{Limit: 500}})
	if err != nil {
		return v, fmt.Errorf("stream %s: %w", st.ID, err)
	}
	v.Pending = len(pending)
	d := s.desk(st.ID)
	if d == nil {
		return v, nil
	}
	d.mu.Lock()
	session, waiting := d.session, d.waiting
	v.Backend = d.backend
	if d.health.State != "" {
		v.Health = d.health
	}
	d.mu.Unlock()
	if session != nil {
		v.Session = session.Snapshot()
	}
	if !waiting.IsZero() {
		v.Lag = max(0, s.cfg.Now().Sub(waiting))
	}
	return v, nil
}

// WaitEnded returns once the stream has ended.
func (s *Staff) WaitEnded(ctx context.Context, id string) (Stream, error) {
	rung := s.cfg.Store.Listen(ctx, "stream/"+id)
	for {
		st, err := s.cfg.Store.Stream(ctx, id)
		if err != nil {
			return Stream{}, fmt.Errorf("stream %s: %w", id, err)
		}
		if st.State == StreamEnded || st.Err != "" {
			return st, nil
		}
		select {
		case <-rung:
		case <-ctx.Done():
			return st, context.Cause(ctx)
		}
	}
}

// PauseCharacter stops a character at once, or lets it go on: its turns are cut, what waits in its name is cancelled with "character stopped".
// A moderator may stop; letting it go on takes an operator.
func (s *Staff) PauseCharacter(ctx context.Context, who Who, id string, paused bool) (Character, error) {
	need, action := RoleOperator, AuditUnpaused
	if paused {
		need, action = RoleModerator, AuditStopped
	}
	if !who.May(need) {
		return Character{}, fmt.Errorf("pause character %s: %w", id, ErrForbidden)
	}
	c, err := s.setPaused(ctx, who, id, paused)
	if err != nil {
		return c, err
	}
	for _, d := range s.all() {
		if paused {
			d.cut(ctx, id)
		}
		d.nudge()
	}
	return c, record(ctx, s.cfg.Store, AuditEntry{At: s.cfg.Now(), By: who.Name, Action: action, Ref: id})
}

// setPaused saves over whatever version stands: stopping somebody must not fail because a form was saved in between.
func (s *Staff) setPaused(ctx context.Context, who Who, id string, paused bool) (Character, error) {
	c, err := s.cfg.Store.Character(ctx, id)
	if err != nil {
		return Character{}, fmt.Errorf("pause character %s: %w", id, err)
	}
	for {
		if c.Paused == paused {
			return c, nil
		}
		c.Paused, c.UpdatedAt, c.UpdatedBy = paused, s.cfg.Now(), who.Name
		saved, err := s.cfg.Store.SaveCharacter(ctx, c)
		var stale *Stale
		if errors.As(err, &stale) {
			c = stale.Current
			continue
		}
		if err != nil {
			return c, fmt.Errorf("pause character %s: %w", id, err)
		}
		return saved, nil
	}
}

// cut stops a character's session without waiting for the desk, which does the same again when it looks.
func (d *desk) cut(ctx context.Context, character string) {
	d.mu.Lock()
	session, is := d.session, d.character == character
	d.mu.Unlock()
	if session == nil || !is {
		return
	}
	stop(ctx, d.staff.cfg.Logger, session)
}

// stoppedWhy is the cause that a stopped character's items carry.
const stoppedWhy = "character stopped"

// stop cuts what a session is doing and cancels what waits in its name.
func stop(ctx context.Context, log *slog.Logger, session *agent.Session) {
	id := session.Snapshot().ID
	if err := session.Interrupt(ctx, stoppedWhy); err != nil {
		log.WarnContext(ctx, "interrupt", "session", id, "err", err)
	}
	if err := session.Cancel(ctx, stoppedWhy); err != nil {
		log.ErrorContext(ctx, "cancel approvals", "session", id, "err", err)
	}
}
