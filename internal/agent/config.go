package agent

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"
)

// Config is one character at work. ID, Brief, Backend, Store are required; no Policy denies every tool.
type Config struct {
	ID      string
	Brief   string
	Backend Backend
	Tools   []Tool
	Policy  Policy
	Store   Store
	Limits  Limits
	Log     *slog.Logger
	Now     func() time.Time
	NewID   func(prefix string) string
}

// Limits bound a turn. Zero fields take the defaults: 20 steps, 8 calls, 10 min, 5 min, 256 inputs, 1 repair, 4 identical calls.
// A negative Repairs means none. The turn's limit does not count the time in which it only waits for people.
type Limits struct {
	Steps     int
	Calls     int
	Approval  time.Duration
	Turn      time.Duration
	Queue     int
	Repairs   int
	Identical int           // the same tool with the same arguments this often in one turn ends it with stop "stuck"
	Grace     time.Duration // how long a cancelled backend or handler may take before it is abandoned (0: 2 s)
	History   int           // messages kept for the model; older turns leave whole (0: 200)
}

// Validator judges a turn's final message and turns it into artifacts. Issues are told to the model in one bounded repair step; after that the
// turn ends with stop "rejected" and output.rejected events say why. Nothing the model streamed is emitted when a session has a validator.
type Validator func(ctx context.Context, text string) (artifacts []Artifact, issues []string, err error)

// SessionConfig opens a session. Purpose is required. Tools are those it may see; none by default.
type SessionConfig struct {
	ID       SessionID
	Purpose  string
	Audience Audience
	Trust    Trust
	Tools    []string
	Language string
	Output   json.RawMessage // JSON Schema for the final message
	Validate Validator
}

// withDefaults fills in what was left out.
func (l Limits) withDefaults() Limits {
	whole := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	long := func(v *time.Duration, d time.Duration) {
		if *v == 0 {
			*v = d
		}
	}
	whole(&l.Steps, 20)
	whole(&l.Calls, 8)
	whole(&l.Queue, 256)
	whole(&l.Repairs, 1)
	whole(&l.Identical, 4)
	whole(&l.History, 200)
	long(&l.Approval, 10*time.Minute)
	long(&l.Turn, 5*time.Minute)
	long(&l.Grace, 2*time.Second)
	return l
}

func (l Limits) issues() []string {
	var issues []string
	for name, v := range map[string]int{"steps": l.Steps, "calls": l.Calls, "queue": l.Queue, "identical": l.Identical, "history": l.History} {
		if v < 0 {
			issues = append(issues, fmt.Sprintf("limit %s is %d, it must be positive", name, v))
		}
	}
	for name, v := range map[string]time.Duration{"approval": l.Approval, "turn": l.Turn, "grace": l.Grace} {
		if v < 0 {
			issues = append(issues, fmt.Sprintf("limit %s is %s, it must be positive", name, v))
		}
	}
	return issues
}

func (c Config) issues() []string {
	var issues []string
	need := func(missing bool, what string) {
		if missing {
			issues = append(issues, what+" is required")
		}
	}
	need(strings.TrimSpace(c.ID) == "", "ID")
	need(strings.TrimSpace(c.Brief) == "", "Brief")
	need(c.Backend == nil, "Backend")
	need(c.Store == nil, "Store")
	return append(issues, c.Limits.issues()...)
}

func (c Config) withDefaults() Config {
	c.Limits = c.Limits.withDefaults()
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.NewID == nil {
		now := c.Now
		c.NewID = func(prefix string) string {
			return fmt.Sprintf("%s_%012x%s", prefix, now().UnixMilli(), strings.ToLower(rand.Text()[:16]))
		}
	}
	return c
}
