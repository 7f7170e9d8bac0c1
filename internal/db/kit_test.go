package db_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"urakata/internal/agent"
	"urakata/internal/db"
	"urakata/internal/ops"
	"urakata/internal/ops/comment"
)

// noon is when the tests' streams begin.
var noon = time.Date(2026, 4, 1, 12, 0, 0, 123456789, time.UTC)

func newStream(t testing.TB, d *db.DB, id string) ops.Stream {
	t.Helper()
	s := ops.Stream{ID: id, Title: "雑談 " + id, Language: "ja", State: ops.StreamLive, Character: "nagi", CreatedAt: noon}
	if err := d.CreateStream(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	return s
}

// newSession ties a session to a stream.
func newSession(t testing.TB, d *db.DB, stream, id string) agent.SessionID {
	t.Helper()
	if err := d.SaveSession(t.Context(), ops.SessionRow{ID: id, Stream: stream, Character: "nagi", Version: 1, Purpose: "live", CreatedAt: noon}); err != nil {
		t.Fatal(err)
	}
	return agent.SessionID(id)
}

// chat makes comments n…m-1 of a viewer.
func chat(n, m int) []comment.Comment {
	var out []comment.Comment
	for i := n; i < m; i++ {
		offset := time.Duration(i) * time.Second
		out = append(out, comment.Comment{
			ID: fmt.Sprintf("m%d", i), Platform: comment.YouTube, Text: fmt.Sprintf("こんにちは %d", i), At: noon.Add(offset), Offset: offset,
			Author: comment.Author{ID: fmt.Sprintf("u%d", i%7), Name: "視聴者", Roles: []string{"member"}},
		})
	}
	return out
}

func add(t testing.TB, d *db.DB, stream string, comments ...comment.Comment) ops.Added {
	t.Helper()
	added, err := d.AddComments(t.Context(), stream, ops.CommentBatch{Comments: comments}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return added
}

func event(t testing.TB, kind agent.EventKind, body any) agent.Event {
	t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return agent.Event{ID: "evt_" + string(kind), Kind: kind, At: noon, Agent: "nagi", Turn: "turn_1", Body: b}
}

func pending(id, call string) agent.Approval {
	return agent.Approval{
		ID: id, Agent: "nagi", Turn: "turn_1", Call: call, Tool: "chat.delete", Risk: agent.External, Arguments: json.RawMessage(`{"comment":"c2","evidence":["c1","c9","m0"]}`),
		Digest: "d1", Reason: "個人情報", At: noon, Deadline: noon.Add(time.Minute), State: agent.Pending,
	}
}

// request appends an approval.requested to an empty log.
func request(t testing.TB, d *db.DB, session agent.SessionID, approvals ...agent.Approval) agent.Seq {
	t.Helper()
	var events []agent.Event
	for _, a := range approvals {
		events = append(events, event(t, agent.ApprovalRequested, agent.ApprovalBody{Approval: a}))
	}
	seq, err := d.Append(t.Context(), session, 0, events...)
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

func resolved(t testing.TB, a agent.Approval, to agent.ApprovalState, by string) agent.Event {
	t.Helper()
	a.State, a.By, a.Note, a.Decided = to, by, "見ました", noon.Add(time.Second)
	return event(t, agent.ApprovalResolved, agent.ApprovalBody{Approval: a})
}

func changes(t testing.TB, d *db.DB, stream string) []string {
	t.Helper()
	all, err := d.Changes(t.Context(), stream, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	out := []string{}
	for i, c := range all {
		if c.Seq != int64(i)+1 || c.Stream != stream || c.At.IsZero() {
			t.Errorf("change %d is %+v", i+1, c)
		}
		out = append(out, string(c.Kind)+" "+c.Ref)
	}
	return out
}

func wantErr(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("got error %v, want %v", err, want)
	}
}

// rung waits for a bell.
func rung(t testing.TB, c <-chan struct{}) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	select {
	case <-c:
	case <-ctx.Done():
		t.Error("the bell did not ring")
	}
}

func silent(t testing.TB, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
		t.Error("the bell rang")
	default:
	}
}
