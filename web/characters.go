package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"urakata/internal/agent"
	"urakata/internal/ops"
	"urakata/views"
)

// staffBook keeps characters. Save refuses a version that is not the one that stands with *ops.Stale.
type staffBook interface {
	List(ctx context.Context) ([]ops.Character, error)
	Get(ctx context.Context, id string) (ops.Character, error)
	Versions(ctx context.Context, id string) ([]ops.Character, error)
	Save(ctx context.Context, who ops.Who, c ops.Character) (ops.Character, error)
}

// minds lists what a character can think with.
type minds interface{ Choices() []ops.MindChoice }

// Characters is everything this package asks of ops.Characters.
type Characters interface {
	staffBook
	minds
}

// stopper is the panic button for one character.
type stopper interface {
	PauseCharacter(ctx context.Context, who ops.Who, id string, paused bool) (ops.Character, error)
}

// characterRoom is the staff and its forms.
type characterRoom struct {
	*Server
	book    staffBook
	minds   minds
	stopper stopper
}

// character is one by id. A stream may name one that is not there any more; it is shown by its id.
func (s *Server) character(ctx context.Context, id string) (ops.Character, error) {
	if id == "" {
		return ops.Character{}, nil
	}
	c, err := s.Characters.Get(ctx, id)
	if errors.Is(err, ops.ErrNotFound) {
		return ops.Character{ID: id, Name: id}, nil
	}
	return c, err
}

func (r *characterRoom) list(c echo.Context) error {
	ctx := c.Request().Context()
	since, err := r.Board.Last(ctx, "")
	if err != nil {
		return err
	}
	all, err := r.book.List(ctx)
	if err != nil {
		return err
	}
	streams, err := r.Staff.Streams(ctx, ops.Page{Limit: defaultLimit})
	if err != nil {
		return err
	}
	p := views.CharactersPage{}
	if p.Page, err = r.frame(c, views.RoomCharacters, views.SocketURL("", since)); err != nil {
		return err
	}
	for _, ch := range all {
		p.Rows = append(p.Rows, r.row(ch, streams))
	}
	return r.render(c, http.StatusOK, views.Characters(p))
}

func (r *characterRoom) row(ch ops.Character, streams []ops.StreamView) views.CharacterRow {
	row := views.CharacterRow{Character: ch, Backend: ch.Backend, Doing: agent.Idle}
	for _, m := range r.minds.Choices() {
		if m.ID == ch.Backend {
			row.Backend, row.Ready = m.Name, m.Ready
		}
	}
	for _, v := range streams {
		if v.Stream.Character == ch.ID && going(v.Stream.State) {
			row.Streams = append(row.Streams, v.Stream)
			if v.Session.Activity != "" && row.Doing == agent.Idle {
				row.Doing = v.Session.Activity
			}
		}
	}
	return row
}

func (r *characterRoom) one(c echo.Context) error {
	ch, err := r.book.Get(c.Request().Context(), param(c, "id"))
	if err != nil {
		return err
	}
	return r.show(c, http.StatusOK, views.CharacterPage{Character: ch})
}

// fresh is the form of somebody new: no tools, and nothing written yet.
func (r *characterRoom) fresh(c echo.Context) error {
	return r.show(c, http.StatusOK, views.CharacterPage{Character: ops.Character{
		Job: ops.JobOperations, Language: r.printer(c).Lang(), Backend: "rules", Art: "nagi",
	}})
}

func (r *characterRoom) show(c echo.Context, status int, p views.CharacterPage) (err error) {
	for _, t := range ops.Tools() {
		p.Tools = append(p.Tools, views.ToolView{ID: t.ID, Risk: t.Risk.String(), Default: t.Deadline})
	}
	for _, m := range r.minds.Choices() {
		p.Minds = append(p.Minds, views.MindView{ID: m.ID, Name: m.Name, Ready: m.Ready, Why: m.Why})
	}
	if p.Character.ID != "" {
		if p.Versions, err = r.book.Versions(c.Request().Context(), p.Character.ID); err != nil {
			return err
		}
	}
	if p.Page, err = r.frame(c, views.RoomCharacters, ""); err != nil {
		return err
	}
	p.Page.Title = p.Character.Name
	return r.render(c, status, views.Character(p))
}

// save stores a form. What is wrong, or was changed by somebody else meanwhile, comes back with what was typed.
func (r *characterRoom) save(c echo.Context) error {
	f, err := form(c)
	if err != nil {
		return err
	}
	ch, p := typed(f), views.CharacterPage{}
	if ch.ID = param(c, "id"); ch.ID != "" {
		had, err := r.book.Get(c.Request().Context(), ch.ID)
		if err != nil {
			return err
		}
		ch.Paused = had.Paused // the button for that is elsewhere
	}
	ch.Tools, p.Deadlines, p.Errors = rules(f)
	if ch.Version, err = strconv.Atoi(either(f.Get("version"), "0")); err != nil {
		p.Errors = append(p.Errors, ops.Invalid{Field: "version", Say: "web.field.version"})
	}
	p.Character = ch
	if p.Errors != nil {
		return r.show(c, http.StatusUnprocessableEntity, p)
	}
	saved, err := r.book.Save(c.Request().Context(), who(c), ch)
	var stale *ops.Stale
	switch {
	case errors.As(err, &p.Errors):
		return r.show(c, http.StatusUnprocessableEntity, p)
	case errors.As(err, &stale):
		p.Stale = &stale.Current
		return r.show(c, http.StatusConflict, p)
	case err != nil:
		return err
	}
	return r.back(c, f, views.CharacterPath(saved.ID), "saved")
}

