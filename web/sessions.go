package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"urakata/internal/agent"
	"urakata/internal/ops"
	"urakata/views"
)

// logs is the append-only history of sessions.
type logs interface {
	Events(ctx context.Context, session string, from agent.Seq) iter.Seq2[agent.Event, error]
	Sessions(ctx context.Context, stream string) ([]ops.SessionRow, error)
}

// sessionRoom shows what a character did.
type sessionRoom struct {
	*Server
	logs logs
	bell changes
}

// read is the next events of a log, as they may leave the process. A log that has no event at all is not there.
func (r *sessionRoom) read(ctx context.Context, id string, after agent.Seq, limit int) ([]agent.Event, error) {
	var out []agent.Event
	for e, err := range r.logs.Events(ctx, id, after) {
		if err != nil {
			return nil, err
		}
		if e, err = shown(e); err != nil {
			return nil, fmt.Errorf("session %s, event %d: %w", id, e.Seq, err)
		}
		if out = append(out, e); len(out) == limit {
			break
		}
	}
	if len(out) == 0 && after > 0 {
		_, err := r.read(ctx, id, 0, 1)
		return nil, err
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("session %s: %w", id, ops.ErrNotFound)
	}
	return out, nil
}

// shown is an event without what stays inside: the frozen bytes of a call, the model's raw arguments, and the full result it was told.
func shown(e agent.Event) (agent.Event, error) {
	switch e.Kind {
	case agent.ToolRequested:
		return edited(e, func(b *agent.CallBody) { b.Frozen = nil })
	case agent.ToolStarted, agent.ToolCompleted, agent.ToolFailed, agent.ToolSkipped, agent.ToolUnknown:
		return edited(e, func(b *agent.CallDoneBody) { b.Result = "" })
	case agent.StepCompleted:
		return edited(e, func(b *agent.StepBody) {
			for i := range b.Message.Calls {
				b.Message.Calls[i].Arguments = ""
			}
		})
	default:
		return e, nil
	}
}

func edited[B any](e agent.Event, edit func(*B)) (agent.Event, error) {
	var body B
	if err := json.Unmarshal(e.Body, &body); err != nil {
		return e, err
	}
	edit(&body)
	var err error
	e.Body, err = json.Marshal(body)
	return e, err
}

func (r *sessionRoom) show(c echo.Context) error {
	ctx, id := c.Request().Context(), param(c, "id")
	after, err := place(c, "after")
	if err != nil {
		return err
	}
	p := views.SessionPage{}
	if p.Events, err = r.read(ctx, id, agent.Seq(after), commentRows); err != nil {
		return err
	}
	if len(p.Events) == commentRows {
		p.Next = p.Events[len(p.Events)-1].Seq
	}
	if p.Session, p.Stream, err = r.find(ctx, id); err != nil {
		return err
	}
	if p.Character, err = r.character(ctx, p.Session.Character); err != nil {
		return err
	}
	if p.Page, err = r.frame(c, "", ""); err != nil {
		return err
	}
	p.Page.Title = id
	return r.render(c, http.StatusOK, views.Session(p))
}

// find looks a session up among the sessions of the streams, newest first. One that belongs to no stream is shown by its id.
func (r *sessionRoom) find(ctx context.Context, id string) (ops.SessionRow, ops.Stream, error) {
	streams, err := r.Staff.Streams(ctx, ops.Page{Limit: maxLimit})
	if err != nil {
		return ops.SessionRow{}, ops.Stream{}, err
	}
	for _, v := range streams {
		rows, err := r.logs.Sessions(ctx, v.Stream.ID)
		if err != nil {
			return ops.SessionRow{}, ops.Stream{}, err
		}
		for _, row := range rows {
			if row.ID == id {
				return row, v.Stream, nil
			}
		}
	}
	return ops.SessionRow{ID: id}, ops.Stream{}, nil
}

func (r *sessionRoom) eventsAPI(c echo.Context) error {
	after, err := place(c, "after")
	if err != nil {
		return err
	}
	if strings.Contains(c.Request().Header.Get(echo.HeaderAccept), "text/event-stream") {
		if last, err := strconv.ParseInt(c.Request().Header.Get("Last-Event-ID"), 10, 64); err == nil && last > after {
			after = last
		}
		return r.followAPI(c, agent.Seq(after))
	}
	at, err := page(c)
	if err != nil {
		return err
	}
	got, err := r.read(c.Request().Context(), param(c, "id"), agent.Seq(after), at.Limit)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, listOf(got, at.Limit, func(e agent.Event) agent.Event { return e }, func(e agent.Event) any { return e.Seq }))
}

// followAPI sends the log as server-sent events and goes on with what is appended. Every event carries its place, so that a client which comes
// back with Last-Event-ID misses nothing.
func (r *sessionRoom) followAPI(c echo.Context, after agent.Seq) error {
	id := param(c, "id")
	if _, err := r.read(c.Request().Context(), id, 0, 1); err != nil {
		return err
	}
	ctx, leave, err := r.sockets.enter(c.Request().Context(), session(c))
	if err != nil {
		return &refusal{status: http.StatusServiceUnavailable, kind: "leaving", cause: err}
	}
	defer leave()
	rung := r.bell.Listen(ctx, "session/"+id)
	c.Response().Header().Set(echo.HeaderContentType, "text/event-stream")
	c.Response().WriteHeader(http.StatusOK)
	beat := time.NewTicker(pingEvery)
	defer beat.Stop()
	for {
		if after, err = r.send(ctx, c, id, after); err != nil {
			break
		}
		select {
		case <-rung:
			continue
		case <-beat.C:
			if err = errors.Join(r.stillIn(ctx, session(c)), event(c, ": still here\n\n")); err == nil {
				continue
			}
		case <-ctx.Done():
		}
		break
	}
	r.told(c, ended(ctx, err))
	return nil
}

// send writes all events after a place.
func (r *sessionRoom) send(ctx context.Context, c echo.Context, id string, after agent.Seq) (agent.Seq, error) {
	for e, err := range r.logs.Events(ctx, id, after) {
		if err != nil {
			return after, err
		}
		if e, err = shown(e); err != nil {
			return after, err
		}
		b, err := json.Marshal(e)
		if err != nil {
			return after, err
		}
		if err := event(c, "id: "+strconv.FormatInt(int64(e.Seq), 10)+"\nevent: "+string(e.Kind)+"\ndata: "+string(b)+"\n\n"); err != nil {
			return after, err
		}
		after = e.Seq
	}
	return after, flush(c)
}

func event(c echo.Context, text string) error {
	control := http.NewResponseController(c.Response())
	_ = control.SetWriteDeadline(time.Now().Add(writeTime)) // not every writer has deadlines; a test's recorder has none
	if _, err := c.Response().Write([]byte(text)); err != nil {
		return errGone
	}
	if strings.HasPrefix(text, ":") {
		return flush(c)
	}
	return nil
}

func flush(c echo.Context) error {
	if err := http.NewResponseController(c.Response()).Flush(); err != nil {
		return errGone
	}
	return nil
}
