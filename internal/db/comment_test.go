package db_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"urakata/internal/db"
	"urakata/internal/db/dbtest"
	"urakata/internal/ops"
	"urakata/internal/ops/comment"
	"urakata/internal/ops/source"
)

func TestCommentsComeBackWithTheirAnalyses(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		newStream(t, d, "s1")
		sent := []comment.Comment{
			{
				ID: "Ugk-1", Platform: comment.YouTube, Kind: comment.KindPaid, Text: "ありがとう\n🎉", At: noon, Offset: 1500*time.Millisecond + 7,
				Author: comment.Author{ID: "UC1", Name: "名前", Roles: []string{"member", "moderator"}}, Money: &comment.Money{Micros: 500_000_000, Currency: "JPY"},
				ReplyTo: "r", Target: "t", Raid: 3, Topic: "歌", Truncated: true,
			},
			{ID: "2", Platform: comment.Twitch, Offset: -time.Minute},
		}
		analyses := []comment.Analysis{
			{
				ID: "Ugk-1", Action: comment.Withhold, Risk: comment.RiskHigh, Categories: []comment.Category{comment.PersonalInfo}, Question: true, Lang: "ja",
				Cluster: comment.ClusterPraise, Rules: []comment.Rule{{ID: "pii", Span: [2]int{0, 3}, Severity: comment.RiskHigh}}, Score: 0.75, Reasons: []string{"super_chat"},
				Subject: comment.SubjectMusic, Group: "q1", GroupSize: 2, GroupVoices: 2, Wave: "w1", WaveSize: 4, DuplicateOf: "x", FirstTime: true, Mood: -1,
			},
			{ID: "2", Action: comment.Allow},
		}
		calls := 0
		added, err := d.AddComments(t.Context(), "s1", ops.CommentBatch{Comments: sent}, func(fresh []ops.Stored) []comment.Analysis {
			calls++
			if len(fresh) != 2 || fresh[0].Seq != 1 || fresh[1].Seq != 2 {
				t.Errorf("asked about %+v", fresh)
			}
			return analyses
		})
		if err != nil || calls != 1 || added.Duplicates != 0 {
			t.Fatalf("%+v, %v after %d calls", added, err, calls)
		}
		want := []ops.Stored{{Seq: 1, Comment: sent[0], Analysis: analyses[0]}, {Seq: 2, Comment: sent[1], Analysis: analyses[1]}}
		if diff := cmp.Diff(want, added.Fresh); diff != "" {
			t.Error("answered:", diff)
		}
		got, err := d.Comments(t.Context(), "s1", ops.Range{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error("read:", diff)
		}
	})
}

func TestDuplicatesAreCountedAndThePositionStillMoves(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		newStream(t, d, "s1")
		newStream(t, d, "s2")
		twice := append(chat(0, 3), chat(1, 4)...) // m1 and m2 twice within the batch
		if added := add(t, d, "s1", twice...); len(added.Fresh) != 4 || added.Duplicates != 2 {
			t.Errorf("within a batch: %d fresh, %d duplicates", len(added.Fresh), added.Duplicates)
		}
		counts := source.Counts{Records: 9, Read: 4, Skipped: 1, Duplicates: 4, Reasons: map[string]int64{"blank": 1}}
		asked := false
		added, err := d.AddComments(t.Context(), "s1", ops.CommentBatch{Comments: chat(2, 4), Position: "p2", Counts: &counts}, func([]ops.Stored) []comment.Analysis {
			asked = true
			return nil
		})
		if err != nil || len(added.Fresh) != 0 || added.Duplicates != 2 || asked {
			t.Errorf("against the table: %+v, %v, asked %v", added, err, asked)
		}
		elsewhere := chat(0, 1)
		elsewhere[0].Platform = comment.Twitch
		if added := add(t, d, "s1", elsewhere...); len(added.Fresh) != 1 || added.Fresh[0].Seq != 5 {
			t.Errorf("the same id on another platform: %+v", added)
		}
		if added := add(t, d, "s2", chat(0, 2)...); len(added.Fresh) != 2 || added.Fresh[0].Seq != 1 {
			t.Errorf("the same id in another stream: %+v", added)
		}
		s, err := d.Stream(t.Context(), "s1")
		if err != nil || s.Position != "p2" || s.Comments != 5 {
			t.Errorf("the stream: %+v, %v", s, err)
		}
		if diff := cmp.Diff(counts, s.Counts); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"stream s1", "comments 4", "comments 4", "comments 5"}, changes(t, d, "s1")); diff != "" {
			t.Error(diff)
		}
	})
}

