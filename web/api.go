package web

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"urakata/internal/agent"
	"urakata/internal/ops"
	"urakata/internal/ops/comment"
	"urakata/internal/ops/source"
)

// apiPrefix is where scripts come in. The shapes below are a contract: they gain fields and lose none.
const apiPrefix = "/api/v1"

// list is every list.
type list[T any] struct {
	Items []T `json:"items"`
	Next  any `json:"next"` // null at the end
}

// listOf shapes rows. The cursor of the next part is that of the last row, when there may be one.
func listOf[R, T any](rows []R, limit int, shape func(R) T, cursor func(R) any) list[T] {
	out := list[T]{Items: make([]T, len(rows))}
	for i, r := range rows {
		out.Items[i] = shape(r)
	}
	if len(rows) > 0 && len(rows) >= limit {
		out.Next = cursor(rows[len(rows)-1])
	}
	return out
}

type streamJSON struct {
	ID        string          `json:"id"`
	Title     string          `json:"title"`
	Topic     string          `json:"topic,omitempty"`
	Language  string          `json:"language"`
	State     ops.StreamState `json:"state"`
	Character string          `json:"character"`
	Backend   string          `json:"backend,omitempty"`
	Rehearsal bool            `json:"rehearsal"`
	Example   bool            `json:"example,omitempty"`
	Sources   []sourceJSON    `json:"sources"`
	Comments  int64           `json:"comments"`
	Analysed  int64           `json:"analysed"`
	Cards     int64           `json:"cards"`
	Pending   int             `json:"pending"`
	Lag       float64         `json:"lagSeconds"`
	Usage     *agent.Usage    `json:"usage"` // null: the backend did not say, which is not zero
	Seq       int64           `json:"seq"`
	CreatedAt time.Time       `json:"createdAt"`
	StartedAt *time.Time      `json:"startedAt"`
	EndedAt   *time.Time      `json:"endedAt"`
	Error     string          `json:"error,omitempty"`
}

type sourceJSON struct {
	Kind   string        `json:"kind"`
	File   string        `json:"file,omitempty"`
	Format string        `json:"format,omitempty"`
	Speed  float64       `json:"speed"`
	State  source.State  `json:"state"`
	Last   *time.Time    `json:"lastCommentAt"`
	Counts source.Counts `json:"counts"`
	Total  int64         `json:"bytesTotal"`
	Done   int64         `json:"bytesRead"`
	Error  string        `json:"error,omitempty"`
}

func streamShape(v ops.StreamView) streamJSON {
	s, h := v.Stream, v.Health
	out := streamJSON{
		ID: s.ID, Title: s.Title, Topic: s.Topic, Language: s.Language, State: s.State, Character: s.Character, Backend: v.Backend,
		Rehearsal: s.Rehearsal, Example: s.Example, Comments: s.Comments, Analysed: s.Comments, Cards: s.Cards, Pending: v.Pending,
		Lag: v.Lag.Seconds(), Seq: s.Seq, CreatedAt: s.CreatedAt, StartedAt: moment(s.StartedAt), EndedAt: moment(s.EndedAt), Error: s.Err,
		Sources: []sourceJSON{{
			Kind: s.Source.Kind, File: s.Source.File, Format: either(h.Format, s.Source.Format), Speed: s.Source.Speed, State: h.State,
			Last: moment(h.Last), Counts: s.Counts, Total: h.Total, Done: h.Done, Error: h.Err,
		}},
	}
	if v.Session.Usage.Known {
		out.Usage = &v.Session.Usage
	}
	return out
}

// moment is a time, or null for one that has not been.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

type cardJSON struct {
	ID        string        `json:"id"`
	Stream    string        `json:"stream"`
	Kind      ops.CardKind  `json:"kind"`
	Severity  ops.Severity  `json:"severity"`
	Observed  string        `json:"observed"`
	Suggested string        `json:"suggested"`
	Evidence  []string      `json:"evidence"`
	State     ops.CardState `json:"state"`
	At        time.Time     `json:"at"`
	UpdatedAt time.Time     `json:"updatedAt"`
	Updates   int           `json:"updates"`
	Offset    float64       `json:"offsetSeconds"`
	Character string        `json:"character"`
	Session   string        `json:"session,omitempty"`
	Note      string        `json:"note,omitempty"`
	By        string        `json:"by,omitempty"`
}

func cardShape(c ops.Card) cardJSON {
	return cardJSON{
		ID: c.ID, Stream: c.Stream, Kind: c.Kind, Severity: c.Severity, Observed: c.Observed, Suggested: c.Suggested,
		Evidence: some(c.Evidence), State: c.State, At: c.At.UTC(), UpdatedAt: c.UpdatedAt.UTC(), Updates: c.Updates,
		Offset: c.Offset.Seconds(), Character: c.Character, Session: c.Session, Note: c.Note, By: c.By,
	}
}

// some is a list that is [] and never null.
func some[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}

