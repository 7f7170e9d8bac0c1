//go:build unix

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"urakata/internal/agent"
	"urakata/internal/ops"
	"urakata/internal/ops/comment"
	"urakata/internal/ops/platform"
)

// crashChild is the process that gets killed: the test binary, started again with what it should do in the environment.
func crashChild(mode string) int {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	sys := system{Env: os.LookupEnv, In: os.Stdin, Out: os.Stdout, Err: os.Stderr}
	if mode == "serve" {
		return run(context.Background(), []string{"serve", "-addr", "127.0.0.1:0", "-example=false", "-data", os.Getenv("CRASH_DATA")}, sys)
	}
	if err := oneTurn(ctx, sys); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// oneTurn is a turn with two approved actions, or what is left of it after a kill: it creates what is missing, allows what waits, and returns
// when both actions are settled.
func oneTurn(ctx context.Context, sys system) error {
	cfg := config{Data: os.Getenv("CRASH_DATA"), DB: filepath.Join(os.Getenv("CRASH_DATA"), "urakata.db"), LogFormat: "text"}
	at, err := strconv.Atoi(os.Getenv("CRASH_AT"))
	if err != nil {
		return err
	}
	world := &world{file: filepath.Join(cfg.Data, "platform.log")}
	h, err := build(ctx, cfg, cfg.logger(sys), seams{
		Log:   func(s agent.Store) agent.Store { return &killer{Store: s, at: at} },
		Actor: func(ops.Actor) ops.Actor { return world },
		Minds: twoActions{},
	})
	if err != nil {
		return err
	}
	defer h.Close()
	if err := h.loadCharacters(ctx); err != nil {
		return err
	}
	running, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- h.staff.Run(running) }()
	err = settle(ctx, h)
	stop()
	return errors.Join(err, quiet(<-done))
}

