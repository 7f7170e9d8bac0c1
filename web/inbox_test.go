package web_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"urakata/internal/ops"
)

type many struct {
	Items []struct {
		ID     string
		Status int
		Item   *struct{ State string }
		Error  *problemJSON
	}
}

func TestC02TheSameIDTwiceInOneRequest(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	second := s.world.items["item-1"]
	second.ID = "item-2"
	s.world.items["item-2"] = second
	rec := s.want(s.send("/api/v1/inbox/decisions", `{"decisions":[
		{"id":"item-1","decision":"allow-once"},{"id":"item-1","decision":"allow-once"},
		{"id":"item-2","decision":"allow-once"},{"id":"item-2","decision":"deny"}]}`), 200)
	got := decode[many](t, rec)
	for i, want := range []int{200, 200, 409, 409} {
		if got.Items[i].Status != want {
			t.Errorf("answer %d: got status %d, want %d", i, got.Items[i].Status, want)
		}
	}
	if n := s.world.ran["item-1"]; n != 1 {
		t.Errorf("the first ran %d times", n)
	}
	if n, state := s.world.ran["item-2"], s.world.items["item-2"].State; n != 0 || state != ops.ItemPending {
		t.Errorf("the contradicted one ran %d times and is %s", n, state)
	}
	again := decode[many](t, s.send("/api/v1/inbox/decisions", `{"decisions":[{"id":"item-1","decision":"allow-once"}]}`))
	if again.Items[0].Status != 200 || s.world.ran["item-1"] != 1 {
		t.Errorf("the same again: got %+v, ran %d times", again.Items[0], s.world.ran["item-1"])
	}
}

func TestC02TwoIdenticalPostsInParallel(t *testing.T) {
	t.Parallel()
	for range 50 {
		s := newSite(t)
		codes := both(
			func() *httptest.ResponseRecorder {
				return s.post("op-mod", "/inbox/item-1/decision", form("decision", "allow-once"))
			},
			func() *httptest.ResponseRecorder {
				return s.post("op-mod", "/inbox/item-1/decision", form("decision", "allow-once"))
			},
		)
		if codes[0].Code != 303 || codes[1].Code != 303 || s.world.ran["item-1"] != 1 {
			t.Fatalf("got %d and %d, ran %d times", codes[0].Code, codes[1].Code, s.world.ran["item-1"])
		}
	}
}

func both(f, g func() *httptest.ResponseRecorder) (out [2]*httptest.ResponseRecorder) {
	var wg sync.WaitGroup
	for i, h := range []func() *httptest.ResponseRecorder{f, g} {
		wg.Go(func() { out[i] = h() })
	}
	wg.Wait()
	return out
}

func TestC03TwoOperatorsAtTheSameMoment(t *testing.T) {
	t.Parallel()
	for i := range 100 {
		s := newSite(t)
		got := both(
			func() *httptest.ResponseRecorder {
				return s.do(ask{method: "POST", as: "op-owner", path: "/api/v1/inbox/item-1/decision", body: `{"decision":"allow-once"}`, media: "application/json"})
			},
			func() *httptest.ResponseRecorder {
				return s.do(ask{method: "POST", as: "op-mod", path: "/api/v1/inbox/item-1/decision", body: `{"decision":"deny"}`, media: "application/json"})
			},
		)
		won, lost, winner := got[0], got[1], "Owner"
		if won.Code != 200 {
			won, lost, winner = got[1], got[0], "Momo"
		}
		if won.Code != 200 || lost.Code != 409 {
			t.Fatalf("round %d: got %d and %d", i, got[0].Code, got[1].Code)
		}
		if p := decode[problemJSON](t, lost); p.DecidedBy != winner || !strings.Contains(p.Detail, winner) || !strings.Contains(p.Detail, "12:00:00") && !strings.Contains(p.Detail, ":00:00") {
			t.Fatalf("round %d: the loser reads %+v", i, p)
		}
		late, decided := 0, 0
		for _, e := range s.world.audit {
			if e.Action == ops.AuditLate {
				late++
			} else {
				decided++
			}
		}
		if late != 1 || decided != 1 || s.world.ran["item-1"] > 1 {
			t.Fatalf("round %d: audit %+v, ran %d times", i, s.world.audit, s.world.ran["item-1"])
		}
	}
}