func TestABatchThatCannotBeStoredLeavesNothing(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		newStream(t, d, "s1")
		_, err := d.AddComments(t.Context(), "s9", ops.CommentBatch{Comments: chat(0, 1)}, nil)
		wantErr(t, err, ops.ErrNotFound)
		batch := ops.CommentBatch{Comments: chat(0, 3), Position: "p1"}
		if _, err := d.AddComments(t.Context(), "s1", batch, func([]ops.Stored) []comment.Analysis { return nil }); err == nil || !strings.Contains(err.Error(), "0 analyses") {
			t.Errorf("too few analyses: %v", err)
		}
		if _, err := d.AddComments(t.Context(), "s1", batch, func([]ops.Stored) []comment.Analysis { panic("lexicon") }); err == nil || !strings.Contains(err.Error(), "lexicon") {
			t.Errorf("a panic: %v", err)
		}
		if _, err := d.AddComments(t.Context(), "s1", ops.CommentBatch{Comments: []comment.Comment{{Text: "x"}}}, nil); err == nil || !strings.Contains(err.Error(), "comment 1 of the batch has no id") {
			t.Errorf("no id: %v", err)
		}
		s, err := d.Stream(t.Context(), "s1")
		if err != nil || s.Comments != 0 || s.Position != "" || s.Seq != 1 {
			t.Errorf("the stream: %+v, %v", s, err)
		}
		if added := add(t, d, "s1", chat(0, 3)...); added.Fresh[0].Seq != 1 {
			t.Errorf("the next batch begins at %d", added.Fresh[0].Seq)
		}
	})
}

func TestAnyBytesOfAViewerCanBeStored(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		newStream(t, d, "s1")
		odd := comment.Comment{ID: "a\x00b", Platform: "x\xff", Text: "'; DROP TABLE streams; -- @name ?", Author: comment.Author{ID: "\xc3\x28", Name: "a\x00\xffb"}}
		if added := add(t, d, "s1", odd); len(added.Fresh) != 1 {
			t.Fatalf("%+v", added)
		}
		if added := add(t, d, "s1", odd); added.Duplicates != 1 {
			t.Errorf("%+v", added)
		}
		got, err := d.Comments(t.Context(), "s1", ops.Range{IDs: []string{"a\x00b"}})
		if err != nil || len(got) != 1 || got[0].Comment.Text != odd.Text || got[0].Comment.Author.Name != "a\uFFFD\uFFFDb" {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

func TestRanges(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		newStream(t, d, "s1")
		newStream(t, d, "s2")
		add(t, d, "s2", chat(0, 5)...)
		sent := chat(0, 20)
		sent[4].Money, sent[4].Kind = &comment.Money{Micros: 1, Currency: "JPY"}, comment.KindPaid
		_, err := d.AddComments(t.Context(), "s1", ops.CommentBatch{Comments: sent}, func(fresh []ops.Stored) []comment.Analysis {
			out := make([]comment.Analysis, len(fresh))
			for i := range out {
				out[i] = comment.Analysis{Action: comment.Allow, Question: i%5 == 0}
			}
			out[2].Group, out[3].Wave, out[6].Action, out[7].Action, out[8].Subject = "q1", "q1", comment.Withhold, comment.Escalate, comment.SubjectAudio
			return out
		})
		if err != nil {
			t.Fatal(err)
		}
		from, to := 3*time.Second, 5*time.Second
		for _, tt := range []struct {
			name string
			r    ops.Range
			want []int64
		}{
			{"between places", ops.Range{After: 3, Before: 6}, []int64{4, 5}},
			{"newest first", ops.Range{After: 17, Newest: true}, []int64{20, 19, 18}},
			{"a limit", ops.Range{After: 2, Limit: 2}, []int64{3, 4}},
			{"offsets are inclusive", ops.Range{From: &from, To: &to}, []int64{4, 5, 6}},
			{"an author", ops.Range{Author: "u3"}, []int64{4, 11, 18}},
			{"questions", ops.Range{Filter: "questions"}, []int64{1, 6, 11, 16}},
			{"safety", ops.Range{Filter: "safety"}, []int64{7, 8}},
			{"paid", ops.Range{Filter: "paid"}, []int64{5}},
			{"a group or a wave", ops.Range{Group: "q1"}, []int64{3, 4}},
			{"a subject", ops.Range{Subject: comment.SubjectAudio}, []int64{9}},
			{"ids", ops.Range{IDs: []string{"m1", "m19", "none"}}, []int64{2, 20}},
			{"several at once", ops.Range{Filter: "questions", After: 5, Newest: true, Limit: 1}, []int64{16}},
			{"nothing", ops.Range{Author: "nobody"}, nil},
		} {
			got, err := d.Comments(t.Context(), "s1", tt.r)
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			var places []int64
			for _, s := range got {
				places = append(places, s.Seq)
			}
			if diff := cmp.Diff(tt.want, places); diff != "" {
				t.Errorf("%s: %s", tt.name, diff)
			}
		}
		if _, err := d.Comments(t.Context(), "s1", ops.Range{Filter: "nice"}); err == nil {
			t.Error("an unknown filter was taken")
		}
	})
}

