package web

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/labstack/echo/v4"

	"urakata/internal/ops"
	"urakata/internal/ops/comment"
	"urakata/internal/ops/source"
	"urakata/views"
)

// intake takes comments that a script pushes. They are durable when it returns.
type intake interface {
	Offer(ctx context.Context, stream string, batch []comment.Comment) (ops.Added, error)
}

// chat reads what was said.
type chat interface {
	Chat(ctx context.Context, stream string, r ops.Range) ([]ops.Stored, error)
}

// commentRoom is a stream's comments: read by people who follow a number to its evidence, pushed and read by scripts.
type commentRoom struct {
	*Server
	reader streamReader
	chat   chat
	intake intake
}

// How many comments are shown around a place, and at most.
const (
	commentRows = 200
	contextSpan = 2 * time.Minute
)

func (r *commentRoom) show(c echo.Context) error {
	ctx, id := c.Request().Context(), param(c, "id")
	v, err := r.reader.Stream(ctx, id)
	if err != nil {
		return err
	}
	q, err := commentQuery(c)
	if err != nil {
		return err
	}
	p := views.CommentsPage{Stream: v.Stream, Query: q}
	if p.Page, err = r.frame(c, views.RoomLive, ""); err != nil {
		return err
	}
	p.Page.Title = v.Stream.Title
	if p.Comments, err = r.ask(ctx, id, q); err != nil {
		return err
	}
	if len(p.Comments) == commentRows {
		p.Next = p.Comments[len(p.Comments)-1].Seq
	}
	return r.render(c, http.StatusOK, views.Comments(p))
}

// ask finds the comments of a query. Named ones come with what was said around them, because a word alone misleads.
func (r *commentRoom) ask(ctx context.Context, stream string, q views.CommentQuery) ([]ops.Stored, error) {
	want := ops.Range{
		After: q.After, From: q.From, To: q.To, Author: q.Author, Filter: q.Filter, Group: q.Group, Subject: q.Subject, Limit: commentRows,
	}
	if len(q.IDs) == 0 || q.From != nil || q.To != nil {
		return r.chat.Chat(ctx, stream, want)
	}
	want.IDs = q.IDs
	named, err := r.chat.Chat(ctx, stream, want)
	if err != nil || len(named) == 0 {
		return named, err
	}
	from, to := named[0].Comment.Offset, named[0].Comment.Offset
	for _, s := range named {
		from, to = min(from, s.Comment.Offset), max(to, s.Comment.Offset)
	}
	if to-from > 4*contextSpan { // spread over the stream: only they themselves
		return named, nil
	}
	from, to = from-contextSpan, to+contextSpan
	return r.chat.Chat(ctx, stream, ops.Range{After: q.After, From: &from, To: &to, Limit: commentRows})
}

// commentQuery reads the query of CommentsPath; api.md calls the list of ids "ids", a link of ours repeats "id".
func commentQuery(c echo.Context) (q views.CommentQuery, err error) {
	v := c.QueryParams()
	get := func(name string) string { return clean(v.Get(name)) }
	q = views.CommentQuery{Filter: get("filter"), Group: get("group"), Author: get("author"), Subject: comment.Subject(get("subject"))}
	for _, list := range append(v["id"], v["ids"]...) {
		for id := range strings.SplitSeq(clean(list), ",") {
			if id != "" {
				q.IDs = append(q.IDs, id)
			}
		}
	}
	if !slices.Contains([]string{"", "questions", "safety", "paid"}, q.Filter) {
		return q, ops.InvalidError{{Field: "filter", Say: "web.field.filter"}}
	}
	if len(q.IDs) > maxLimit {
		return q, ops.InvalidError{{Field: "ids", Say: "web.field.many", Args: map[string]any{"Max": maxLimit}}}
	}
	if q.From, err = offset(v.Get("from"), "from"); err != nil {
		return q, err
	}
	if q.To, err = offset(v.Get("to"), "to"); err != nil {
		return q, err
	}
	q.After, err = place(c, "after")
	return q, err
}

// offset reads seconds from a stream's start; the waiting room is before it.
func offset(given, field string) (*time.Duration, error) {
	if given == "" {
		return nil, nil
	}
	n, err := strconv.ParseFloat(given, 64)
	if err != nil || math.IsNaN(n) || math.Abs(n) > 366*24*3600 {
		return nil, ops.InvalidError{{Field: field, Say: "web.field.offset"}}
	}
	d := time.Duration(n * float64(time.Second))
	return &d, nil
}

func (r *commentRoom) listAPI(c echo.Context) error {
	ctx, id := c.Request().Context(), param(c, "id")
	if wantsSocket(c.Request()) {
		return r.pushSocket(c)
	}
	at, err := page(c)
	if err != nil {
		return err
	}
	q, err := commentQuery(c)
	if err != nil {
		return err
	}
	if _, err := r.reader.Stream(ctx, id); err != nil {
		return err
	}
	got, err := r.chat.Chat(ctx, id, ops.Range{
		After: q.After, From: q.From, To: q.To, Author: q.Author, Filter: q.Filter, Group: q.Group, Subject: q.Subject, IDs: q.IDs, Limit: at.Limit,
	})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, listOf(got, at.Limit, commentShape, func(s ops.Stored) any { return s.Seq }))
}

