package web

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"urakata/internal/lang"
	"urakata/internal/ops"
)

// refusal is an error of this package's own: a request that no service ever saw.
type refusal struct {
	status int
	kind   string // the tail of the problem's type and of the catalogue keys web.error.<kind>.title and .say
	cause  error  // for the log only
}

func (e *refusal) Error() string {
	if e.cause != nil {
		return e.kind + ": " + e.cause.Error()
	}
	return e.kind
}

func (e *refusal) Unwrap() error { return e.cause }

// What the guards and the form readers refuse.
var (
	errLogin  = &refusal{status: http.StatusUnauthorized, kind: "login"}
	errHost   = &refusal{status: http.StatusMisdirectedRequest, kind: "host"}
	errOrigin = &refusal{status: http.StatusForbidden, kind: "origin"}
	errMedia  = &refusal{status: http.StatusUnsupportedMediaType, kind: "media"}
	errJSON   = &refusal{status: http.StatusBadRequest, kind: "json"}
	errForm   = &refusal{status: http.StatusBadRequest, kind: "form"}
	errCursor = &refusal{status: http.StatusBadRequest, kind: "cursor"}
	errSocket = &refusal{status: http.StatusUpgradeRequired, kind: "socket"}
)

// slowDown is a client that asks more often than it may.
type slowDown struct{ wait time.Duration }

func (e *slowDown) Error() string { return "too many requests" }

// verdict is an error as the outside may see it.
type verdict struct {
	status int
	kind   string
	args   []any
	fields ops.InvalidError
	item   *ops.Item // decided or expired: the item as it stands
	wait   time.Duration
	stale  int // the version that stands
	ours   bool
}

// judge is the one table from errors to statuses.
func judge(err error) verdict {
	var (
		own     *refusal
		slow    *slowDown
		decided *ops.Decided
		stale   *ops.Stale
		invalid ops.InvalidError
		busy    *ops.Busy
		large   *http.MaxBytesError
		routed  *echo.HTTPError
	)
	switch {
	case errors.As(err, &own):
		return verdict{status: own.status, kind: own.kind}
	case errors.As(err, &large):
		return verdict{status: http.StatusRequestEntityTooLarge, kind: "large", args: []any{"Limit", size(large.Limit)}}
	case errors.As(err, &slow):
		return verdict{status: http.StatusTooManyRequests, kind: "slow", wait: slow.wait}
	case errors.As(err, &decided):
		return judgeDecided(decided.Item)
	case errors.As(err, &stale):
		c := stale.Current
		return verdict{status: http.StatusConflict, kind: "stale", stale: c.Version, args: []any{"Version", c.Version, "By", c.UpdatedBy}}
	case errors.As(err, &invalid):
		return verdict{status: http.StatusUnprocessableEntity, kind: "invalid", fields: invalid}
	case errors.As(err, &busy):
		return verdict{status: http.StatusTooManyRequests, kind: "busy", wait: busy.RetryAfter}
	case errors.Is(err, ops.ErrNotFound):
		return verdict{status: http.StatusNotFound, kind: "not-found"}
	case errors.Is(err, ops.ErrForbidden):
		return verdict{status: http.StatusForbidden, kind: "forbidden"}
	case errors.Is(err, ops.ErrState):
		return verdict{status: http.StatusConflict, kind: "state"}
	case errors.Is(err, ops.ErrContradiction):
		return verdict{status: http.StatusConflict, kind: "contradiction"}
	case errors.Is(err, ops.ErrTaken):
		return verdict{status: http.StatusConflict, kind: "taken"}
	case errors.As(err, &routed):
		return judgeRoute(routed)
	case errors.Is(err, context.Canceled):
		return verdict{status: statusGone, kind: "cancelled"}
	case errors.Is(err, context.DeadlineExceeded):
		return verdict{status: http.StatusServiceUnavailable, kind: "slow-us", ours: true, wait: time.Second}
	}
	return verdict{status: http.StatusInternalServerError, kind: "internal", ours: true}
}

// statusGone is for the log only: the client left before the answer.
const statusGone = 499

