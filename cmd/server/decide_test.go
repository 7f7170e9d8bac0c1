package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"urakata/internal/agent"
	"urakata/internal/ops"
	"urakata/internal/ops/platform"
)

// startHouse runs the program with some of its parts replaced.
func startHouse(t *testing.T, s seams) (*running, *house) {
	t.Helper()
	data := t.TempDir()
	r := &running{logs: &lockedBuffer{}, data: data}
	cfg := config{Data: data, DB: filepath.Join(data, "urakata.db"), LogFormat: "json", Token: testToken, Example: s.Example}
	h, err := build(t.Context(), cfg, cfg.logger(system{Err: r.logs}), s)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	said, done := make(chan string, 1), make(chan error, 1)
	go func() { done <- h.serve(ctx, listener, func(f string, a ...any) { said <- fmt.Sprintf(f, a...) }) }()
	r.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("serve: %v", err)
		}
		if err := h.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	t.Cleanup(r.stop)
	r.link = strings.TrimSpace(strings.TrimPrefix(<-said, "Urakata is at "))
	u, err := url.Parse(r.link)
	if err != nil {
		t.Fatal(err)
	}
	r.base = u.Scheme + "://" + u.Host
	r.client = r.login(t, u.Query().Get("token"))
	return r, h
}

// join adds an operator and logs them in.
func (r *running) join(t *testing.T, h *house, name string) *http.Client {
	t.Helper()
	if _, err := h.operators.Add(t.Context(), program, name, ops.RoleOperator); err != nil {
		t.Fatal(err)
	}
	token, err := h.operators.Link(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return r.login(t, token)
}

// countingActor counts what really ran, by key.
type countingActor struct {
	mu   sync.Mutex
	runs map[string]int
}

func (a *countingActor) Do(_ context.Context, act platform.Action) (platform.Result, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.runs == nil {
		a.runs = map[string]int{}
	}
	a.runs[act.Key]++
	return platform.Result{At: time.Now(), Rehearsed: true}, nil
}

func (a *countingActor) count() (keys, runs int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, n := range a.runs {
		runs += n
	}
	return len(a.runs), runs
}

// eager is a mind that asks for a time-out of the author of each of the first comments of a look, eight a turn, and never of the same comment twice.
type eager struct{ ops.Minds }

func (eager) Mind(context.Context, ops.Character) (agent.Backend, error) { return eager{}, nil }
func (eager) Choices() []ops.MindChoice {
	return []ops.MindChoice{{ID: "rules", Name: "rules", Ready: true}}
}
func (eager) Name() string                     { return "eager" }
func (eager) Capabilities() agent.Capabilities { return agent.Capabilities{Text: true, Tools: true} }

func (eager) Stream(_ context.Context, req *agent.Request) iter.Seq2[agent.Delta, error] {
	return func(yield func(agent.Delta, error) bool) {
		last := req.Messages[len(req.Messages)-1]
		if last.Role == agent.RoleTool {
			if yield(agent.Delta{Text: `{"cards":[]}`}, nil) {
				yield(agent.Delta{Stop: agent.StopEnd}, nil)
			}
			return
		}
		for i, ref := range refs(req) {
			if i == 8 {
				break
			}
			call := agent.ToolCall{ID: fmt.Sprintf("%s-%d", req.Turn, i), Tool: "viewer.timeout", Arguments: fmt.Sprintf(`{"comment":%q,"seconds":60,"reason":"test"}`, ref)}
			if !yield(agent.Delta{Call: &call}, nil) {
				return
			}
		}
		yield(agent.Delta{Stop: agent.StopCalls}, nil)
	}
}

// refs are the comments of the newest briefing, in it for the first time.
func refs(req *agent.Request) []string {
	for _, m := range slices.Backward(req.Messages) {
		if m.Kind != "observations" {
			continue
		}
		var b struct{ Observations []struct{ ID string } }
		if json.Unmarshal(m.Data, &b) != nil {
			return nil
		}
		var out []string
		for _, o := range b.Observations {
			out = append(out, o.ID)
		}
		return out
	}
	return nil
}

func decide(client *http.Client, base, id, decision string) (int, string, error) {
	body, err := json.Marshal(map[string]string{"decision": decision})
	if err != nil {
		return 0, "", err
	}
	req, err := http.NewRequest("POST", base+"/api/v1/inbox/"+id+"/decision", bytes.NewReader(body))
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	res, err := client.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return res.StatusCode, string(text), err
}

// TestTwoOperatorsDecideAtOnce lets two people answer 200 approvals at the same moment, one with yes and the other with no.
func TestTwoOperatorsDecideAtOnce(t *testing.T) {
	t.Parallel()
	actor := &countingActor{}
	r, h := startHouse(t, seams{Minds: eager{}, Actor: func(ops.Actor) ops.Actor { return actor }})
	aki, ben := r.join(t, h, "Aki"), r.join(t, h, "Ben")
	id := r.createStream(t, map[string]any{"title": "race", "language": "en", "character": "nagi", "source": map[string]any{"kind": "push"}, "start": true})
	const races = 200
	n := 0
	for raced := 0; raced < races; {
		var batch []map[string]any
		for range 16 {
			n++
			batch = append(batch, jsonLine(fmt.Sprintf("c%d", n), fmt.Sprintf("u%d", n), "v", fmt.Sprintf("what is this thing number %d?", n), time.Duration(n)*time.Second))
		}
		if code, body := r.raw(t, "POST", "/streams/"+id+"/comments", batch); code != 202 {
			t.Fatalf("comments: %d %s", code, body)
		}
		var waiting []apiItem
		r.await(t, "eight approvals", func() bool { waiting = r.items(t, "pending"); return len(waiting) >= 8 })
		for _, it := range waiting {
			if raced++; raced > races {
				break
			}
			raceOne(t, r.base, it.ID, aki, ben)
		}
	}
	checkRaces(t, r, actor)
}

func raceOne(t *testing.T, base, id string, aki, ben *http.Client) {
	t.Helper()
	var codes [2]int
	var texts [2]string
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i, who := range []struct {
		client   *http.Client
		decision string
	}{{aki, "allow-once"}, {ben, "deny"}} {
		wg.Go(func() {
			<-start
			var err error
			if codes[i], texts[i], err = decide(who.client, base, id, who.decision); err != nil {
				t.Error(err)
			}
		})
	}
	close(start)
	wg.Wait()
	winner := slices.Index(codes[:], http.StatusOK)
	if winner < 0 || codes[1-winner] != http.StatusConflict {
		t.Fatalf("%s: answers %v %v, want one 200 and one 409", id, codes, texts)
	}
	if name := []string{"Aki", "Ben"}[winner]; !strings.Contains(texts[1-winner], name) {
		t.Errorf("%s: the 409 does not name %s: %s", id, name, texts[1-winner])
	}
}

func checkRaces(t *testing.T, r *running, actor *countingActor) {
	t.Helper()
	allowed, denied := 0, 0
	r.await(t, "every allowed action done", func() bool {
		allowed, denied = 0, 0
		var list struct{ Items []apiItem }
		r.api(t, "GET", "/inbox?state=done&limit=500", nil, &list)
		open := 0
		for _, it := range list.Items {
			switch it.State {
			case "allowed":
				allowed++
				if it.Outcome != "done" {
					open++
				}
			case "denied":
				denied++
			}
		}
		return open == 0 && allowed+denied >= 200
	})
	keys, runs := actor.count()
	if keys != allowed || runs != allowed {
		t.Errorf("%d allowed, %d actions ran %d times", allowed, keys, runs)
	}
	t.Logf("200 races: %d allowed and run once each, %d denied and not run", allowed, denied)
}