// pushed is the answer to comments that were pushed.
type pushed struct {
	Accepted   int        `json:"accepted"`
	Duplicates int        `json:"duplicates"`
	Rejected   []rejected `json:"rejected"`
}

type rejected struct {
	Index int    `json:"index"`
	Error string `json:"error"`
}

// pushAPI takes one comment, an array of them, or JSON lines.
func (r *commentRoom) pushAPI(c echo.Context) error {
	var records [][]byte
	var err error
	switch media(c.Request()) {
	case echo.MIMEApplicationJSON:
		records, err = recordsOf(c.Request().Body)
	case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonl", "application/json-lines":
		records, err = linesOf(c.Request().Body)
	default:
		return errMedia
	}
	if err != nil {
		return readError(err, errJSON)
	}
	out, err := r.push(c.Request().Context(), param(c, "id"), records)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusAccepted, out)
}

// push reads the records and offers those that are comments. What is wrong with one does not stop the others.
func (r *commentRoom) push(ctx context.Context, stream string, records [][]byte) (pushed, error) {
	out := pushed{Rejected: []rejected{}}
	batch := make([]comment.Comment, 0, len(records))
	for i, raw := range records {
		one, err := source.ParseJSON(raw, r.now())
		if err != nil {
			out.Rejected = append(out.Rejected, rejected{Index: i, Error: err.Error()})
			continue
		}
		batch = append(batch, one)
	}
	added, err := r.intake.Offer(ctx, stream, batch)
	if err != nil {
		return out, err
	}
	out.Accepted, out.Duplicates = len(added.Fresh), added.Duplicates
	return out, nil
}

// recordsOf splits a body that is one object, an array of them, or several documents one after another.
func recordsOf(body io.Reader) ([][]byte, error) {
	in := bufio.NewReader(body)
	dec := json.NewDecoder(in)
	var out [][]byte
	for {
		var one json.RawMessage
		err := dec.Decode(&one)
		if errors.Is(err, io.EOF) && len(out) > 0 {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if len(out) > 0 || one[0] != '[' {
			out = append(out, one)
			continue
		}
		var many []json.RawMessage
		if err := json.Unmarshal(one, &many); err != nil {
			return nil, err
		}
		for _, m := range many {
			out = append(out, m)
		}
		if len(many) == 0 {
			return out, nil
		}
	}
}

// linesOf splits JSON lines. A broken line is one rejected record, not the end.
func linesOf(body io.Reader) ([][]byte, error) {
	all, err := io.ReadAll(body)
	if err != nil {
		return nil, err
	}
	var out [][]byte
	for line := range bytes.Lines(all) {
		if line = bytes.TrimSpace(line); len(line) > 0 {
			out = append(out, line)
		}
	}
	return out, nil
}

// pushSocket takes the same records as messages, and answers each message with the same counts, in order.
func (r *commentRoom) pushSocket(c echo.Context) error {
	id := param(c, "id")
	if !who(c).May(ops.RoleOperator) {
		return ops.ErrForbidden
	}
	if _, err := r.reader.Stream(c.Request().Context(), id); err != nil {
		return err
	}
	ctx, leave, err := r.sockets.enter(c.Request().Context(), session(c))
	if err != nil {
		return &refusal{status: http.StatusServiceUnavailable, kind: "leaving", cause: err}
	}
	defer leave()
	conn, err := r.accept(c)
	if err != nil {
		return err
	}
	conn.SetReadLimit(bodyLimit)
	stop := context.AfterFunc(ctx, func() { goodbye(conn, ended(ctx, nil)) }) // wakes the read below
	defer stop()
	why := r.pushLoop(ctx, conn, id, r.printer(c).Lang())
	r.told(c, why)
	goodbye(conn, why)
	return nil
}

func (r *commentRoom) pushLoop(ctx context.Context, conn *websocket.Conn, id, lang string) error {
	p := r.Catalogue.Printer(lang)
	for {
		_, message, err := conn.Read(context.WithoutCancel(ctx)) // ends when either side closes
		if err != nil {
			return ended(ctx, errGone)
		}
		var answer any
		records, err := recordsOf(bytes.NewReader(message))
		if err == nil {
			answer, err = r.push(ctx, id, records)
		} else {
			err = readError(err, errJSON)
		}
		if err != nil {
			v := judge(err)
			if v.ours {
				return err
			}
			told := v.problem(p)
			if v.wait > 0 {
				told.RetryAfter = v.wait.Seconds()
			}
			answer = told
		}
		b, err := json.Marshal(answer)
		if err != nil {
			return err
		}
		if err := write(ctx, conn, b); err != nil {
			return err
		}
	}
}
