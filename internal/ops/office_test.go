package ops_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"urakata/internal/agent"
	"urakata/internal/agent/agenttest"
	"urakata/internal/db"
	"urakata/internal/db/dbtest"
	"urakata/internal/ops"
	"urakata/internal/ops/comment"
	"urakata/internal/ops/platform"
	"urakata/internal/ops/source"
)

var (
	owner = ops.Who{ID: "op_1", Name: "Rin", Role: ops.RoleOwner}
	other = ops.Who{ID: "op_2", Name: "Sora", Role: ops.RoleModerator}
)

// answer is a character's mind in a test: what it says to a request.
type answer func(n int, req *agent.Request) agenttest.Step

// quiet has nothing to say.
func quiet(int, *agent.Request) agenttest.Step { return agenttest.Step{Text: `{"cards":[]}`} }

// mind is a choice of one.
type mind struct {
	script *agenttest.Script
	err    error
}

func (m mind) Mind(context.Context, ops.Character) (agent.Backend, error) { return m.script, m.err }
func (m mind) Choices() []ops.MindChoice {
	return []ops.MindChoice{{ID: "rules", Name: "rules", Ready: true}}
}

// actor counts what reaches the platform.
type actor struct {
	mu   sync.Mutex // guards done
	done []platform.Action
	do   func(platform.Action) (platform.Result, error)
}

func (a *actor) Do(_ context.Context, act platform.Action) (platform.Result, error) {
	a.mu.Lock()
	a.done = append(a.done, act)
	a.mu.Unlock()
	if a.do != nil {
		return a.do(act)
	}
	return platform.Result{Rehearsed: true, Ref: "r"}, nil
}

func (a *actor) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.done)
}

// office is a staff at work on a real database, in a bubble of its own time.
type office struct {
	*testing.T
	db     *db.DB
	staff  *ops.Staff
	inbox  *ops.Inbox
	board  *ops.Board
	script *agenttest.Script
	actor  *actor
	stop   func()
}

type setting func(*ops.StaffConfig)