type itemJSON struct {
	ID         string           `json:"id"`
	Kind       ops.ItemKind     `json:"kind"`
	Stream     string           `json:"stream"`
	Session    string           `json:"session,omitempty"`
	Character  string           `json:"character"`
	Tool       string           `json:"tool,omitempty"`
	Risk       string           `json:"risk,omitempty"`
	Arguments  json.RawMessage  `json:"arguments,omitempty"`
	Reason     string           `json:"reason,omitempty"`
	Question   string           `json:"question,omitempty"`
	Choices    []string         `json:"choices,omitempty"`
	Evidence   []string         `json:"evidence"`
	At         time.Time        `json:"at"`
	Deadline   *time.Time       `json:"deadline"`
	State      ops.ItemState    `json:"state"`
	DecidedBy  string           `json:"decidedBy,omitempty"`
	DecidedAt  *time.Time       `json:"decidedAt,omitempty"`
	Note       string           `json:"note,omitempty"`
	Answer     string           `json:"answer,omitempty"`
	Why        string           `json:"why,omitempty"`
	Outcome    ops.OutcomeState `json:"outcome,omitempty"`
	OutcomeSay string           `json:"outcomeSay,omitempty"`
	Rehearsed  bool             `json:"rehearsed,omitempty"`
}

func itemShape(it ops.Item) itemJSON {
	return itemJSON{
		ID: it.ID, Kind: it.Kind, Stream: it.Stream, Session: it.Session, Character: it.Character, Tool: it.Tool, Risk: it.Risk,
		Arguments: it.Arguments, Reason: it.Reason, Question: it.Question, Choices: it.Choices, Evidence: some(it.Evidence),
		At: it.At.UTC(), Deadline: moment(it.Deadline), State: it.State, DecidedBy: it.DecidedBy, DecidedAt: moment(it.DecidedAt),
		Note: it.Note, Answer: it.Answer, Why: it.Why, Outcome: it.Outcome, OutcomeSay: it.OutcomeSay, Rehearsed: it.Rehearsed,
	}
}

type commentJSON struct {
	Seq       int64            `json:"seq"`
	ID        string           `json:"id"`
	Platform  comment.Platform `json:"platform"`
	Kind      comment.Kind     `json:"kind,omitempty"`
	Text      string           `json:"text"`
	At        time.Time        `json:"at"`
	Offset    float64          `json:"offsetSeconds"`
	Author    comment.Author   `json:"author"`
	Money     *comment.Money   `json:"money,omitempty"`
	ReplyTo   string           `json:"replyTo,omitempty"`
	Raid      int              `json:"raid,omitempty"`
	Truncated bool             `json:"truncated,omitempty"`
	State     ops.CommentState `json:"state,omitempty"`
	Analysis  comment.Analysis `json:"analysis"`
}

func commentShape(s ops.Stored) commentJSON {
	c := s.Comment
	return commentJSON{
		Seq: s.Seq, ID: c.ID, Platform: c.Platform, Kind: c.Kind, Text: c.Text, At: c.At.UTC(), Offset: c.Offset.Seconds(), Author: c.Author,
		Money: c.Money, ReplyTo: c.ReplyTo, Raid: c.Raid, Truncated: c.Truncated, State: s.State, Analysis: s.Analysis,
	}
}

type changeJSON struct {
	Seq    int64          `json:"seq"`
	Stream string         `json:"stream"`
	Kind   ops.ChangeKind `json:"kind"`
	Ref    string         `json:"ref"`
	At     time.Time      `json:"at"`
}

// changesAPI is what screens of other programs follow.
func (b *boardRoom) changesAPI(c echo.Context) error {
	after, err := place(c, "after")
	if err != nil {
		return err
	}
	at, err := page(c)
	if err != nil {
		return err
	}
	got, err := b.board.Since(c.Request().Context(), clean(c.QueryParam("stream")), after, at.Limit)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, listOf(got, at.Limit,
		func(ch ops.Change) changeJSON {
			return changeJSON{Seq: ch.Seq, Stream: ch.Stream, Kind: ch.Kind, Ref: ch.Ref, At: ch.At.UTC()}
		}, func(ch ops.Change) any { return ch.Seq }))
}

// health says that the process answers; ready, that it can work.
func (s *Server) health(c echo.Context) error {
	return c.JSON(http.StatusOK, map[string]string{"status": "ok", "version": s.Version})
}

func (s *Server) ready(c echo.Context) error {
	ctx, cancel := context.WithTimeout(c.Request().Context(), 2*time.Second)
	defer cancel()
	if s.Ready != nil {
		if err := s.Ready(ctx); err != nil {
			return &refusal{status: http.StatusServiceUnavailable, kind: "not-ready", cause: err}
		}
	}
	return c.JSON(http.StatusOK, map[string]string{"status": "ready"})
}

func (s *Server) metrics(c echo.Context) error {
	if s.Metrics == nil {
		return echo.ErrNotFound
	}
	s.Metrics.ServeHTTP(c.Response(), c.Request())
	return nil
}
