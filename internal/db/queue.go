package db

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"gorm.io/gorm"
)

// atOnce is how many waiting writes share a commit. More would make the first of them wait too long.
const atOnce = 64

// queue makes SQLite's one writer fair and cheap: writes wait in order, and whoever is at the head writes for all that wait.
//
//	waiting ──head──▶ leading ──commit──▶ done          no goroutine of its own: the leader is the caller of the oldest write
//	waiting ──taken by a leader──▶ done
//	waiting ──its context ends──▶ gone
type queue struct {
	mu      *sync.Mutex
	waiting []*job // guarded by mu, as is a job's state
	busy    bool   // somebody leads
}

// job is one write that waits.
type job struct {
	gone  func() error // says that the caller gave up, and why
	run   func(*tx) error
	tx    tx
	err   error
	lead  chan struct{} // receives when it is this one's turn to lead
	done  chan struct{} // closed when err stands
	taken bool          // a leader has it
	leads bool          // it was told to lead
}

func newQueue() *queue { return &queue{mu: new(sync.Mutex)} }

// do waits until run has been committed, refused or given up.
func (q *queue) do(ctx context.Context, run func(*tx) error, commit func(context.Context, []*job)) error {
	j := &job{gone: func() error { return context.Cause(ctx) }, run: run, lead: make(chan struct{}, 1), done: make(chan struct{})}
	q.mu.Lock()
	q.waiting = append(q.waiting, j)
	if !q.busy {
		q.busy, j.leads = true, true
		j.lead <- struct{}{}
	}
	q.mu.Unlock()

	select {
	case <-j.lead:
		q.work(ctx, commit)
	case <-j.done:
	case <-ctx.Done():
		if q.leave(j) {
			return context.Cause(ctx)
		}
		if j.leads {
			q.work(ctx, commit) // its own write is skipped; the others' are made
		}
	}
	<-j.done
	return j.err
}

// leave takes a write out of the queue, unless it leads or is being written already.
func (q *queue) leave(j *job) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if j.taken || j.leads {
		return false
	}
	q.waiting = slices.DeleteFunc(q.waiting, func(other *job) bool { return other == j })
	return true
}

// work commits what waits and passes the lead on.
func (q *queue) work(ctx context.Context, commit func(context.Context, []*job)) {
	q.mu.Lock()
	n := min(len(q.waiting), atOnce)
	batch := slices.Clone(q.waiting[:n])
	q.waiting = slices.Delete(q.waiting, 0, n)
	for _, j := range batch {
		j.taken = true
	}
	q.mu.Unlock()

	defer func() {
		for _, j := range batch {
			close(j.done)
		}
		q.mu.Lock()
		defer q.mu.Unlock()
		if q.busy = len(q.waiting) > 0; q.busy {
			next := q.waiting[0]
			next.leads = true
			next.lead <- struct{}{}
		}
	}()
	commit(ctx, batch)
}

// commit makes a batch of writes in one transaction. A write that fails is rolled back to its savepoint and the others stand. The transaction
// does not end with the leader's context: one caller who gives up must not undo what another was promised. The leader waits for it.
func (d *DB) commit(ctx context.Context, batch []*job) {
	now := d.now().UTC()
	err := d.write.WithContext(context.WithoutCancel(ctx)).Transaction(func(g *gorm.DB) error {
		for _, j := range batch {
			j.tx = tx{DB: g, now: now}
			if j.err = j.gone(); j.err != nil {
				continue
			}
			if err := j.within(g, len(batch) > 1); err != nil {
				return err
			}
		}
		if len(batch) == 1 {
			return batch[0].err
		}
		return nil
	})
	for _, j := range batch {
		if err != nil && j.err == nil {
			j.err = fmt.Errorf("commit: %w", err)
		}
		if j.err == nil {
			d.bell.ring(j.tx.topics...)
		}
	}
}

// within runs one write; its error is a fault of the whole transaction.
func (j *job) within(g *gorm.DB, shared bool) error {
	if !shared {
		j.err = guard(&j.tx, j.run)
		return nil
	}
	if err := g.Exec("SAVEPOINT one_write").Error; err != nil {
		return err
	}
	if j.err = guard(&j.tx, j.run); j.err != nil {
		if err := g.Exec("ROLLBACK TO one_write").Error; err != nil {
			return err
		}
	}
	return g.Exec("RELEASE one_write").Error
}
