package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"urakata/internal/ops"
	"urakata/views"
)

// streamReader says how streams stand.
type streamReader interface {
	Stream(ctx context.Context, id string) (ops.StreamView, error)
	Streams(ctx context.Context, p ops.Page) ([]ops.StreamView, error)
}

// streamMover makes streams and moves them on.
type streamMover interface {
	Create(ctx context.Context, who ops.Who, in ops.NewStream) (ops.Stream, error)
	Start(ctx context.Context, who ops.Who, id string) (ops.Stream, error)
	Pause(ctx context.Context, who ops.Who, id string) (ops.Stream, error)
	End(ctx context.Context, who ops.Who, id string) (ops.Stream, error)
}

// Staff is everything this package asks of ops.Staff.
type Staff interface {
	streamReader
	streamMover
	intake
	stopper
}

// streamRoom is the list of streams, a stream's own page and the form that makes one.
type streamRoom struct {
	*Server
	reader streamReader
	mover  streamMover
}

func (s *streamRoom) list(c echo.Context) error {
	at, err := page(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	since, err := s.Board.Last(ctx, "") // before the rows: what moves after it comes by the socket
	if err != nil {
		return err
	}
	got, err := s.reader.Streams(ctx, at)
	if err != nil {
		return err
	}
	p := views.StreamsPage{}
	if p.Page, err = s.frame(c, views.RoomStreams, views.SocketURL("", since)); err != nil {
		return err
	}
	for _, v := range got {
		row, err := s.streamRow(ctx, v)
		if err != nil {
			return err
		}
		p.Rows = append(p.Rows, row)
	}
	if len(got) == at.Limit {
		p.Next = got[len(got)-1].Stream.ID
	}
	return s.render(c, http.StatusOK, views.Streams(p))
}

// streamRow is a stream with the names a person knows it by.
func (s *Server) streamRow(ctx context.Context, v ops.StreamView) (row views.StreamRow, err error) {
	row = views.StreamRow{Stream: v.Stream, Health: v.Health, Backend: v.Backend, Pending: v.Pending}
	if row.Character, err = s.character(ctx, v.Stream.Character); err != nil {
		return row, err
	}
	row.Report, err = s.reportID(ctx, v.Stream)
	return row, err
}

// reportID is the report of a stream, "" while there is none.
func (s *Server) reportID(ctx context.Context, stream ops.Stream) (string, error) {
	if stream.State != ops.StreamEnded {
		return "", nil
	}
	r, _, err := s.Reports.Of(ctx, stream.ID)
	if errors.Is(err, ops.ErrNotFound) {
		return "", nil
	}
	return r.ID, err
}

func (s *streamRoom) show(c echo.Context) error {
	ctx, id := c.Request().Context(), param(c, "id")
	since, err := s.Board.Last(ctx, "")
	if err != nil {
		return err
	}
	v, err := s.reader.Stream(ctx, id)
	if err != nil {
		return err
	}
	p := views.StreamPage{}
	if p.Row, err = s.streamRow(ctx, v); err != nil {
		return err
	}
	if p.Page, err = s.frame(c, views.RoomStreams, views.SocketURL("", since)); err != nil {
		return err
	}
	p.Page.Title = v.Stream.Title
	if p.Sessions, err = s.Board.Sessions(ctx, id); err != nil {
		return err
	}
	if v.Stream.Source.Kind == "push" {
		p.PushURL = s.absolute(c, apiPrefix+"/streams/"+url.PathEscape(id)+"/comments")
	}
	return s.render(c, http.StatusOK, views.Stream(p))
}

// move starts, pauses or ends: a button on a page.
func (s *streamRoom) move(do func(context.Context, ops.Who, string) (ops.Stream, error), flash string) echo.HandlerFunc {
	return func(c echo.Context) error {
		f, err := form(c)
		if err != nil {
			return err
		}
		got, err := do(c.Request().Context(), who(c), param(c, "id"))
		if err != nil {
			return err
		}
		if !isFragment(c) {
			return s.back(c, f, views.StreamPath(got.ID), flash)
		}
		v, err := s.reader.Stream(c.Request().Context(), got.ID)
		if err != nil {
			return err
		}
		row, err := s.streamRow(c.Request().Context(), v)
		if err != nil {
			return err
		}
		return s.render(c, http.StatusOK, views.StreamRowPartial(row, who(c)))
	}
}

// moveAPI is the same for a script.
func (s *streamRoom) moveAPI(do func(context.Context, ops.Who, string) (ops.Stream, error)) echo.HandlerFunc {
	return func(c echo.Context) error {
		if _, err := do(c.Request().Context(), who(c), param(c, "id")); err != nil {
			return err
		}
		return s.oneAPI(c)
	}
}

func (s *streamRoom) oneAPI(c echo.Context) error {
	v, err := s.reader.Stream(c.Request().Context(), param(c, "id"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, streamShape(v))
}

func (s *streamRoom) listAPI(c echo.Context) error {
	at, err := page(c)
	if err != nil {
		return err
	}
	got, err := s.reader.Streams(c.Request().Context(), at)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, listOf(got, at.Limit, streamShape, func(v ops.StreamView) any { return v.Stream.ID }))
}

// wanted is a stream as a script asks for it.
type wanted struct {
	Title     string `json:"title"`
	Topic     string `json:"topic"`
	Language  string `json:"language"`
	Character string `json:"character"`
	Start     bool   `json:"start"`
	Source    struct {
		Kind   string  `json:"kind"`
		File   string  `json:"file"`
		Upload string  `json:"upload"`
		Format string  `json:"format"`
		Speed  float64 `json:"speed"`
	} `json:"source"`
}

func (s *streamRoom) createAPI(c echo.Context) error {
	var w wanted
	if err := readJSON(c, &w); err != nil {
		return err
	}
	file, err := s.recording(either(w.Source.Upload, w.Source.File), "source.file")
	if err != nil {
		return err
	}
	made, err := s.mover.Create(c.Request().Context(), who(c), ops.NewStream{
		Title: clean(w.Title), Topic: clean(w.Topic), Language: clean(w.Language), Character: clean(w.Character), Start: w.Start,
		Source: ops.SourceSpec{Kind: w.Source.Kind, File: file, Format: clean(w.Source.Format), Speed: w.Source.Speed},
	})
	if err != nil {
		return err
	}
	v, err := s.reader.Stream(c.Request().Context(), made.ID)
	if err != nil {
		return err
	}
	c.Response().Header().Set(echo.HeaderLocation, s.base+apiPrefix+"/streams/"+url.PathEscape(made.ID))
	return c.JSON(http.StatusCreated, streamShape(v))
}

// fresh is the form. After an upload it comes back with what was recognised.
func (s *streamRoom) fresh(c echo.Context) error {
	f := formOf(c.QueryParams())
	p := views.NewStreamPage{Form: f}
	if f.Upload != "" {
		var invalid ops.InvalidError
		preview, err := s.look(c.Request().Context(), f.Upload)
		switch {
		case errors.As(err, &invalid):
			p.Errors, p.Form.Upload = invalid, ""
		case err != nil:
			return err
		default:
			p.Preview = preview
		}
	}
	return s.drawForm(c, http.StatusOK, p)
}

func (s *streamRoom) drawForm(c echo.Context, status int, p views.NewStreamPage) (err error) {
	if p.Page, err = s.frame(c, views.RoomStreams, ""); err != nil {
		return err
	}
	all, err := s.Characters.List(c.Request().Context())
	p.Characters = slices.DeleteFunc(all, func(ch ops.Character) bool { return ch.Job != ops.JobOperations }) // the others do not watch streams
	if err != nil {
		return err
	}
	return s.render(c, status, views.NewStream(p))
}

// formOf reads the form's fields from a query or a body.
func formOf(v url.Values) views.StreamForm {
	get := func(name string) string { return strings.TrimSpace(clean(v.Get(name))) }
	return views.StreamForm{
		Kind: get("kind"), Title: get("title"), Topic: get("topic"), Language: get("language"), Character: get("character"),
		Speed: get("speed"), Upload: get("upload"),
	}
}

// create makes a stream of the form, or takes the file that came with it and shows what it is.
func (s *streamRoom) create(c echo.Context) error {
	values, upload, err := s.take(c)
	f := formOf(values)
	var invalid ops.InvalidError
	switch {
	case errors.As(err, &invalid):
		return s.drawForm(c, http.StatusUnprocessableEntity, views.NewStreamPage{Form: f, Errors: invalid})
	case err != nil:
		return err
	case upload != "":
		return c.Redirect(http.StatusSeeOther, s.base+views.NewStreamPath+"?"+preview(f, upload))
	}
	in, err := s.ask(f, values.Get("start"))
	if err == nil {
		var made ops.Stream
		if made, err = s.mover.Create(c.Request().Context(), who(c), in); err == nil {
			s.leaveFlash(c, "created")
			if in.Start {
				return c.Redirect(http.StatusSeeOther, s.base+views.BoardPath(made.ID))
			}
			return c.Redirect(http.StatusSeeOther, s.base+views.StreamPath(made.ID))
		}
	}
	if !errors.As(err, &invalid) {
		return err
	}
	p := views.NewStreamPage{Form: f, Errors: invalid}
	if f.Upload != "" {
		p.Preview, _ = s.look(c.Request().Context(), f.Upload) // a file that is wrong is among the errors already
	}
	return s.drawForm(c, http.StatusUnprocessableEntity, p)
}

// preview is the query that shows an upload.
func preview(f views.StreamForm, upload string) string {
	v := url.Values{"kind": {"upload"}, "upload": {upload}}
	for name, value := range map[string]string{"title": f.Title, "topic": f.Topic, "language": f.Language, "character": f.Character, "speed": f.Speed} {
		if value != "" {
			v.Set(name, value)
		}
	}
	return v.Encode()
}

// ask is the stream that a form describes.
func (s *streamRoom) ask(f views.StreamForm, start string) (ops.NewStream, error) {
	in := ops.NewStream{Title: f.Title, Topic: f.Topic, Language: f.Language, Character: f.Character, Start: start != ""}
	switch f.Kind {
	case "push":
		in.Source.Kind = "push"
		return in, nil
	case "example":
		in.Source = ops.SourceSpec{Kind: "replay", File: "example"}
	case "upload":
		if f.Upload == "" {
			return in, ops.InvalidError{{Field: "file", Say: "web.field.file"}}
		}
		file, err := s.recording(f.Upload, "file")
		if err != nil {
			return in, err
		}
		in.Source = ops.SourceSpec{Kind: "replay", File: file}
	default:
		return in, ops.InvalidError{{Field: "kind", Say: "web.field.kind"}}
	}
	if f.Speed != "" {
		speed, err := strconv.ParseFloat(f.Speed, 64)
		if err != nil || speed < 0 || speed > 60 {
			return in, ops.InvalidError{{Field: "speed", Say: "web.field.speed"}}
		}
		in.Source.Speed = speed
	}
	return in, nil
}
