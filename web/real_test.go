package web_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
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
	"urakata/internal/ops/platform"
	"urakata/web"
)

// scripted is the only mind there is.
type scripted struct{ *agenttest.Script }

func (s scripted) Mind(context.Context, ops.Character) (agent.Backend, error) { return s.Script, nil }
func (s scripted) Choices() []ops.MindChoice {
	return []ops.MindChoice{{ID: "rules", Name: "rules", Ready: true}}
}

// tally counts what reaches the platform, by call.
type tally struct {
	mu   sync.Mutex
	runs map[string]int
}

func (a *tally) Do(_ context.Context, act platform.Action) (platform.Result, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.runs[act.Key]++
	return platform.Result{Rehearsed: true, Ref: "r"}, nil
}

// house is the site over the real services and a real database.
type house struct {
	site
	tally *tally
	links *ops.Operators
	stop  func()
}

func newHouse(t *testing.T, answer func(n int, req *agent.Request) agenttest.Step) house {
	t.Helper()
	store, err := db.Open(t.Context(), db.Config{DSN: dbtest.Path(t)})
	if err != nil {
		t.Fatal(err)
	}
	h := house{tally: &tally{runs: map[string]int{}}}
	minds, log, logs := scripted{agenttest.ScriptFunc(answer)}, slog.New(slog.DiscardHandler), &safeBuffer{}
	staff, err := ops.NewStaff(ops.StaffConfig{Store: store, Log: store, Minds: minds, Actor: h.tally, Sources: noSources{}, Logger: log})
	if err != nil {
		t.Fatal(err)
	}
	h.links = ops.NewOperators(ops.OperatorsConfig{Store: store})
	server, err := web.New(web.Config{
		Staff: staff, Inbox: ops.NewInbox(ops.InboxConfig{Store: store, Staff: staff}), Operators: h.links,
		Board: ops.NewBoard(ops.BoardConfig{Store: store, Log: store, Staff: staff}), Reports: ops.NewReports(ops.ReportsConfig{Store: store}),
		Characters: ops.NewCharacters(ops.CharactersConfig{Store: store, Minds: minds}), Audits: ops.NewAudits(store),
		Catalogue: words(), Logger: log, Token: token, Addr: "127.0.0.1:8080",
	})
	if err != nil {
		t.Fatal(err)
	}
	h.site = site{T: t, server: server, logs: logs}
	if _, err := h.links.First(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, err = store.SaveCharacter(t.Context(), ops.Character{
		ID: "nagi", Name: "Nagi", Job: ops.JobOperations, Brief: "You are Nagi.", Language: "en", Backend: "rules",
		Tools: map[string]ops.ToolRule{ops.ToolDelete: {Permission: ops.PermitAsk}},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() {
		if err := staff.Run(ctx); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	h.stop = func() {
		cancel()
		running.Wait()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}
	return h
}

type noSources struct{ ops.Opener }

// enter logs somebody in by the door and gives the cookie.
func (h house) enter(name string) string {
	h.Helper()
	link, err := h.links.Link(h.Context(), name)
	if err != nil {
		h.Fatal(err)
	}
	rec := h.want(h.post("", "/login", form("token", link)), http.StatusSeeOther)
	for _, c := range rec.Result().Cookies() {
		if c.Name == "urakata" {
			return "urakata=" + c.Value
		}
	}
	h.Fatal("no cookie")
	return ""
}

func (h house) decide(cookie, id, word string) *httptest.ResponseRecorder {
	return h.do(ask{method: "POST", path: "/api/v1/inbox/" + id + "/decision", body: fmt.Sprintf(`{"decision":%q}`, word), media: "application/json",
		header: map[string]string{"Cookie": cookie}})
}

func TestRealServicesFromTheDoorToTheDecision(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const calls = 6
		asked := false
		h := newHouse(t, func(_ int, req *agent.Request) agenttest.Step {
			if asked || len(req.Messages) == 0 {
				return agenttest.Step{Text: `{"cards":[]}`}
			}
			asked = true
			var step agenttest.Step
			for i := range calls {
				step.Calls = append(step.Calls, agenttest.Ask(fmt.Sprint("call", i), ops.ToolDelete, fmt.Sprintf(`{"comment":"c%d","reason":"it hurts"}`, i+1)))
			}
			return step
		})
		defer h.stop()
		owner := h.enter("owner")
		h.want(h.do(ask{method: "POST", path: "/settings/operators", body: "name=Sora&role=moderator", media: "application/x-www-form-urlencoded",
			header: map[string]string{"Cookie": owner}}), 200)
		sora := h.enter("Sora")
		made := decode[struct{ ID string }](t, h.want(h.send("/api/v1/streams", `{"title":"Real","language":"en","character":"nagi","start":true,"source":{"kind":"push"}}`), 201))
		var lines strings.Builder
		for i := range 60 {
			fmt.Fprintf(&lines, `{"id":"m%d","text":"which microphone do you use? %d","author":{"id":"v%d","name":"<b>v%d</b>"}}`+"\n", i, i, i, i)
		}
		h.want(h.do(ask{method: "POST", as: "token", path: "/api/v1/streams/" + made.ID + "/comments", body: lines.String(), media: "application/x-ndjson"}), 202)
		<-time.After(time.Minute) // in the bubble
		synctest.Wait()
		items := decode[struct{ Items []struct{ ID, State string } }](t, h.get("token", "/api/v1/inbox")).Items
		if len(items) != calls {
			t.Fatalf("got %d items, want %d", len(items), calls)
		}
		for _, it := range items {
			got := both(
				func() *httptest.ResponseRecorder { return h.decide(owner, it.ID, "allow-once") },
				func() *httptest.ResponseRecorder { return h.decide(sora, it.ID, "deny") },
			)
			winner, word, lost := "owner", "allow-once", got[1]
			if got[0].Code != 200 {
				winner, word, lost = "Sora", "deny", got[0]
			}
			if got[0].Code+got[1].Code != 200+409 {
				t.Fatalf("got %d and %d", got[0].Code, got[1].Code)
			}
			if p := decode[problemJSON](t, lost); p.DecidedBy != winner {
				t.Errorf("the loser reads %+v", p)
			}
			h.want(h.decide(sora, it.ID, word), 200) // the same answer again is no error
		}
		synctest.Wait()
		for key, n := range h.tally.runs {
			if n != 1 {
				t.Errorf("%s ran %d times", key, n)
			}
		}
		for _, path := range []string{"/", "/inbox", "/inbox?state=done", "/streams/" + made.ID, "/streams/" + made.ID + "/comments", "/audit", "/characters/nagi"} {
			rec := h.want(h.do(ask{path: path, header: map[string]string{"Cookie": owner}}), 200)
			if strings.Contains(rec.Body.String(), "<b>v") {
				t.Errorf("%s: a name became markup", path)
			}
		}
		h.want(h.do(ask{method: "POST", as: "token", path: "/api/v1/streams/" + made.ID + "/end"}), 200)
		<-time.After(time.Minute)
		synctest.Wait()
		list := decode[struct{ Items []struct{ ID string } }](t, h.get("token", "/api/v1/reports")).Items
		if len(list) != 1 {
			t.Fatalf("got %d reports", len(list))
		}
		for _, ext := range []string{"", ".json", ".md", ".csv", ".html"} {
			rec := h.want(h.do(ask{path: "/reports/" + list[0].ID + ext, header: map[string]string{"Cookie": owner}}), 200)
			if ext != ".json" && strings.Contains(rec.Body.String(), "<b>v") {
				t.Errorf("report %s: a name became markup", ext)
			}
		}
		h.want(h.do(ask{method: "POST", path: "/logout", header: map[string]string{"Cookie": owner}}), http.StatusSeeOther)
		h.want(h.do(ask{path: "/inbox", header: map[string]string{"Cookie": owner}}), http.StatusSeeOther)
	})
}
