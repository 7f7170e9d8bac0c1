package views

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"urakata/internal/ops/comment"
)

// Paths of the site, without the base path. Routes are registered by the same names; Href adds the base.

// Paths without parts.
const (
	HomePath        = "/"
	LivePath        = "/live" // the board of the newest stream that is at work
	InboxPath       = "/inbox"
	StreamsPath     = "/streams"
	NewStreamPath   = "/streams/new"
	ReportsPath     = "/reports"
	CharactersPath  = "/characters"
	NewCharPath     = "/characters/new"
	AuditPath       = "/audit"
	OperatorsPath   = "/settings/operators"
	PasswordPath    = "/settings/password"
	LanguagePath    = "/settings/language" // POST lang, back
	ThemePath       = "/settings/theme"    // POST theme, back
	LoginPath       = "/login"
	LoginLinkPath   = "/login/link" // GET shows a button, POST takes the token
	LogoutPath      = "/logout"
	SocketPath      = "/socket" // ?stream=&since=
	GalleryPath     = "/gallery"
	PausePath       = "/staff/pause" // POST paused ("true" or "false"), character (repeated), back
	CardMoveHandled = "handled"
	CardMoveDismiss = "dismissed"
	CardMoveReopen  = "open"
)

func part(s string) string { return url.PathEscape(s) }

// StreamPath is a stream's own page: source, health, what can be done.
func StreamPath(id string) string { return "/streams/" + part(id) }

// BoardPath is a stream's live board.
func BoardPath(id string) string { return StreamPath(id) + "/live" }

// StreamMovePath takes POSTs; move is start, pause or end.
func StreamMovePath(id, move string) string { return StreamPath(id) + "/" + move }

// PulsePath is the data table of a stream's pulse.
func PulsePath(id string) string { return StreamPath(id) + "/pulse" }

// CardMovePath takes POSTs of note and back; move is handled, dismissed or open.
func CardMovePath(id, move string) string { return "/cards/" + part(id) + "/" + move }

// ItemPath is one item of the inbox.
func ItemPath(id string) string { return InboxPath + "/" + part(id) }

// DecisionPath takes POSTs of decision (allow-once or deny), note, key and back.
func DecisionPath(id string) string { return ItemPath(id) + "/decision" }

// AnswerPath takes POSTs of choice or text, key and back.
func AnswerPath(id string) string { return ItemPath(id) + "/answer" }

// ReportPath is a report; ext is "" for the page, or ".md", ".csv", ".json", ".html".
func ReportPath(id, ext string) string { return ReportsPath + "/" + part(id) + ext }

// CharacterPath is a character's form; POST saves it.
func CharacterPath(id string) string { return CharactersPath + "/" + part(id) }

// CharacterPausePath takes POSTs of paused ("true" or "false") and back.
func CharacterPausePath(id string) string { return CharacterPath(id) + "/pause" }

// OperatorResetPath takes a POST and answers with a one-time link.
func OperatorResetPath(name string) string { return OperatorsPath + "/" + part(name) + "/reset" }

// SessionPath is the log of a session.
func SessionPath(id string) string { return "/sessions/" + part(id) }

// SocketURL is where a page listens, from the change it has already seen.
func SocketURL(stream string, since int64) string {
	q := url.Values{"since": {strconv.FormatInt(since, 10)}}
	if stream != "" {
		q.Set("stream", stream)
	}
	return SocketPath + "?" + q.Encode()
}

// CommentQuery asks for comments of a stream: the evidence behind a number. Zero fields do not limit.
type CommentQuery struct {
	From, To *time.Duration // offsets, inclusive; written as whole seconds
	Filter   string         // "", "questions", "safety", "paid"
	Group    string
	Author   string
	Subject  comment.Subject
	IDs      []string // platform ids; they are marked, the others around them are context
	After    int64    // paging: places after this one
}

// CommentsPath is the comments of a stream that a query asks for: from, to, filter, group, author, subject, id (repeated), after.
func CommentsPath(stream string, q CommentQuery) string {
	v := url.Values{}
	set := func(key, value string) {
		if value != "" {
			v.Set(key, value)
		}
	}
	if q.From != nil {
		set("from", strconv.FormatInt(int64(*q.From/time.Second), 10))
	}
	if q.To != nil {
		set("to", strconv.FormatInt(int64(*q.To/time.Second), 10))
	}
	set("filter", q.Filter)
	set("group", q.Group)
	set("author", q.Author)
	set("subject", string(q.Subject))
	for _, id := range q.IDs {
		v.Add("id", id)
	}
	if q.After > 0 {
		set("after", strconv.FormatInt(q.After, 10))
	}
	path := StreamPath(stream) + "/comments"
	if len(v) == 0 {
		return path
	}
	return path + "?" + v.Encode()
}

// Around asks for the two minutes before and after a place.
func Around(at time.Duration) CommentQuery { return Between(at-2*time.Minute, at+2*time.Minute) }

// Between asks for the comments of a stretch.
func Between(from, to time.Duration) CommentQuery { return CommentQuery{From: &from, To: &to} }

// Href is a path of ours as the browser must ask for it.
func Href(ctx context.Context, path string) string { return setting(ctx).Base + path }

func href(ctx context.Context, path string) templ.SafeURL { return templ.SafeURL(Href(ctx, path)) }