// typed is the character of a form, without its tools.
func typed(f url.Values) ops.Character {
	return ops.Character{
		Name: strings.TrimSpace(f.Get("name")), Job: f.Get("job"), Brief: f.Get("brief"), Language: f.Get("language"),
		Backend: f.Get("backend"), Model: strings.TrimSpace(f.Get("model")), Art: f.Get("art"),
	}
}

// rules reads what a form says of each tool we know; a tool that the form does not name stays denied.
func rules(f url.Values) (map[string]ops.ToolRule, map[string]string, ops.InvalidError) {
	out, as := map[string]ops.ToolRule{}, map[string]string{}
	var wrong ops.InvalidError
	for _, t := range ops.Tools() {
		rule := ops.ToolRule{Permission: ops.Permission(f.Get("tool." + t.ID))}
		if given := strings.TrimSpace(f.Get("deadline." + t.ID)); given != "" {
			n, err := strconv.Atoi(given)
			if err != nil {
				as[t.ID] = given
				wrong = append(wrong, ops.Invalid{Field: "deadline." + t.ID, Say: "web.field.seconds"})
			}
			rule.Deadline = n
		}
		if rule != (ops.ToolRule{}) {
			out[t.ID] = rule
		}
	}
	return out, as, wrong
}

// pause stops characters, or lets them go on: one of a page, or all that are at work.
func (r *characterRoom) pause(c echo.Context) error {
	f, err := form(c)
	if err != nil {
		return err
	}
	ids := f["character"]
	if id := param(c, "id"); id != "" {
		ids = []string{id}
	}
	paused, err := strconv.ParseBool(f.Get("paused"))
	if err != nil || len(ids) == 0 {
		return ops.InvalidError{{Field: "paused", Say: "web.field.paused"}}
	}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		if _, err := r.stopper.PauseCharacter(c.Request().Context(), who(c), id, paused); err != nil {
			return err
		}
	}
	flash := "resumed"
	if paused {
		flash = "stopped"
	}
	return r.back(c, f, views.CharactersPath, flash)
}

// characterJSON is a character as scripts read and write it.
type characterJSON struct {
	ID        string                  `json:"id"`
	Name      string                  `json:"name"`
	Job       string                  `json:"job"`
	Brief     string                  `json:"brief"`
	Language  string                  `json:"language"`
	Backend   string                  `json:"backend"`
	Model     string                  `json:"model"`
	Art       string                  `json:"art"`
	Tools     map[string]ops.ToolRule `json:"tools"`
	Paused    bool                    `json:"paused"`
	Version   int                     `json:"version"`
	UpdatedAt any                     `json:"updatedAt"`
	UpdatedBy string                  `json:"updatedBy"`
}

func characterShape(c ops.Character) characterJSON {
	tools := c.Tools
	if tools == nil {
		tools = map[string]ops.ToolRule{}
	}
	return characterJSON{
		ID: c.ID, Name: c.Name, Job: c.Job, Brief: c.Brief, Language: c.Language, Backend: c.Backend, Model: c.Model, Art: c.Art,
		Tools: tools, Paused: c.Paused, Version: c.Version, UpdatedAt: moment(c.UpdatedAt), UpdatedBy: c.UpdatedBy,
	}
}

func (r *characterRoom) listAPI(c echo.Context) error {
	all, err := r.book.List(c.Request().Context())
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, listOf(all, maxLimit+len(all), characterShape, func(ch ops.Character) any { return ch.ID }))
}

func (r *characterRoom) oneAPI(c echo.Context) error {
	ch, err := r.book.Get(c.Request().Context(), param(c, "id"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, characterShape(ch))
}

// saveAPI replaces a character that is there; the version it carries is the one that was read.
func (r *characterRoom) saveAPI(c echo.Context) error {
	var in characterJSON
	if err := readJSON(c, &in); err != nil {
		return err
	}
	id := param(c, "id")
	had, err := r.book.Get(c.Request().Context(), id)
	if err != nil {
		return err
	}
	if in.ID != "" && in.ID != id {
		return ops.InvalidError{{Field: "id", Say: "web.field.other-id"}}
	}
	if in.Version < 1 {
		return ops.InvalidError{{Field: "version", Say: "web.field.version"}}
	}
	saved, err := r.book.Save(c.Request().Context(), who(c), ops.Character{
		ID: id, Name: clean(in.Name), Job: in.Job, Brief: clean(in.Brief), Language: in.Language, Backend: in.Backend,
		Model: clean(in.Model), Art: clean(in.Art), Tools: in.Tools, Paused: had.Paused, Version: in.Version,
	})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, characterShape(saved))
}
