package web

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"urakata/internal/ops"
)

// media is the request's content type without its parameters.
func media(r *http.Request) string {
	kind, _, err := mime.ParseMediaType(r.Header.Get(echo.HeaderContentType))
	if err != nil {
		return ""
	}
	return kind
}

// form reads a page's form. Text that is not UTF-8, or holds NUL, is mended here so that no service has to think of it.
func form(c echo.Context) (url.Values, error) {
	r := c.Request()
	if r.ContentLength != 0 && media(r) != echo.MIMEApplicationForm {
		return nil, errMedia
	}
	if err := r.ParseForm(); err != nil {
		return nil, readError(err, errForm)
	}
	for name, values := range r.PostForm {
		for i, v := range values {
			r.PostForm[name][i] = clean(v)
		}
	}
	return r.PostForm, nil
}

// clean is valid UTF-8 without NUL and with plain line ends.
func clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	return strings.NewReplacer("\x00", "\uFFFD", "\r\n", "\n", "\r", "\n").Replace(s)
}

// readJSON reads one JSON document into v. Fields that nobody knows are errors: a misspelt name must not be a silent default.
func readJSON(c echo.Context, v any) error {
	r := c.Request()
	if media(r) != echo.MIMEApplicationJSON {
		return errMedia
	}
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	err := dec.Decode(v)
	if err == nil {
		_, err = dec.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = errors.New("more after the document")
		}
	}
	return readError(err, errJSON)
}

// readMaybe is readJSON for routes whose body may be absent.
func readMaybe(c echo.Context, v any) error {
	if c.Request().ContentLength == 0 {
		return nil
	}
	return readJSON(c, v)
}

// readError says whose fault it was that a body could not be read: too long, cut off, or not what it should be. A wrong type in a field is
// told beside the field.
func readError(err error, otherwise *refusal) error {
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return large
	}
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) && kind.Field != "" {
		return ops.InvalidError{{Field: kind.Field, Say: "web.field.type", Args: map[string]any{"Want": kind.Type.Kind().String(), "Got": kind.Value}}}
	}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return ops.InvalidError{{Field: strings.Trim(name, `"`), Say: "web.field.unknown"}}
	}
	return &refusal{status: otherwise.status, kind: otherwise.kind, cause: err}
}

// page reads the cursor of a list: ?after= and ?limit=.
func page(c echo.Context) (ops.Page, error) {
	p := ops.Page{After: clean(c.QueryParam("after")), Limit: defaultLimit}
	if given := c.QueryParam("limit"); given != "" {
		n, err := strconv.Atoi(given)
		if err != nil || n < 1 || n > maxLimit {
			return p, ops.InvalidError{{Field: "limit", Say: "web.field.limit", Args: map[string]any{"Max": maxLimit}}}
		}
		p.Limit = n
	}
	return p, nil
}

// A list has this many rows unless the caller asks for fewer or more.
const (
	defaultLimit = 50
	maxLimit     = 500
)

// place reads a cursor that is a number.
func place(c echo.Context, name string) (int64, error) {
	given := c.QueryParam(name)
	if given == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(given, 10, 64)
	if err != nil || n < 0 {
		return 0, errCursor
	}
	return n, nil
}

// here is a path of ours to go to after a form, given without the base: never another site, whatever was asked for.
func (s *Server) here(path string) string {
	u, err := url.Parse(path)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || strings.ContainsAny(path, "\\\x00\r\n\t") ||
		!strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") {
		return s.base + "/"
	}
	return s.base + path
}
