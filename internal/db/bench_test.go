package db_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"urakata/internal/agent"
	"urakata/internal/db"
	"urakata/internal/db/dbtest"
	"urakata/internal/ops"
	"urakata/internal/ops/comment"
)

func BenchmarkAddComments(b *testing.B) {
	for _, size := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("batch=%d", size), func(b *testing.B) {
			d := dbtest.Open(b)
			newStream(b, d, "s1")
			analyse := func(fresh []ops.Stored) []comment.Analysis { return make([]comment.Analysis, len(fresh)) }
			n := 0
			for b.Loop() {
				if _, err := d.AddComments(b.Context(), "s1", ops.CommentBatch{Comments: chat(n, n+size)}, analyse); err != nil {
					b.Fatal(err)
				}
				n += size
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "comments/s")
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	e := agent.Event{ID: "e", Kind: agent.StepCompleted, At: noon, Agent: "nagi", Turn: "t", Body: []byte(`{"step":1,"message":{"role":"assistant","text":"…"}}`)}
	b.Run("one session", func(b *testing.B) {
		d := dbtest.Open(b)
		newStream(b, d, "s1")
		ses, seq := newSession(b, d, "s1", "ses_1"), agent.Seq(0)
		var err error
		for b.Loop() {
			if seq, err = d.Append(b.Context(), ses, seq, e); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("32 sessions at once", func(b *testing.B) {
		d := dbtest.Open(b)
		newStream(b, d, "s1")
		var next atomic.Int64
		b.SetParallelism(16)
		b.RunParallel(func(p *testing.PB) { appendAll(b, d, fmt.Sprintf("ses_%d", next.Add(1)), e, p) })
	})
}

func appendAll(b *testing.B, d *db.DB, id string, e agent.Event, p *testing.PB) {
	seq := agent.Seq(0)
	var err error
	for p.Next() {
		if seq, err = d.Append(b.Context(), agent.SessionID(id), seq, e); err != nil {
			b.Error(err)
			return
		}
	}
}
