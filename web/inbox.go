package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"urakata/internal/ops"
	"urakata/views"
)

// waiting says what people are asked.
type waiting interface {
	Items(ctx context.Context, q ops.ItemQuery) ([]ops.Item, error)
	Item(ctx context.Context, id string) (ops.Item, error)
	Counts(ctx context.Context) (ops.InboxCounts, error)
}

// decider takes their answers. *ops.Decided tells that somebody else's different answer stands.
type decider interface {
	Decide(ctx context.Context, who ops.Who, id string, a ops.Answer) (ops.Item, error)
	DecideAll(ctx context.Context, who ops.Who, answers []ops.BulkAnswer) ([]ops.BulkResult, error)
	Reply(ctx context.Context, who ops.Who, id, text string) (ops.Item, error)
}

// Inbox is everything this package asks of ops.Inbox.
type Inbox interface {
	waiting
	decider
}

// inboxRoom is where people answer.
type inboxRoom struct {
	*Server
	waiting waiting
	decider decider
	draw    *drawer
}

// The two answers to an approval.
const (
	allowOnce = "allow-once"
	deny      = "deny"
)

func (r *inboxRoom) list(c echo.Context) error { return r.show(c, http.StatusOK, nil) }

func (r *inboxRoom) one(c echo.Context) error {
	it, err := r.waiting.Item(c.Request().Context(), param(c, "id"))
	if err != nil {
		return err
	}
	v, err := r.draw.item(c.Request().Context(), who(c), it)
	if err != nil {
		return err
	}
	if isFragment(c) {
		return r.render(c, http.StatusOK, views.ItemDetail(v))
	}
	return r.show(c, http.StatusOK, &v)
}

// show is the list, with one item open. Done items stay in it while one of them is open, so that the list does not jump.
func (r *inboxRoom) show(c echo.Context, status int, selected *views.ItemView) error {
	at, err := page(c)
	if err != nil {
		return err
	}
	ctx, w := c.Request().Context(), who(c)
	p := views.InboxPage{Stream: clean(c.QueryParam("stream")), Selected: selected, Done: c.QueryParam("state") == "done"}
	if selected != nil && status == http.StatusOK {
		p.Done = selected.Item.State != ops.ItemPending
	}
	since, err := r.Board.Last(ctx, "")
	if err != nil {
		return err
	}
	items, err := r.waiting.Items(ctx, ops.ItemQuery{Stream: p.Stream, Done: p.Done, Page: at})
	if err != nil {
		return err
	}
	if p.Items, err = r.draw.items(ctx, w, items); err != nil {
		return err
	}
	if len(items) == at.Limit {
		p.Next = items[len(items)-1].ID
	}
	if p.Selected == nil && len(p.Items) > 0 && !p.Done {
		p.Selected = &p.Items[0]
	}
	streams, err := r.Staff.Streams(ctx, ops.Page{Limit: defaultLimit})
	if err != nil {
		return err
	}
	for _, v := range streams {
		p.Streams = append(p.Streams, v.Stream)
	}
	if p.Page, err = r.frame(c, views.RoomInbox, views.SocketURL("", since)); err != nil {
		return err
	}
	return r.render(c, status, views.Inbox(p))
}

// verdictOf reads an answer's word; anything but the two is wrong, and nothing is decided.
func verdictOf(word string) (allow bool, err error) {
	switch word {
	case allowOnce:
		return true, nil
	case deny:
		return false, nil
	}
	return false, ops.InvalidError{{Field: "decision", Say: "web.field.decision"}}
}

func (r *inboxRoom) decide(c echo.Context) error {
	f, err := form(c)
	if err != nil {
		return err
	}
	id, w := param(c, "id"), who(c)
	allow, err := verdictOf(f.Get("decision"))
	var it ops.Item
	if err == nil {
		it, err = r.decider.Decide(c.Request().Context(), w, id, ops.Answer{Allow: allow, Note: f.Get("note")})
	}
	flash := "denied"
	if allow {
		flash = "allowed"
	}
	return r.answered(c, f, it, f.Get("note"), flash, err)
}

func (r *inboxRoom) reply(c echo.Context) error {
	f, err := form(c)
	if err != nil {
		return err
	}
	id, w := param(c, "id"), who(c)
	text := f.Get("text")
	if strings.TrimSpace(text) == "" {
		text = f.Get("choice")
	}
	it, err := r.decider.Reply(c.Request().Context(), w, id, text)
	return r.answered(c, f, it, text, "answered", err)
}

// answered shows what became of an answer. What a person can mend, or must know because somebody else was first, comes back at the item.
func (r *inboxRoom) answered(c echo.Context, f url.Values, it ops.Item, typed, flash string, err error) error {
	ctx, status := c.Request().Context(), http.StatusOK
	var invalid ops.InvalidError
	var decided *ops.Decided
	switch {
	case errors.As(err, &invalid), errors.As(err, &decided):
		status = judge(err).status
		if it, err = r.waiting.Item(ctx, param(c, "id")); err != nil {
			return err
		}
	case err != nil:
		return err
	case !isFragment(c):
		return r.back(c, f, views.InboxPath, flash)
	}
	v, err := r.draw.item(ctx, who(c), it)
	if err != nil {
		return err
	}
	v.Errors, v.Conflict, v.OnBoard = invalid, decided, f.Get("board") == "true"
	if invalid != nil {
		v.Typed = typed
	}
	if isFragment(c) {
		return r.render(c, status, views.ItemDetail(v))
	}
	return r.show(c, status, &v)
}

