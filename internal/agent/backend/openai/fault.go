package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/openai/openai-go/v3/packages/ssestream"

	"urakata/internal/agent"
)

// What can go wrong without a status that says so.
var (
	errAddress = errors.New("the address of the model server is not an http or https address")
	errKey     = errors.New("the key cannot be read")
	errStalled = errors.New("the model server went silent")
	errNothing = errors.New("the model server sent nothing")
	errCut     = errors.New("the answer broke off before its end")
	errServer  = errors.New("the model server reported an error in the middle of the answer")
)

// fault words a failure for a person. What the server said is not repeated: it may hold the key, or what it was sent.
func (b *Backend) fault(ctx context.Context, f *failure) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("openai: %w", context.Cause(ctx))
	}
	out := &agent.BackendError{Backend: b.Name(), Err: f.cause()}
	if f.status >= http.StatusBadRequest {
		out.Code, out.Say, out.Retryable = f.judge(b.cfg.Model)
		if f.after > 0 && out.Retryable {
			out.Retryable = false // it was waited for already, or the wait is too long
			out.Say += fmt.Sprintf(". It asks to wait %s", f.after)
		}
		return out
	}
	out.Code, out.Say, out.Retryable = f.local()
	return out
}

// cause keeps what may be kept of an error: never an address or a key.
func (f *failure) cause() error {
	err := f.err
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	if err == nil || f.status >= http.StatusBadRequest {
		return nil
	}
	var in *ssestream.StreamError
	if errors.As(err, &in) || (f.key != "" && strings.Contains(err.Error(), f.key)) {
		return nil
	}
	return err
}

// local judges a failure that came without a status.
func (f *failure) local() (code, say string, again bool) {
	var in *ssestream.StreamError
	var timeout net.Error
	switch {
	case errors.Is(f.err, errAddress):
		return "refused", errAddress.Error() + "; check OPENAI_BASE_URL", false
	case errors.Is(f.err, errKey):
		return "auth", errKey.Error(), false
	case errors.Is(f.err, errStalled):
		return "timeout", errStalled.Error(), true
	case errors.Is(f.err, errNothing), errors.Is(f.err, errCut), errors.Is(f.err, io.ErrUnexpectedEOF):
		if errors.Is(f.err, errNothing) {
			return "network", errNothing.Error(), true
		}
		return "network", errCut.Error(), true
	case errors.Is(f.err, errServer):
		return "overloaded", errServer.Error(), true
	case errors.As(f.err, &in):
		w := wordsOf(string(in.Event.Data))
		if strings.Contains(w.all, "context length") || strings.Contains(w.all, "context_length") {
			return "context-overflow", "the conversation is longer than the model takes", false
		}
		return "overloaded", errServer.Error() + w.note(), true
	case errors.As(f.err, &timeout) && timeout.Timeout():
		return "timeout", "the model server did not answer in time", true
	}
	var op *net.OpError
	var u *url.Error
	if errors.As(f.err, &op) || errors.As(f.err, &u) {
		return "network", "the model server cannot be reached", true
	}
	return "protocol", "the model server answered in a way that cannot be read", false
}

// judge says what a status means.
func (f *failure) judge(model string) (code, say string, again bool) {
	w := wordsOf(f.body)
	switch s := f.status; {
	case s == http.StatusUnauthorized, s == http.StatusForbidden:
		return "auth", fmt.Sprintf("the model server does not accept the key (status %d)%s; check OPENAI_API_KEY", s, w.note()), false
	case s == http.StatusTooManyRequests && strings.Contains(w.all, "insufficient_quota"):
		return "rate-limit", "the account's quota is used up (status 429)", false
	case s == http.StatusTooManyRequests:
		return "rate-limit", "the model server asks to slow down (status 429)" + w.note(), true
	case w.overflow(), s == http.StatusRequestEntityTooLarge:
		return "context-overflow", fmt.Sprintf("the conversation is longer than the model takes (status %d)", s), false
	case s == http.StatusNotFound:
		return "refused", fmt.Sprintf("the model server does not have the model %q, or no chat completions at this address (status 404); check the model and OPENAI_BASE_URL", model), false
	case s == http.StatusRequestTimeout, s == http.StatusGatewayTimeout:
		return "timeout", fmt.Sprintf("the model server did not answer in time (status %d)", s), true
	case s >= http.StatusInternalServerError:
		return "overloaded", fmt.Sprintf("the model server has a fault of its own (status %d)%s", s, w.note()), true
	case strings.Contains(w.all, "tool_use_failed"):
		return "protocol", "the model wrote a tool call that its server could not read (status 400)", true
	case strings.Contains(w.all, "does not support tools"):
		return "refused", fmt.Sprintf("the model %q cannot call tools (status %d)", model, s), false
	default:
		return "refused", fmt.Sprintf("the model server refused the request (status %d)%s", s, w.note()), false
	}
}

// words is what an error's body says, in whatever shape. Only its identifiers may be shown.
type words struct {
	all               string // everything, in lower case, for looking only
	code, kind, param string
}

func wordsOf(body string) words {
	w := words{all: strings.ToLower(body)}
	var shape struct {
		Error json.RawMessage `json:"error"`
	}
	inner := json.RawMessage(body)
	if json.Unmarshal(inner, &shape) == nil && len(shape.Error) > 0 && shape.Error[0] == '{' {
		inner = shape.Error
	}
	var e struct {
		Code, Type, Param any
	}
	if json.Unmarshal(inner, &e) != nil {
		return w
	}
	w.code, w.kind, w.param = identifier(e.Code), identifier(e.Type), identifier(e.Param)
	return w
}

// identifier lets a name pass that a program chose; sentences and keys are not shown.
func identifier(v any) string {
	s := strings.TrimSpace(fmt.Sprint(v))
	if v == nil || !regexp.MustCompile(`^[A-Za-z][A-Za-z_.\[\]0-9]{1,39}$`).MatchString(s) {
		return ""
	}
	return s
}

func (w words) overflow() bool {
	for _, sign := range []string{"context_length_exceeded", "maximum context length", "context length", "context window", "exceed_context_size"} {
		if strings.Contains(w.all, sign) {
			return true
		}
	}
	return false
}

// note adds the identifiers, when there are any: " (code …, param …)".
func (w words) note() string {
	var parts []string
	if w.code != "" {
		parts = append(parts, "code "+w.code)
	} else if w.kind != "" {
		parts = append(parts, "type "+w.kind)
	}
	if w.param != "" {
		parts = append(parts, "param "+w.param)
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}