func settle(ctx context.Context, h *house) error {
	rung := h.board.Listen(ctx, "console")
	streams, err := h.staff.Streams(ctx, ops.Page{})
	if err != nil {
		return err
	}
	var id string
	if len(streams) > 0 {
		id = streams[0].ID
	} else {
		st, err := h.staff.Create(ctx, program, ops.NewStream{Title: "crash", Language: "en", Character: "nagi", Source: ops.SourceSpec{Kind: "push"}, Start: true})
		if err != nil {
			return err
		}
		id = st.ID
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for offered := false; ; {
		var busy *ops.Busy
		if !offered {
			if _, err := h.staff.Offer(ctx, id, abuse()); err != nil && !errors.As(err, &busy) {
				return err
			}
			offered = busy == nil
		}
		settled, err := allowAll(ctx, h, id)
		if err != nil || settled == 2 {
			return err
		}
		select {
		case <-rung:
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("only %d of 2 actions are settled: %w", settled, context.Cause(ctx))
		}
	}
}

// allowAll allows every approval that waits and counts the actions that are settled.
func allowAll(ctx context.Context, h *house, stream string) (settled int, err error) {
	for _, done := range []bool{false, true} {
		items, err := h.inbox.Items(ctx, ops.ItemQuery{Stream: stream, Done: done, Page: ops.Page{Limit: 100}})
		if err != nil {
			return 0, err
		}
		for _, it := range items {
			switch {
			case it.Kind == ops.ItemApproval && it.State == ops.ItemPending:
				var decided *ops.Decided
				if _, err := h.inbox.Decide(ctx, program, it.ID, ops.Answer{Allow: true}); err != nil && !errors.As(err, &decided) {
					return 0, err
				}
			case it.Kind == ops.ItemApproval && it.Outcome == ops.OutcomeDone, it.Kind == ops.ItemUnknown: // done, or a question about it
				settled++
			}
		}
	}
	return settled, nil
}

func abuse() []comment.Comment {
	at := time.Now()
	var out []comment.Comment
	for i := range 20 {
		out = append(out, comment.Comment{ID: fmt.Sprintf("m%d", i), Platform: comment.YouTube, Text: fmt.Sprintf("you are an idiot, number %d", i), At: at,
			Author: comment.Author{ID: "u1", Name: "viewer"}})
	}
	return out
}

// killer ends the process after its nth append has been stored. 0 never kills.
type killer struct {
	agent.Store
	at    int
	mu    sync.Mutex
	count int
}

func (k *killer) Append(ctx context.Context, id agent.SessionID, after agent.Seq, events ...agent.Event) (agent.Seq, error) {
	seq, err := k.Store.Append(ctx, id, after, events...)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.count++; k.count == k.at {
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // the signal is on its way; nothing more may happen
	}
	return seq, err
}

// world is a platform outside of the process: a file. It knows time-outs by their key and does them once; an announcement it makes each time it
// is told to, as a chat does.
type world struct {
	mu   sync.Mutex
	file string
}

func (w *world) Do(_ context.Context, a platform.Action) (platform.Result, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text, err := os.ReadFile(w.file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return platform.Result{}, err
	}
	if a.Kind == platform.Timeout && strings.Contains(string(text), a.Key) {
		return platform.Result{At: time.Now()}, nil
	}
	f, err := os.OpenFile(w.file, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return platform.Result{}, err
	}
	_, err = fmt.Fprintf(f, "%s %s\n", a.Kind, a.Key)
	return platform.Result{At: time.Now()}, errors.Join(err, f.Sync(), f.Close())
}

// twoActions is a mind that asks for a time-out and an announcement once, and is content afterwards.
type twoActions struct{}

func (twoActions) Mind(context.Context, ops.Character) (agent.Backend, error) {
	return twoActions{}, nil
}
func (twoActions) Choices() []ops.MindChoice {
	return []ops.MindChoice{{ID: "rules", Name: "rules", Ready: true}}
}
func (twoActions) Name() string { return "two actions" }
func (twoActions) Capabilities() agent.Capabilities {
	return agent.Capabilities{Text: true, Tools: true, Offline: true}
}

func (twoActions) Stream(_ context.Context, req *agent.Request) iter.Seq2[agent.Delta, error] {
	return func(yield func(agent.Delta, error) bool) {
		for _, m := range req.Messages {
			if len(m.Calls) > 0 || m.Kind == "tool-result" {
				if yield(agent.Delta{Text: `{"cards":[]}`}, nil) {
					yield(agent.Delta{Stop: agent.StopEnd}, nil)
				}
				return
			}
		}
		calls := []agent.ToolCall{
			{ID: "a", Tool: "viewer.timeout", Arguments: `{"comment":"c1","seconds":600,"reason":"insults"}`},
			{ID: "b", Tool: "chat.announce", Arguments: `{"text":"Please stay kind."}`},
		}
		for _, c := range calls {
			if !yield(agent.Delta{Call: &c}, nil) {
				return
			}
		}
		yield(agent.Delta{Stop: agent.StopCalls}, nil)
	}
}

func child(t *testing.T, mode, data string, at int) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "URAKATA_CRASH_CHILD="+mode, "CRASH_DATA="+data, "CRASH_AT="+strconv.Itoa(at), "URAKATA_TOKEN="+testToken)
	return cmd
}

// TestKillBetweenAppends kills the process after the first append, then after the second, and so on to the last one of a turn with two approved
// actions, and each time lets a second process finish the work.
func TestKillBetweenAppends(t *testing.T) {
	t.Parallel()
	asked := 0
	for at := 1; ; at++ {
		data := t.TempDir()
		out, err := child(t, "turn", data, at).CombinedOutput()
		killed := err != nil && strings.Contains(err.Error(), "killed")
		if err != nil && !killed {
			t.Fatalf("append %d: %v\n%s", at, err, out)
		}
		if killed {
			if out, err := child(t, "turn", data, 0).CombinedOutput(); err != nil {
				t.Fatalf("after a kill at append %d: %v\n%s", at, err, out)
			}
		}
		asked += checkWorld(t, at, data)
		if !killed {
			t.Logf("%d appends, a kill after each; %d announcements became a question", at-1, asked)
			if at < 8 {
				t.Errorf("only %d appends: the turn did not do what this test is about", at-1)
			}
			return
		}
	}
}

// checkWorld looks at what the platform was told, and returns 1 if the announcement became a question.
func checkWorld(t *testing.T, at int, data string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(data, "platform.log"))
	if err != nil {
		t.Fatal(err)
	}
	timeouts, announcements := strings.Count(string(text), string(platform.Timeout)+" "), strings.Count(string(text), string(platform.Announce)+" ")
	if timeouts != 1 {
		t.Errorf("kill at append %d: %d time-outs happened, want 1", at, timeouts)
	}
	questions := questionsLeft(t, data)
	if announcements > 1 || announcements+questions < 1 {
		t.Errorf("kill at append %d: %d announcements and %d questions", at, announcements, questions)
	}
	return questions
}

