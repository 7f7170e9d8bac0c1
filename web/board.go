package web

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"urakata/internal/ops"
	"urakata/views"
)

// boardReader says how a stream's desk stands.
type boardReader interface {
	State(ctx context.Context, stream string) (ops.BoardState, error)
	Pulse(ctx context.Context, stream string) (ops.Pulse, error)
	Activity(ctx context.Context, stream string, limit int) ([]ops.ActivityLine, error)
}

// cardBox holds a stream's cards.
type cardBox interface {
	Card(ctx context.Context, id string) (ops.Card, error)
	Cards(ctx context.Context, stream string, p ops.Page) ([]ops.Card, error)
	MoveCard(ctx context.Context, who ops.Who, id string, to ops.CardState, note string) (ops.Card, error)
}

// Board is everything this package asks of ops.Board.
type Board interface {
	boardReader
	cardBox
	chat
	changes
	logs
}

// boardRoom is a stream's live board and its cards.
type boardRoom struct {
	*Server
	board  Board
	draw   *drawer
	socket echo.HandlerFunc
}

// home is the board of what is on the air, else of the newest stream that is at work, else the list of streams. A socket may come in by the
// same path.
func (b *boardRoom) home(c echo.Context) error {
	if wantsSocket(c.Request()) {
		return b.socket(c)
	}
	got, err := b.Staff.Streams(c.Request().Context(), ops.Page{Limit: defaultLimit})
	if err != nil {
		return err
	}
	for _, want := range []func(ops.StreamState) bool{
		func(s ops.StreamState) bool { return s == ops.StreamLive }, going,
	} {
		for _, v := range got {
			if want(v.Stream.State) {
				return b.show(c, v.Stream.ID)
			}
		}
	}
	if c.Path() == views.HomePath {
		return c.Redirect(http.StatusSeeOther, b.base+views.StreamsPath)
	}
	p := views.LivePage{}
	if p.Page, err = b.frame(c, views.RoomLive, ""); err != nil {
		return err
	}
	return b.render(c, http.StatusOK, views.Live(p))
}

func (b *boardRoom) one(c echo.Context) error { return b.show(c, param(c, "id")) }

func (b *boardRoom) show(c echo.Context, id string) error {
	state, err := b.board.State(c.Request().Context(), id)
	if err != nil {
		return err
	}
	p := views.LivePage{}
	if p.Page, err = b.frame(c, views.RoomLive, views.SocketURL(id, state.Seq)); err != nil {
		return err
	}
	p.Page.Title = state.Stream.Stream.Title
	if p.Board, err = b.draw.board(c.Request().Context(), who(c), state); err != nil {
		return err
	}
	return b.render(c, http.StatusOK, views.Live(p))
}

// pulse is the chat in numbers, as a table.
func (b *boardRoom) pulse(c echo.Context) error {
	ctx, id := c.Request().Context(), param(c, "id")
	v, err := b.Staff.Stream(ctx, id)
	if err != nil {
		return err
	}
	got, err := b.board.Pulse(ctx, id)
	if err != nil {
		return err
	}
	p := views.PulsePage{Stream: v.Stream, Pulse: pulseView(v.Stream, got)}
	if p.Page, err = b.frame(c, views.RoomLive, ""); err != nil {
		return err
	}
	return b.render(c, http.StatusOK, views.PulseTable(p))
}

func (b *boardRoom) pulseAPI(c echo.Context) error {
	if _, err := b.Staff.Stream(c.Request().Context(), param(c, "id")); err != nil {
		return err
	}
	got, err := b.board.Pulse(c.Request().Context(), param(c, "id"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, got)
}

func (b *boardRoom) cardsAPI(c echo.Context) error {
	at, err := page(c)
	if err != nil {
		return err
	}
	ctx, id := c.Request().Context(), param(c, "id")
	if _, err := b.Staff.Stream(ctx, id); err != nil {
		return err
	}
	got, err := b.board.Cards(ctx, id, at)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, listOf(got, at.Limit, cardShape, func(c ops.Card) any { return c.ID }))
}

// cardMoves are the last words of a card's paths, and what each leaves as a message.
var cardMoves = map[string]struct {
	to    ops.CardState
	flash string
}{
	views.CardMoveHandled: {ops.CardHandled, "handled"},
	views.CardMoveDismiss: {ops.CardDismissed, "dismissed"},
	views.CardMoveReopen:  {ops.CardOpen, "reopened"},
}

func (b *boardRoom) moveCard(c echo.Context) error {
	f, err := form(c)
	if err != nil {
		return err
	}
	move, ok := cardMoves[param(c, "move")]
	if !ok {
		return echo.ErrNotFound
	}
	got, err := b.board.MoveCard(c.Request().Context(), who(c), param(c, "id"), move.to, f.Get("note"))
	if err != nil {
		return err
	}
	if isFragment(c) {
		return b.render(c, http.StatusOK, views.Card(got, who(c)))
	}
	return b.back(c, f, views.BoardPath(got.Stream), move.flash)
}

func (b *boardRoom) moveCardAPI(c echo.Context) error {
	move, ok := cardMoves[param(c, "move")]
	if !ok {
		return echo.ErrNotFound
	}
	var in struct {
		Note string `json:"note"`
	}
	if err := readMaybe(c, &in); err != nil {
		return err
	}
	got, err := b.board.MoveCard(c.Request().Context(), who(c), param(c, "id"), move.to, clean(in.Note))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, cardShape(got))
}
