package db

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestListenersLeaveWithTheirContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBell()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		c := b.listen(ctx, "stream/s1")
		b.ring("stream/s1", "console")
		b.ring("stream/s1")
		if len(c) != 1 {
			t.Errorf("%d rings are kept, want one", len(c))
		}
		<-c
		<-ctx.Done()
		synctest.Wait()
		b.ring("stream/s1")
		if len(c) != 0 || len(b.topics) != 0 {
			t.Errorf("%d rings and %d topics are left", len(c), len(b.topics))
		}
	})
}
