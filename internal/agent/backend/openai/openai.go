package openai

import (
	"context"
	"fmt"
	"iter"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"urakata/internal/agent"
)

// Where requests go when Config names no address.
const defaultBase = "https://api.openai.com/v1"

// Defaults of Config.
const (
	defaultStall   = 90 * time.Second
	defaultLongest = 2 * time.Minute
	maxWaits       = 4
)

// Config makes a Backend. Model is required.
type Config struct {
	BaseURL string                                // ".../v1"; empty: OpenAI
	Key     func(context.Context) (string, error) // asked for each request; nil or "": a server without keys
	Model   string
	HTTP    *http.Client // nil: http.DefaultClient
	Log     *slog.Logger // nil: discarded. It is told once of each field the server refuses

	Stall   time.Duration                              // how long a stream may be silent; 0: 90 s
	Longest time.Duration                              // the longest wait a server may ask for; 0: 2 min
	Wait    func(context.Context, time.Duration) error // nil: by the clock
}

// Backend asks one model of one server.
type Backend struct {
	cfg         Config
	concessions [2]atomic.Bool // by field: the server refused it
}

// New makes a backend. It starts nothing and asks nobody; an address that cannot be used is an error of each step.
func New(c Config) *Backend {
	if c.BaseURL == "" {
		c.BaseURL = defaultBase
	}
	if c.HTTP == nil {
		c.HTTP = http.DefaultClient
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Stall == 0 {
		c.Stall = defaultStall
	}
	if c.Longest == 0 {
		c.Longest = defaultLongest
	}
	if c.Wait == nil {
		c.Wait = wait
	}
	return &Backend{cfg: c}
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Name says "openai" and the model.
func (b *Backend) Name() string { return strings.TrimSpace("openai " + b.cfg.Model) }

// Capabilities says what such a server can do.
func (b *Backend) Capabilities() agent.Capabilities {
	return agent.Capabilities{Text: true, Streaming: true, Tools: true, Interruption: true}
}

// field is a part of a request that some servers do not take, and that can be left out.
type field int

const (
	responseFormat field = iota
	streamOptions
)

func (f field) names() []string {
	if f == responseFormat {
		return []string{"response_format", "json_schema", "structured output", "guided_json"}
	}
	return []string{"stream_options", "include_usage"}
}

// Stream answers one step.
func (b *Backend) Stream(ctx context.Context, req *agent.Request) iter.Seq2[agent.Delta, error] {
	return func(yield func(agent.Delta, error) bool) {
		for waits := 0; ; {
			f := b.try(ctx, req, yield)
			if f == nil {
				return
			}
			if !f.spoke && ctx.Err() == nil {
				if b.concede(ctx, f) {
					continue
				}
				if waits++; f.after > 0 && f.after <= b.cfg.Longest && waits <= maxWaits {
					if b.cfg.Wait(ctx, jitter(f.after)) == nil {
						continue
					}
				}
			}
			yield(agent.Delta{}, b.fault(ctx, f))
			return
		}
	}
}

// jitter spreads waits a little, always later than asked.
func jitter(d time.Duration) time.Duration {
	return d + rand.N(d/10+1)
}

// concede remembers that the server refused a field, so that it is left out from now on.
func (b *Backend) concede(ctx context.Context, f *failure) bool {
	if f.status != http.StatusBadRequest && f.status != http.StatusUnprocessableEntity {
		return false
	}
	body := strings.ToLower(f.body)
	for _, what := range []field{responseFormat, streamOptions} {
		for _, name := range what.names() {
			if f.sent[what] && strings.Contains(body, name) {
				if !b.concessions[what].Swap(true) {
					b.cfg.Log.WarnContext(ctx, "the model server does not take a field; going on without it", "field", what.names()[0])
				}
				return true
			}
		}
	}
	return false
}

// try asks once. It gives nil when everything was said, or when nobody listens any more.
func (b *Backend) try(ctx context.Context, req *agent.Request, yield func(agent.Delta, error) bool) *failure {
	f := &failure{sent: [2]bool{len(req.Output) > 0 && !b.concessions[responseFormat].Load(), !b.concessions[streamOptions].Load()}}
	opts, err := b.options(ctx, f)
	if err != nil {
		f.err = err
		return f
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	quiet := time.AfterFunc(b.cfg.Stall, func() { cancel(errStalled) })
	defer quiet.Stop()

	tools := nameTools(req)
	service := sdk.NewChatCompletionService(opts...)
	stream := service.NewStreaming(ctx, params(req, b.cfg.Model, tools, f.sent))
	defer func() { _ = stream.Close() }() // what it could tell is known already
	r := reader{tools: tools, req: req, yield: yield}
	for stream.Next() {
		quiet.Reset(b.cfg.Stall)
		if !r.chunk(stream.Current()) {
			return nil
		}
	}
	f.spoke = r.spoke
	if f.err = stream.Err(); f.err == nil {
		f.err = r.end(f.done)
	}
	if f.err == nil {
		return nil
	}
	if cause := context.Cause(ctx); cause != nil {
		f.err = cause
	}
	return f
}

// options are made for each request, because the key may change. The service is made without the SDK's client, which would read the environment.
func (b *Backend) options(ctx context.Context, f *failure) ([]option.RequestOption, error) {
	base, err := url.Parse(b.cfg.BaseURL)
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return nil, errAddress
	}
	opts := []option.RequestOption{
		option.WithBaseURL(strings.TrimSuffix(b.cfg.BaseURL, "/") + "/"), option.WithHTTPClient(b.cfg.HTTP), option.WithMaxRetries(0), option.WithMiddleware(f.watch),
	}
	if b.cfg.Key == nil {
		return opts, nil
	}
	key, err := b.cfg.Key(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errKey, err)
	}
	if key != "" {
		f.key = key
		opts = append(opts, option.WithAPIKey(key))
	}
	return opts, nil
}
