package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"

	"github.com/labstack/echo/v4"

	"urakata/internal/ops"
	"urakata/internal/ops/source"
	"urakata/views"
)

// uploadName is every name an upload can have. The name the person's file had is never used.
var uploadName = regexp.MustCompile(`^import-[0-9a-f]{32}$`)

// fieldLimit bounds the text fields beside a file.
const fieldLimit = 64 << 10

// take reads the form that makes a stream: a plain one, or one with a file, which is streamed to the imports folder and looked at. upload is
// the name the file got, "" when there was none.
func (s *Server) take(c echo.Context) (values url.Values, upload string, err error) {
	if media(c.Request()) != echo.MIMEMultipartForm {
		values, err = form(c)
		return values, "", err
	}
	parts, err := c.Request().MultipartReader()
	if err != nil {
		return nil, "", readError(err, errForm)
	}
	values = url.Values{}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return values, "", readError(err, errForm)
		}
		if part.FileName() == "" {
			err = field(values, part)
		} else if part.FormName() == "file" && upload == "" {
			upload, err = s.keep(part)
		}
		if err != nil {
			return values, "", err
		}
	}
	if upload == "" {
		return values, "", nil
	}
	if _, err := s.look(c.Request().Context(), upload); err != nil {
		return values, "", errors.Join(err, s.forget(upload))
	}
	return values, upload, nil
}

func field(values url.Values, part *multipart.Part) error {
	b, err := io.ReadAll(io.LimitReader(part, fieldLimit+1))
	if err != nil {
		return readError(err, errForm)
	}
	if len(b) > fieldLimit {
		return &http.MaxBytesError{Limit: fieldLimit}
	}
	values.Add(clean(part.FormName()), clean(string(b)))
	return nil
}

// takeAPI takes a recording as the body itself, or as the file of a form.
func (s *streamRoom) takeAPI(c echo.Context) error {
	var upload string
	var err error
	if media(c.Request()) == echo.MIMEMultipartForm {
		if _, upload, err = s.take(c); err == nil && upload == "" {
			err = ops.InvalidError{{Field: "file", Say: "web.field.file"}}
		}
	} else {
		upload, err = s.keep(c.Request().Body)
	}
	if err != nil {
		return err
	}
	seen, err := s.look(c.Request().Context(), upload)
	if err != nil {
		return errors.Join(err, s.forget(upload))
	}
	return c.JSON(http.StatusCreated, map[string]any{"file": upload, "format": seen.Format, "counts": seen.Counts, "skipped": some(seen.Skipped)})
}

// keep streams a file to the imports folder under a name of ours. It is whole there or not at all.
func (s *Server) keep(r io.Reader) (name string, err error) {
	if s.Imports == "" {
		return "", ops.InvalidError{{Field: "file", Say: "web.field.no-imports"}}
	}
	if err := os.MkdirAll(s.Imports, 0o700); err != nil {
		return "", fmt.Errorf("imports: %w", err)
	}
	temp, err := os.CreateTemp(s.Imports, ".taking-*")
	if err != nil {
		return "", fmt.Errorf("imports: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, temp.Close(), os.Remove(temp.Name()))
		}
	}()
	if _, err := io.Copy(temp, r); err != nil {
		return "", readError(err, errForm)
	}
	if err := temp.Sync(); err != nil {
		return "", fmt.Errorf("imports: %w", err)
	}
	name = "import-" + randomName(16)
	if err := os.Rename(temp.Name(), filepath.Join(s.Imports, name)); err != nil {
		return "", fmt.Errorf("imports: %w", err)
	}
	return name, temp.Close()
}

// forget removes an upload that turned out to be no recording.
func (s *Server) forget(name string) error {
	return os.Remove(filepath.Join(s.Imports, name))
}

// recording checks the name of a recording: the example, or a file that was uploaded. What else lies on the disk cannot be named.
func (s *Server) recording(name, field string) (string, error) {
	if name == "" || name == "example" || uploadName.MatchString(name) {
		return name, nil
	}
	if s.Imports != "" && filepath.IsLocal(name) && filepath.Base(name) == name && name[0] != '.' {
		if _, err := os.Stat(filepath.Join(s.Imports, name)); err == nil { // put there by the person who runs the program
			return name, nil
		}
	}
	return "", ops.InvalidError{{Field: field, Say: "web.field.no-such-file"}}
}

// How much of a recording is shown before it is played.
const (
	previewRows  = 8
	previewDepth = 1000
)

// look says what an uploaded recording is. A file that is none is the uploader's to mend, beside the field.
func (s *Server) look(ctx context.Context, name string) (*views.UploadPreview, error) {
	if !uploadName.MatchString(name) {
		return nil, ops.InvalidError{{Field: "file", Say: "web.field.no-such-file"}}
	}
	path := filepath.Join(s.Imports, name)
	rows, seen, err := source.Preview(source.ReplayConfig{
		Name: name, Open: func() (io.ReadCloser, error) { return os.Open(path) }, Now: s.now, MaxBytes: uploadLimit,
	}, previewDepth)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, ops.InvalidError{{Field: "file", Say: "web.field.no-such-file"}}
	case errors.Is(err, source.ErrEmpty):
		return nil, ops.InvalidError{{Field: "file", Say: "web.field.empty-file"}}
	case errors.Is(err, source.ErrFormat):
		return nil, ops.InvalidError{{Field: "file", Say: "web.field.format"}}
	case err != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, ops.InvalidError{{Field: "file", Say: "web.field.broken-file"}}
	case seen.Read == 0:
		return nil, ops.InvalidError{{Field: "file", Say: "web.field.no-comments", Args: map[string]any{"Records": seen.Records}}}
	}
	out := &views.UploadPreview{File: name, Format: seen.Format, Counts: seen.Counts, Skipped: seen.Skipped[:min(previewRows, len(seen.Skipped))]}
	for i, row := range rows[:min(previewRows, len(rows))] {
		out.First = append(out.First, ops.Stored{Seq: int64(i + 1), Comment: row})
	}
	return out, nil
}