func judgeDecided(it ops.Item) verdict {
	v := verdict{status: http.StatusConflict, kind: "decided", item: &it, args: []any{"By", it.DecidedBy, "State", string(it.State)}}
	switch it.State {
	case ops.ItemExpired:
		v.status, v.kind = http.StatusGone, "expired"
	case ops.ItemCancelled:
		v.kind, v.args = "withdrawn", []any{"Why", it.Why}
	default: // a person answered
	}
	return v
}

// size is a limit as a person says it.
func size(bytes int64) string {
	for _, unit := range []struct {
		bytes int64
		name  string
	}{{1 << 30, " GiB"}, {1 << 20, " MiB"}, {1 << 10, " KiB"}} {
		if bytes >= unit.bytes {
			return strconv.FormatInt(bytes/unit.bytes, 10) + unit.name
		}
	}
	return strconv.FormatInt(bytes, 10) + " B"
}

// judgeRoute maps what Echo's router says; its own messages never reach anybody.
func judgeRoute(e *echo.HTTPError) verdict {
	switch e.Code {
	case http.StatusNotFound:
		return verdict{status: e.Code, kind: "not-found"}
	case http.StatusMethodNotAllowed:
		return verdict{status: e.Code, kind: "method"}
	}
	return verdict{status: http.StatusInternalServerError, kind: "internal", ours: true}
}

// title and say are the words of a verdict in the reader's language.
func (v verdict) title(p lang.Printer) string { return p.Text("web.error." + v.kind + ".title") }

func (v verdict) say(p lang.Printer) string {
	return p.Text("web.error."+v.kind+".say", v.pairs(p)...) + " " + p.Text("web.error."+v.kind+".do")
}

// pairs fills the words of a verdict.
func (v verdict) pairs(p lang.Printer) []any {
	if v.item == nil || v.item.DecidedAt.IsZero() {
		return v.args
	}
	return append(v.args[:len(v.args):len(v.args)], "At", p.Clock(v.item.DecidedAt.Local()), "Decision", p.Text("web.state."+string(v.item.State)))
}

// problem is RFC 9457, and what a script needs beside it.
type problem struct {
	Type   string         `json:"type"`
	Title  string         `json:"title"`
	Status int            `json:"status"`
	Detail string         `json:"detail"`
	Errors []fieldProblem `json:"errors,omitempty"`

	DecidedBy string     `json:"decidedBy,omitempty"`
	DecidedAt *time.Time `json:"decidedAt,omitempty"`
	Decision  string     `json:"decision,omitempty"`
	Version   int        `json:"version,omitempty"`

	RetryAfter float64 `json:"retryAfterSeconds,omitempty"` // on sockets, which have no headers
}

type fieldProblem struct {
	Field string `json:"field"`
	Say   string `json:"say"`
}

func (v verdict) problem(p lang.Printer) problem {
	out := problem{Type: "urn:urakata:problem:" + v.kind, Title: v.title(p), Status: v.status, Detail: v.say(p), Version: v.stale}
	for _, f := range v.fields {
		out.Errors = append(out.Errors, fieldProblem{Field: f.Field, Say: sayInvalid(p, f)})
	}
	if v.item != nil {
		out.DecidedBy, out.Decision = v.item.DecidedBy, string(v.item.State)
		if !v.item.DecidedAt.IsZero() {
			out.DecidedAt = &v.item.DecidedAt
		}
	}
	return out
}

// sayInvalid words one wrong field.
func sayInvalid(p lang.Printer, f ops.Invalid) string {
	args := make([]any, 0, 2*len(f.Args))
	for k, v := range f.Args {
		args = append(args, k, v)
	}
	return p.Text(f.Say, args...)
}

// fail is where every error of a request ends: logged once if it is ours, told in the shape that the caller reads.
func (s *Server) fail(err error, c echo.Context) {
	v := judge(err)
	c.Set(keyStatus, v.status)
	if v.ours {
		s.log.ErrorContext(c.Request().Context(), "request failed", "request", requestID(c), "route", c.Path(), "status", v.status, "error", err)
	}
	if c.Response().Committed || v.status == statusGone {
		return
	}
	if v.wait > 0 {
		c.Response().Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(v.wait.Seconds()))))
	}
	if err := s.tell(c, v); err != nil {
		s.log.ErrorContext(c.Request().Context(), "error page failed", "request", requestID(c), "error", err)
		_ = c.NoContent(v.status) // the client is gone or the page is broken: nothing better can be said
	}
}