func questionsLeft(t *testing.T, data string) int {
	t.Helper()
	cfg := config{Data: data, DB: filepath.Join(data, "urakata.db"), LogFormat: "text"}
	h, err := build(t.Context(), cfg, cfg.logger(system{Err: &lockedBuffer{}}), seams{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	items, err := h.inbox.Items(t.Context(), ops.ItemQuery{Page: ops.Page{Limit: 100}})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, it := range items {
		if it.Kind == ops.ItemUnknown {
			n++
		}
	}
	return n
}

// served is a server in a process of its own.
type served struct {
	cmd *exec.Cmd
	r   *running
}

func serveChild(t *testing.T, data string) *served {
	t.Helper()
	cmd := child(t, "serve", data, 0)
	logs := &lockedBuffer{}
	cmd.Stderr = logs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the server did not start: %v\n%s", err, logs)
	}
	link := strings.TrimSpace(strings.TrimPrefix(line, "Urakata is at "))
	base := link[:strings.Index(link[len("http://"):], "/")+len("http://")]
	return &served{cmd: cmd, r: &running{base: base, link: link, logs: logs, data: data}}
}

func (s *served) kill(t *testing.T) {
	t.Helper()
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	s.cmd.Wait() // ends with "signal: killed"
}

// TestKillUnderLoad kills the server at random moments while 200 comments a second come in. Every comment that was acknowledged is there
// afterwards, once, and so is the approval that waited.
func TestKillUnderLoad(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	s := serveChild(t, data)
	id := s.r.createStream(t, map[string]any{"title": "load", "language": "en", "character": "nagi", "source": map[string]any{"kind": "push"}, "start": true})
	insults := []map[string]any{}
	for i := range 4 {
		insults = append(insults, jsonLine(fmt.Sprintf("insult-%d", i), "rude", "rude", fmt.Sprintf("you are a worthless idiot, shut up, you moron %d", i), time.Duration(i)*time.Second))
	}
	if code, body := s.r.raw(t, "POST", "/streams/"+id+"/comments", insults); code != 202 {
		t.Fatalf("insults: %d %s", code, body)
	}
	var waiting string
	s.r.await(t, "an approval", func() bool {
		for _, it := range s.r.items(t, "pending") {
			if it.Kind == "approval" {
				waiting = it.ID
			}
		}
		return waiting != ""
	})
	acked := map[string]bool{}
	next := 0
	for round := range 4 {
		stop := time.After(time.Duration(300+137*round) * time.Millisecond)
		tick := time.NewTicker(50 * time.Millisecond)
	load:
		for {
			select {
			case <-tick.C:
				var batch []map[string]any
				for range 10 {
					next++
					batch = append(batch, jsonLine(fmt.Sprintf("load-%d", next), fmt.Sprintf("u%d", next%50), "someone", fmt.Sprintf("hello number %d", next), time.Duration(next)*5*time.Millisecond))
				}
				if code, _ := s.r.raw(t, "POST", "/streams/"+id+"/comments", batch); code == 202 {
					for _, c := range batch {
						acked[c["id"].(string)] = true
					}
				}
			case <-stop:
				break load
			}
		}
		tick.Stop()
		s.kill(t)
		s = serveChild(t, data)
	}
	t.Cleanup(func() { s.kill(t) })
	seen := allComments(t, s.r, id)
	for want := range acked {
		if seen[want] != 1 {
			t.Errorf("comment %s was acknowledged and is there %d times", want, seen[want])
		}
	}
	found := false
	for _, it := range s.r.items(t, "pending") {
		found = found || it.ID == waiting
	}
	if !found {
		t.Errorf("the approval %s is gone", waiting)
	}
	t.Logf("%d comments acknowledged over 4 kills, all there", len(acked))
}

func allComments(t *testing.T, r *running, stream string) map[string]int {
	t.Helper()
	seen := map[string]int{}
	after := ""
	for {
		var list struct {
			Items []struct{ ID string }
			Next  json.RawMessage
		}
		if code := r.api(t, "GET", "/streams/"+stream+"/comments?limit=500&after="+after, nil, &list); code != 200 {
			t.Fatalf("comments: %d", code)
		}
		for _, c := range list.Items {
			seen[c.ID]++
		}
		next := strings.Trim(string(list.Next), `"`)
		if next == "" || next == "null" || len(list.Items) == 0 {
			return seen
		}
		after = next
	}
}