// decideMany takes one decision for the items that were ticked.
func (r *inboxRoom) decideMany(c echo.Context) error {
	f, err := form(c)
	if err != nil {
		return err
	}
	allow, err := verdictOf(f.Get("decision"))
	if err != nil {
		return err
	}
	ids := append(f["id"], f["ids"]...)
	if len(ids) == 0 || len(ids) > maxLimit {
		return ops.InvalidError{{Field: "id", Say: "web.field.many", Args: map[string]any{"Max": maxLimit}}}
	}
	answers := make([]ops.BulkAnswer, len(ids))
	for i, id := range ids {
		answers[i] = ops.BulkAnswer{ID: id, Allow: allow, Note: f.Get("note")}
	}
	got, err := r.decider.DecideAll(c.Request().Context(), who(c), answers)
	if err != nil {
		return err
	}
	for _, g := range got {
		if g.Err != nil { // the first that did not go through is told; the list shows the rest
			return g.Err
		}
	}
	return r.back(c, f, views.InboxPath, "bulk")
}

func (r *inboxRoom) listAPI(c echo.Context) error {
	at, err := page(c)
	if err != nil {
		return err
	}
	q := ops.ItemQuery{Stream: clean(c.QueryParam("stream")), Page: at}
	switch c.QueryParam("state") {
	case "", "pending":
	case "done":
		q.Done = true
	default:
		return ops.InvalidError{{Field: "state", Say: "web.field.inbox-state"}}
	}
	got, err := r.waiting.Items(c.Request().Context(), q)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, listOf(got, at.Limit, itemShape, func(it ops.Item) any { return it.ID }))
}

func (r *inboxRoom) oneAPI(c echo.Context) error {
	it, err := r.waiting.Item(c.Request().Context(), param(c, "id"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, itemShape(it))
}

// decision is an answer as a script gives it. Arguments cannot be changed here yet, and to ignore them would run what nobody approved.
type decision struct {
	ID        string          `json:"id"`
	Decision  string          `json:"decision"`
	Arguments json.RawMessage `json:"arguments"`
	Note      string          `json:"note"`
}

func (d decision) check() (allow bool, err error) {
	if len(d.Arguments) > 0 && string(d.Arguments) != "null" {
		return false, ops.InvalidError{{Field: "arguments", Say: "web.field.arguments"}}
	}
	return verdictOf(d.Decision)
}

func (r *inboxRoom) decideAPI(c echo.Context) error {
	var d decision
	if err := readJSON(c, &d); err != nil {
		return err
	}
	id, w := param(c, "id"), who(c)
	if d.ID != "" && d.ID != id {
		return ops.InvalidError{{Field: "id", Say: "web.field.other-id"}}
	}
	allow, err := d.check()
	if err != nil {
		return err
	}
	if err := r.keys.claim(w.ID, c.Request().Header.Get("Idempotency-Key"), id+"\x00"+d.Decision); err != nil {
		return err
	}
	it, err := r.decider.Decide(c.Request().Context(), w, id, ops.Answer{Allow: allow, Note: clean(d.Note)})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, itemShape(it))
}

// manyResult is what became of one answer of several.
type manyResult struct {
	ID     string    `json:"id"`
	Status int       `json:"status"`
	Item   *itemJSON `json:"item,omitempty"`
	Error  *problem  `json:"error,omitempty"`
}

// decideManyAPI answers several at once. Nothing runs when one of the answers cannot be read.
func (r *inboxRoom) decideManyAPI(c echo.Context) error {
	var in struct {
		Decisions []decision `json:"decisions"`
	}
	if err := readJSON(c, &in); err != nil {
		return err
	}
	if len(in.Decisions) == 0 || len(in.Decisions) > maxLimit {
		return ops.InvalidError{{Field: "decisions", Say: "web.field.many", Args: map[string]any{"Max": maxLimit}}}
	}
	var wrong ops.InvalidError
	answers := make([]ops.BulkAnswer, len(in.Decisions))
	for i, d := range in.Decisions {
		allow, err := d.check()
		var invalid ops.InvalidError
		if errors.As(err, &invalid) {
			for _, f := range invalid {
				f.Field = "decisions." + strconv.Itoa(i) + "." + f.Field
				wrong = append(wrong, f)
			}
		}
		answers[i] = ops.BulkAnswer{ID: clean(d.ID), Allow: allow, Note: clean(d.Note)}
	}
	if wrong != nil {
		return wrong
	}
	got, err := r.decider.DecideAll(c.Request().Context(), who(c), answers)
	if err != nil {
		return err
	}
	p, out := r.printer(c), list[manyResult]{Items: make([]manyResult, len(got))}
	for i, g := range got {
		out.Items[i] = r.became(c, p.Lang(), g)
	}
	return c.JSON(http.StatusOK, out)
}

func (r *inboxRoom) became(c echo.Context, lang string, g ops.BulkResult) manyResult {
	out := manyResult{ID: g.ID, Status: http.StatusOK}
	if g.Err == nil {
		shape := itemShape(g.Item)
		out.Item = &shape
		return out
	}
	v := judge(g.Err)
	if v.ours {
		r.log.ErrorContext(c.Request().Context(), "decision failed", "request", requestID(c), "item", g.ID, "error", g.Err)
	}
	told := v.problem(r.Catalogue.Printer(lang))
	out.Status, out.Error = v.status, &told
	return out
}

func (r *inboxRoom) replyAPI(c echo.Context) error {
	var in struct {
		Text string `json:"text"`
	}
	if err := readJSON(c, &in); err != nil {
		return err
	}
	id, w, text := param(c, "id"), who(c), clean(in.Text)
	if err := r.keys.claim(w.ID, c.Request().Header.Get("Idempotency-Key"), id+"\x00"+text); err != nil {
		return err
	}
	it, err := r.decider.Reply(c.Request().Context(), w, id, text)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, itemShape(it))
}
