package ops

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"time"

	"urakata/internal/agent"
	"urakata/internal/ops/comment"
	"urakata/internal/ops/source"
)

// Stored is a comment in its place in a stream, with what was understood of it.
type Stored struct {
	Seq      int64 // 1, 2, … within the stream
	Comment  comment.Comment
	Analysis comment.Analysis
	State    CommentState // what happened to it since; MarkComment sets it
	StateBy  string       // who did that
}

// Ref is how a character names a comment: "c12". It says nothing of the comment's own id, which a viewer's client may have chosen.
func (s Stored) Ref() string { return "c" + strconv.FormatInt(s.Seq, 10) }

// Added is what became of a batch.
type Added struct {
	Fresh      []Stored
	Duplicates int
}

// Range asks for comments by place or by time from the stream's start; zero values do not limit.
type Range struct {
	After, Before int64          // exclusive places
	From, To      *time.Duration // offsets, inclusive
	Author        string
	Filter        string // "", "questions", "safety", "paid"
	Group         string // a question group or wave
	Subject       comment.Subject
	IDs           []string // platform ids
	Newest        bool     // newest first
	Limit         int
}

// commentStore keeps comments. AddComments stores a batch, gives the fresh ones their places, asks analyse for their analyses, moves the
// stream's position and writes one change, all in one transaction; analyse is pure and is called at most once.
type commentStore interface {
	AddComments(ctx context.Context, stream string, batch CommentBatch, analyse func([]Stored) []comment.Analysis) (Added, error)
	Comments(ctx context.Context, stream string, r Range) ([]Stored, error)
	MarkComment(ctx context.Context, stream, id string, state CommentState, by string) error // deleted on the platform, or shown in spite of a finding
}

// CommentState is what happened to a comment after it was written.
type CommentState string

// States of a comment.
const (
	CommentShown   CommentState = ""
	CommentDeleted CommentState = "deleted"
)

// CommentBatch is what a desk hands to the store at once.
type CommentBatch struct {
	Comments []comment.Comment
	Position string         // "" leaves the stream's position
	Counts   *source.Counts // the source's counts after this batch, nil leaves them
}

// rowPage is how many comments are read at once.
const rowPage = 500

// rows yields the comments of a stream that a range names, oldest first, page by page.
func rows(ctx context.Context, store commentStore, stream string, r Range) iter.Seq2[Stored, error] {
	return func(yield func(Stored, error) bool) {
		r.Newest, r.Limit = false, rowPage
		for {
			page, err := store.Comments(ctx, stream, r)
			if err != nil {
				yield(Stored{}, fmt.Errorf("comments of %s: %w", stream, err))
				return
			}
			for _, s := range page {
				if !yield(s, nil) {
					return
				}
				r.After = s.Seq
			}
			if len(page) < rowPage {
				return
			}
		}
	}
}

// tally counts things by a name.
type tally[K cmp.Ordered] map[K]int

func (t tally[K]) add(k K) { t[k]++ }

// most lists names by count, then by name, the zero name left out.
func (t tally[K]) most() []K {
	var none K
	return slices.SortedFunc(func(yield func(K) bool) {
		for k := range maps.Keys(t) {
			if k != none && !yield(k) {
				return
			}
		}
	}, func(a, b K) int { return cmp.Or(cmp.Compare(t[b], t[a]), cmp.Compare(a, b)) })
}

// chatStats is what comments.stats answers. All of it is numbers under names of closed lists.
type chatStats struct {
	From       int            `json:"fromSeconds"`
	To         int            `json:"toSeconds"`
	Comments   int            `json:"comments"`
	Viewers    int            `json:"viewers"`
	FirstTime  int            `json:"firstTime"`
	PerMinute  float64        `json:"perMinute"`
	Questions  int            `json:"questions"`
	Paid       int            `json:"paid"`
	Glad       int            `json:"glad"`
	Worried    int            `json:"worried"`
	Languages  map[Lang]int   `json:"languages"`
	Clusters   map[string]int `json:"clusters"`
	Subjects   map[string]int `json:"subjects"`
	Risks      map[string]int `json:"risks"`
	Categories map[string]int `json:"categories"`
}

func (b toolbox) stats(ctx context.Context, call *agent.Call) (agent.Result, error) {
	var in struct {
		From int `json:"fromSeconds"`
		To   int `json:"toSeconds"`
	}
	if err := read(call, &in); err != nil {
		return agent.Result{}, err
	}
	if in.To < in.From || in.From < -86400 || in.To > 7*86400 {
		return agent.Result{}, &agent.ToolError{Code: "stats.bounds", Say: "toSeconds must not be before fromSeconds, and both must be offsets of this stream."}
	}
	from, to := time.Duration(in.From)*time.Second, time.Duration(in.To)*time.Second
	st := chatStats{From: in.From, To: in.To, Languages: map[Lang]int{}, Clusters: map[string]int{}, Subjects: map[string]int{}, Risks: map[string]int{}, Categories: map[string]int{}}
	viewers := map[string]bool{}
	for s, err := range rows(ctx, b.store, b.stream, Range{From: &from, To: &to}) {
		if err != nil {
			return agent.Result{}, err
		}
		viewers[viewerKey(s.Comment)] = true
		st.add(s)
	}
	st.Viewers = len(viewers)
	if in.To > in.From {
		st.PerMinute = round1(float64(st.Comments) * 60 / float64(in.To-in.From))
	}
	out, err := json.Marshal(st)
	if err != nil {
		return agent.Result{}, fmt.Errorf("stats: %w", err)
	}
	return agent.Result{Output: out}, nil
}

func (st *chatStats) add(s Stored) {
	a := s.Analysis
	st.Comments++
	st.Languages[langOf(a.Lang)]++
	st.Risks[string(riskOf(a.Risk))]++
	if c := clusterOf(a.Cluster); c != "" {
		st.Clusters[string(c)]++
	}
	if sub := subjectOf(a.Subject); sub != "" {
		st.Subjects[string(sub)]++
	}
	for _, c := range categoriesOf(a.Categories) {
		st.Categories[string(c)]++
	}
	for _, is := range []struct {
		so bool
		n  *int
	}{{a.Question, &st.Questions}, {a.FirstTime, &st.FirstTime}, {s.Comment.Money != nil, &st.Paid}, {a.Mood > 0, &st.Glad}, {a.Mood < 0, &st.Worried}} {
		if is.so {
			*is.n++
		}
	}
}

// viewerKey names a viewer within one stream: names may change, ids do not.
func viewerKey(c comment.Comment) string {
	id := c.Author.ID
	if id == "" {
		id = "name:" + c.Author.Name
	}
	return string(c.Platform) + "\x00" + id
}

func round1(f float64) float64 { return float64(int64(f*10+0.5)) / 10 }