func TestMarkComment(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		newStream(t, d, "s1")
		add(t, d, "s1", chat(0, 3)...)
		if err := d.MarkComment(t.Context(), "s1", "m1", ops.CommentDeleted, "mod"); err != nil {
			t.Fatal(err)
		}
		wantErr(t, d.MarkComment(t.Context(), "s1", "m9", ops.CommentDeleted, "mod"), ops.ErrNotFound)
		got, err := d.Comments(t.Context(), "s1", ops.Range{IDs: []string{"m1"}})
		if err != nil || got[0].State != ops.CommentDeleted || got[0].StateBy != "mod" {
			t.Errorf("%+v, %v", got, err)
		}
		if diff := cmp.Diff([]string{"stream s1", "comments 3", "comments 2"}, changes(t, d, "s1")); diff != "" {
			t.Error(diff)
		}
	})
}

// Writers of one stream get places without holes, and a comment that two of them bring is stored once.
func TestManyWritersOfOneStream(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		newStream(t, d, "s1")
		const writers, each = 8, 20
		var wg sync.WaitGroup
		errs := make([]error, writers)
		for w := range writers {
			wg.Go(func() {
				for i := range each {
					_, err := d.AddComments(t.Context(), "s1", ops.CommentBatch{Comments: chat(i*3, i*3+4)}, nil)
					errs[w] = errors.Join(errs[w], err)
				}
			})
		}
		wg.Wait()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
		got, err := d.Comments(t.Context(), "s1", ops.Range{})
		if err != nil || len(got) != each*3+1 {
			t.Fatalf("%d comments, %v", len(got), err)
		}
		seen := map[string]bool{}
		for i, s := range got {
			if s.Seq != int64(i)+1 || seen[s.Comment.ID] {
				t.Errorf("comment %d: %+v", i, s)
			}
			seen[s.Comment.ID] = true
		}
		if n := len(changes(t, d, "s1")); n != writers*each+1 {
			t.Errorf("%d changes", n)
		}
	})
}

func TestALargeBatchIsOneTransaction(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		newStream(t, d, "s1")
		added := add(t, d, "s1", append(chat(0, 1000), chat(500, 700)...)...)
		if len(added.Fresh) != 1000 || added.Duplicates != 200 {
			t.Errorf("%d fresh, %d duplicates", len(added.Fresh), added.Duplicates)
		}
		if diff := cmp.Diff([]string{"stream s1", "comments 1000"}, changes(t, d, "s1")); diff != "" {
			t.Error(diff)
		}
		for _, tt := range []struct{ limit, want int }{{0, 500}, {1000, 1000}, {9999, 1000}} {
			if got, err := d.Comments(t.Context(), "s1", ops.Range{Limit: tt.limit}); err != nil || len(got) != tt.want {
				t.Errorf("limit %d gives %d, %v", tt.limit, len(got), err)
			}
		}
		if _, err := d.Comments(t.Context(), "s1", ops.Range{IDs: []string{fmt.Sprint("m", 3)}}); err != nil {
			t.Error(err)
		}
	})
}