func TestC03TheLoserSeesWhoWonOnThePage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.want(s.post("op-owner", "/inbox/item-1/decision", form("decision", "allow-once")), 303)
	for _, header := range []map[string]string{nil, {"HX-Request": "true"}} {
		rec := s.do(ask{
			method: "POST", as: "op-mod", path: "/inbox/item-1/decision", body: "decision=deny", media: "application/x-www-form-urlencoded", header: header,
		})
		if body := s.want(rec, 409).Body.String(); !strings.Contains(body, "Owner") {
			t.Errorf("the page does not name the winner: %s", short(body))
		}
	}
}

func TestC04TheSameDecisionAgainIsNoError(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, as := range []string{"op-mod", "op-mod", "op-owner"} { // a double click, and another tab
		s.want(s.post(as, "/inbox/item-1/decision", form("decision", "allow-once", "key", "k")), 303)
		a := ask{method: "POST", as: as, path: "/inbox/item-1/decision", body: "decision=allow-once", media: "application/x-www-form-urlencoded",
			header: map[string]string{"HX-Request": "true"}}
		s.want(s.do(a), 200)
	}
	if n := s.world.ran["item-1"]; n != 1 {
		t.Errorf("ran %d times", n)
	}
}

func TestExpiredItems(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	it := s.world.items["item-1"]
	it.Deadline = at.Add(-time.Second)
	s.world.items["item-1"] = it
	p := s.problem(ask{method: "POST", as: "token", path: "/api/v1/inbox/item-1/decision", body: `{"decision":"allow-once"}`, media: "application/json"}, 410)
	if p.Decision != "expired" {
		t.Errorf("got %+v", p)
	}
	s.want(s.post("op-mod", "/inbox/item-1/decision", form("decision", "allow-once")), 410)
	if s.world.ran["item-1"] != 0 {
		t.Error("an expired item ran")
	}
}

func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	decide := func(id, word, key string) ask {
		return ask{method: "POST", as: "token", path: "/api/v1/inbox/" + id + "/decision", body: fmt.Sprintf(`{"decision":%q}`, word),
			media: "application/json", header: map[string]string{"Idempotency-Key": key}}
	}
	s.want(s.do(decide("item-1", "allow-once", "k1")), 200)
	s.want(s.do(decide("item-1", "allow-once", "k1")), 200)
	if p := s.problem(decide("item-1", "deny", "k1"), 422); p.Errors[0].Field != "Idempotency-Key" {
		t.Errorf("got %+v", p)
	}
	s.problem(decide("item-1", "deny", "k2"), 409)
	s.problem(decide("item-1", "deny", strings.Repeat("k", 300)), 422)
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.want(s.post("op-mod", "/inbox/ask-1/answer", form("text", " ")), 422)
	s.want(s.post("op-mod", "/inbox/ask-1/answer", form("choice", "Yes")), 303)
	if got := s.world.items["ask-1"]; got.Answer != "Yes" || got.DecidedBy != "Momo" {
		t.Errorf("got %+v", got)
	}
	s.want(s.post("op-owner", "/inbox/ask-1/answer", form("text", "No")), 409)
}

func TestNonsenseDecidesNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, word := range []string{"", "allow", "ALLOW-ONCE", "allow-always", "true"} {
		s.want(s.post("op-mod", "/inbox/item-1/decision", form("decision", word)), 422)
	}
	if got := s.world.items["item-1"].State; got != ops.ItemPending {
		t.Errorf("the item is %s", got)
	}
}