// open begins work on the database at a path; "" makes one.
func open(t *testing.T, path string, a answer, settings ...setting) *office {
	t.Helper()
	o := &office{T: t, script: agenttest.ScriptFunc(a), actor: &actor{}}
	if path == "" {
		path = dbtest.Path(t)
	}
	var err error
	if o.db, err = db.Open(t.Context(), db.Config{DSN: path}); err != nil {
		t.Fatal(err)
	}
	c := ops.StaffConfig{Store: o.db, Log: o.db, Minds: mind{script: o.script}, Actor: o.actor, Sources: recording(nil), Logger: slog.New(slog.DiscardHandler)}
	for _, s := range settings {
		s(&c)
	}
	if o.staff, err = ops.NewStaff(c); err != nil {
		t.Fatal(err)
	}
	o.inbox = ops.NewInbox(ops.InboxConfig{Store: o.db, Staff: o.staff})
	o.board = ops.NewBoard(ops.BoardConfig{Store: o.db, Log: o.db, Staff: o.staff})
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := o.staff.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("run: %v", err)
		}
	})
	var once sync.Once
	o.stop = func() {
		once.Do(func() {
			cancel()
			running.Wait()
			if err := o.db.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	return o
}

// asking is a character that may do everything after asking.
func asking() ops.Character {
	return ops.Character{
		ID: "nagi", Name: "Nagi", Job: ops.JobOperations, Brief: "You are Nagi.", Language: "en", Backend: "rules",
		Tools: map[string]ops.ToolRule{
			ops.ToolAsk: {Permission: ops.PermitAllow}, ops.ToolReport: {Permission: ops.PermitAllow}, ops.ToolStats: {Permission: ops.PermitAllow},
			ops.ToolDelete: {Permission: ops.PermitAsk}, ops.ToolTimeout: {Permission: ops.PermitAsk, Deadline: 600}, ops.ToolAnnounce: {Permission: ops.PermitAsk},
		},
	}
}

// live starts a stream that takes pushes.
func (o *office) live(c ops.Character) ops.Stream {
	o.Helper()
	must(o.db.SaveCharacter(o.Context(), c))
	st, err := o.staff.Create(o.Context(), owner, ops.NewStream{Title: "a stream", Character: c.ID, Language: "en", Source: ops.SourceSpec{Kind: ops.SourcePush}, Start: true})
	if err != nil {
		o.Fatal(err)
	}
	synctest.Wait()
	return st
}

// push offers comments and waits until all they led to has happened.
func (o *office) push(stream string, batch ...comment.Comment) ops.Added {
	o.Helper()
	added, err := o.staff.Offer(o.Context(), stream, batch)
	if err != nil {
		o.Fatal(err)
	}
	synctest.Wait()
	return added
}

func (o *office) pending(stream string) []ops.Item {
	o.Helper()
	return must(o.inbox.Items(o.Context(), ops.ItemQuery{Stream: stream, Page: ops.Page{Limit: 500}}))
}

func (o *office) item(id string) ops.Item {
	o.Helper()
	return must(o.inbox.Item(o.Context(), id))
}

func (o *office) audited(action string) (n int) {
	o.Helper()
	for _, e := range must(o.db.AuditEntries(o.Context(), "", ops.Page{Limit: 500})) {
		if e.Action == action {
			n++
		}
	}
	return n
}

// ended ends a stream and waits for its report.
func (o *office) ended(stream string) ops.ReportData {
	o.Helper()
	must(o.staff.End(o.Context(), owner, stream))
	if st := must(o.staff.WaitEnded(o.Context(), stream)); st.State != ops.StreamEnded {
		o.Fatalf("the stream is %s: %s", st.State, st.Err)
	}
	_, d, err := ops.NewReports(ops.ReportsConfig{Store: o.db}).Of(o.Context(), stream)
	if err != nil {
		o.Fatal(err)
	}
	return d
}

// must is for what cannot fail unless the test itself is wrong.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// pass lets time pass in the bubble.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// told collects everything a request says, by role.
func told(req *agent.Request) string {
	var b strings.Builder
	b.WriteString(req.System)
	for _, m := range req.Messages {
		fmt.Fprintf(&b, "\n%s %s %s %s", m.Role, m.Kind, m.Text, m.Data)
		for _, c := range m.Calls {
			b.WriteString(c.Arguments)
		}
	}
	return b.String()
}

// briefing is the newest one of a request.
func briefing(t *testing.T, req *agent.Request) (b ops.Briefing, ok bool) {
	t.Helper()
	for i := len(req.Messages) - 1; i >= 0; i-- {
		if req.Messages[i].Kind == "observations" {
			if err := json.Unmarshal(req.Messages[i].Data, &b); err != nil {
				t.Fatal(err)
			}
			return b, true
		}
	}
	return b, false
}

// last is the newest message of a request.
func last(req *agent.Request) agent.Message { return req.Messages[len(req.Messages)-1] }

// recording is a source made of batches, and their opener. A position is a number of batches.
type recording [][]comment.Comment

func (r recording) Open(_ context.Context, st ops.Stream) (source.Source, error) {
	p := &playing{all: r}
	if st.Position != "" {
		if _, err := fmt.Sscan(st.Position, &p.at); err != nil {
			return nil, err
		}
	}
	return p, nil
}

type playing struct {
	mu  sync.Mutex // guards at
	all recording
	at  int
}

func (p *playing) Read(ctx context.Context) (source.Batch, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if ctx.Err() != nil {
		return source.Batch{}, context.Cause(ctx)
	}
	if p.at == len(p.all) {
		return source.Batch{}, errEOF
	}
	p.at++
	return source.Batch{Comments: p.all[p.at-1], Position: fmt.Sprint(p.at)}, nil
}

func (p *playing) Health() source.Health {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := source.Health{State: source.StateLive, Format: "test"}
	for _, b := range p.all[:p.at] {
		h.Counts.Records += int64(len(b))
		h.Counts.Read += int64(len(b))
	}
	return h
}

func (p *playing) Close() error { return nil }

// chat makes a comment n seconds into the stream.
func chat(n int, viewer, text string) comment.Comment {
	at := time.Date(2026, 11, 14, 12, 0, 0, 0, time.UTC)
	return comment.Comment{
		ID: fmt.Sprintf("m%d", n), Platform: comment.YouTube, Text: text, At: at.Add(time.Duration(n) * time.Second), Offset: time.Duration(n) * time.Second,
		Author: comment.Author{ID: "id-" + viewer, Name: viewer},
	}
}

// crowd is enough comments for a look, from second n on.
func crowd(n int) []comment.Comment {
	out := make([]comment.Comment, 12)
	for i := range out {
		out[i] = chat(n+i*2, fmt.Sprintf("viewer%d", i), fmt.Sprintf("hello there %d", i))
	}
	return out
}
