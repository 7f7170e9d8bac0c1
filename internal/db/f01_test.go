package db_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"urakata/internal/agent"
	"urakata/internal/db"
	"urakata/internal/db/dbtest"
	"urakata/internal/ops"
)

// TestF01 is the field case F01: a hundred comments a second come in while five people decide, somebody exports and a command beside the server
// makes backups. Nobody is told that the database is locked, and nothing is lost.
func TestF01(t *testing.T) {
	t.Parallel()
	path := dbtest.Path(t)
	d, err := db.Open(t.Context(), db.Config{DSN: path})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close() //nolint:errcheck // read again below
	newStream(t, d, "s1")
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	var errs, comments, decisions, exported, backups atomic.Int64
	check := func(what string, err error) bool {
		if err != nil {
			errs.Add(1)
			t.Errorf("%s: %v", what, err)
		}
		return err == nil && ctx.Err() == nil
	}
	var wg sync.WaitGroup
	wg.Go(func() { // the chat
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for i := 0; ; i++ {
			_, err := d.AddComments(t.Context(), "s1", ops.CommentBatch{Comments: chat(i, i+1), Position: fmt.Sprint(i)}, nil)
			comments.Add(1)
			if !check("ingest", err) {
				return
			}
			<-tick.C
		}
	})
	for op := range 5 { // the people
		ses := newSession(t, d, "s1", fmt.Sprintf("ses_%d", op))
		wg.Go(func() {
			for i := 0; check("decide", decideOnce(t, d, ses, i)); i++ {
				decisions.Add(1)
			}
		})
	}
	wg.Go(func() { // the export
		for check("export", export(t.Context(), d)) {
			exported.Add(1)
		}
	})
	dir := t.TempDir()
	wg.Go(func() { // the backups
		for i := 0; check("backup", backupBeside(t.Context(), path, filepath.Join(dir, fmt.Sprint(i)))); i++ {
			backups.Add(1)
		}
	})
	wg.Wait()
	s, err := d.Stream(t.Context(), "s1")
	if err != nil || s.Comments != comments.Load() {
		t.Errorf("%d comments are stored of %d, %v", s.Comments, comments.Load(), err)
	}
	if decisions.Load() < 5 || exported.Load() == 0 || backups.Load() == 0 {
		t.Error("too little happened at once to mean anything")
	}
	if err := db.Restore(t.Context(), filepath.Join(dir, "0"), filepath.Join(dir, "restored")); err != nil {
		t.Errorf("a backup made meanwhile: %v", err)
	}
	t.Logf("%d comments, %d decisions, %d exports, %d backups, %d errors", comments.Load(), decisions.Load(), exported.Load(), backups.Load(), errs.Load())
}

// decideOnce takes an approval from its request to its outcome, in four appends.
func decideOnce(t *testing.T, d *db.DB, ses agent.SessionID, i int) error {
	a := pending(fmt.Sprintf("apr_%s_%d", ses, i), fmt.Sprintf("call_%d", i))
	seq := agent.Seq(i * 4)
	for _, e := range []agent.Event{
		event(t, agent.ApprovalRequested, agent.ApprovalBody{Approval: a}),
		resolved(t, a, agent.Allowed, "alice"),
		event(t, agent.ToolStarted, agent.CallDoneBody{Call: a.Call}),
		event(t, agent.ToolCompleted, agent.CallDoneBody{Call: a.Call}),
	} {
		var err error
		if seq, err = d.Append(t.Context(), ses, seq, e); err != nil {
			return err
		}
	}
	return nil
}

// export reads everything of a stream, page by page.
func export(ctx context.Context, d *db.DB) error {
	r := ops.Range{Limit: 100}
	for {
		page, err := d.Comments(ctx, "s1", r)
		if err != nil {
			return err
		}
		if len(page) == 0 {
			break
		}
		r.After = page[len(page)-1].Seq
	}
	if _, err := d.Items(ctx, ops.ItemQuery{Done: true, Page: ops.Page{Limit: 500}}); err != nil {
		return err
	}
	_, err := d.Changes(ctx, "s1", 0, 5000)
	return err
}

// backupBeside is what the backup command does while a server runs.
func backupBeside(ctx context.Context, path, to string) error {
	d, err := db.Open(ctx, db.Config{DSN: path, Shared: true})
	if err != nil {
		return err
	}
	if err := d.Backup(ctx, to); err != nil {
		return err
	}
	return d.Close()
}
