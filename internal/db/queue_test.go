package db

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
)

// together puts writes into a queue while another one is being written, so that they are committed together.
func together(t *testing.T, q *queue, commit func(context.Context, []*job), writes ...func() error) []error {
	t.Helper()
	started, release := make(chan struct{}), make(chan struct{})
	errs := make([]error, len(writes))
	var wg sync.WaitGroup
	wg.Go(func() {
		err := q.do(t.Context(), nil, func(ctx context.Context, batch []*job) {
			close(started)
			<-release
			commit(ctx, nil)
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-started
	for i, w := range writes {
		wg.Go(func() { errs[i] = w() })
		synctest.Wait() // it is in the queue
	}
	close(release)
	wg.Wait()
	return errs
}

func TestWhatWaitsTogetherIsCommittedTogetherAndInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		var sizes []int
		var order []int
		commit := func(_ context.Context, batch []*job) {
			if len(batch) > 0 {
				sizes = append(sizes, len(batch))
			}
			for _, j := range batch {
				j.err = j.run(&j.tx)
			}
		}
		var writes []func() error
		for i := range 100 {
			writes = append(writes, func() error {
				return q.do(t.Context(), func(*tx) error {
					order = append(order, i)
					return nil
				}, commit)
			})
		}
		together(t, q, commit, writes...)
		if fmt.Sprint(sizes) != "[64 36]" {
			t.Errorf("commits of %v", sizes)
		}
		for i, n := range order {
			if i != n {
				t.Fatalf("write %d was made at place %d", n, i)
			}
		}
		if q.busy || len(q.waiting) != 0 {
			t.Error("the queue did not come to rest")
		}
	})
}

func TestAWriteWhoseCallerGaveUpIsNotMade(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		made := 0
		commit := func(_ context.Context, batch []*job) {
			for _, j := range batch {
				if j.err = j.gone(); j.err == nil {
					j.err = j.run(&j.tx)
				}
			}
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		tired := errors.New("tired")
		write := func(ctx context.Context) func() error {
			return func() error {
				return q.do(ctx, func(*tx) error { made++; return nil }, commit)
			}
		}
		errs := together(t, q, commit, write(t.Context()), write(ctx), func() error { cancel(tired); return nil }, write(t.Context()))
		if made != 2 || errs[0] != nil || !errors.Is(errs[1], tired) || errs[3] != nil {
			t.Errorf("%d were made: %v", made, errs)
		}
	})
}
