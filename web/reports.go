package web

import (
	"context"
	"errors"
	"net/http"
	"path"
	"strings"

	"github.com/labstack/echo/v4"

	"urakata/internal/ops"
	"urakata/views"
)

// reportShelf keeps what was written after streams.
type reportShelf interface {
	Report(ctx context.Context, id string) (ops.Report, ops.ReportData, error)
	List(ctx context.Context, p ops.Page) ([]ops.Report, error)
	Of(ctx context.Context, stream string) (ops.Report, ops.ReportData, error)
}

// Reports is everything this package asks of ops.Reports.
type Reports interface{ reportShelf }

// reportRoom is the reports, as pages and as files.
type reportRoom struct {
	*Server
	shelf reportShelf
}

func (r *reportRoom) list(c echo.Context) error {
	at, err := page(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	p := views.ReportsPage{Streams: map[string]ops.Stream{}}
	if p.Reports, err = r.shelf.List(ctx, at); err != nil {
		return err
	}
	for _, report := range p.Reports {
		v, err := r.Staff.Stream(ctx, report.Stream)
		if err != nil && !errors.Is(err, ops.ErrNotFound) {
			return err
		}
		p.Streams[report.Stream] = v.Stream
	}
	if len(p.Reports) == at.Limit {
		p.Next = p.Reports[len(p.Reports)-1].ID
	}
	if p.Page, err = r.frame(c, views.RoomReports, ""); err != nil {
		return err
	}
	return r.render(c, http.StatusOK, views.Reports(p))
}

// one is a report as the page, or as the file its name ends like.
func (r *reportRoom) one(c echo.Context) error {
	id, ext := param(c, "id"), path.Ext(param(c, "id"))
	switch ext {
	case ".md", ".csv", ".json", ".html":
		id = strings.TrimSuffix(id, ext)
	default:
		ext = ""
	}
	ctx := c.Request().Context()
	report, data, err := r.shelf.Report(ctx, id)
	if err != nil {
		return err
	}
	if ext != "" {
		return r.file(c, report, data, ext)
	}
	if isAPI(c) {
		return c.JSON(http.StatusOK, reportShape(report, &data))
	}
	v, err := r.Staff.Stream(ctx, report.Stream)
	if err != nil && !errors.Is(err, ops.ErrNotFound) {
		return err
	}
	p := views.ReportPage{Report: report, Data: data, Stream: v.Stream}
	if p.Page, err = r.frame(c, views.RoomReports, ""); err != nil {
		return err
	}
	p.Page.Title = report.Title
	return r.render(c, http.StatusOK, views.Report(p))
}

// alone is the policy of the file that stands by itself: it brings its own style and nothing else, also when it is opened from here.
const alone = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// file sends a report as something to keep. Its name is made from its id, not from a title that somebody chose.
func (r *reportRoom) file(c echo.Context, report ops.Report, data ops.ReportData, ext string) error {
	p, h := r.printer(c), c.Response().Header()
	name := "report-" + plainName(report.ID) + ext
	disposition := "attachment"
	switch ext {
	case ".json":
		h.Set(echo.HeaderContentDisposition, `inline; filename="`+name+`"`)
		return c.JSON(http.StatusOK, reportShape(report, &data))
	case ".md":
		h.Set(echo.HeaderContentDisposition, disposition+`; filename="`+name+`"`)
		return c.Blob(http.StatusOK, "text/markdown; charset=utf-8", []byte(data.Markdown(p)))
	case ".csv":
		h.Set(echo.HeaderContentDisposition, disposition+`; filename="`+name+`"`)
		return c.Blob(http.StatusOK, "text/csv; charset=utf-8", data.CSV(p))
	}
	b, err := markup(c.Request().Context(), r.setting(c), views.ReportHTML(views.ReportFile{Report: report, Data: data}))
	if err != nil {
		return err
	}
	h.Set(echo.HeaderContentDisposition, disposition+`; filename="`+name+`"`)
	h.Set("Content-Security-Policy", alone)
	return c.HTMLBlob(http.StatusOK, b)
}

// plainName keeps what every file system and header takes.
func plainName(id string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, id)
}

// reportJSON is a report as scripts read it; a list leaves the data out.
type reportJSON struct {
	ID        string          `json:"id"`
	Stream    string          `json:"stream"`
	Version   int             `json:"version"`
	Title     string          `json:"title"`
	Character string          `json:"character"`
	At        any             `json:"at"`
	Data      *ops.ReportData `json:"data,omitempty"`
}

func reportShape(r ops.Report, data *ops.ReportData) reportJSON {
	return reportJSON{ID: r.ID, Stream: r.Stream, Version: r.Version, Title: r.Title, Character: r.Character, At: moment(r.At), Data: data}
}

func (r *reportRoom) listAPI(c echo.Context) error {
	at, err := page(c)
	if err != nil {
		return err
	}
	got, err := r.shelf.List(c.Request().Context(), at)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, listOf(got, at.Limit,
		func(r ops.Report) reportJSON { return reportShape(r, nil) }, func(r ops.Report) any { return r.ID }))
}
