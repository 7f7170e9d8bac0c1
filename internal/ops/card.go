package ops

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"urakata/internal/agent"
	"urakata/internal/ops/comment"
)

// CardKind is what a card tells.
type CardKind string

// The six kinds.
const (
	Information          CardKind = "information"
	Highlight            CardKind = "highlight"
	QuestionSurge        CardKind = "question-surge"
	ConstructiveFeedback CardKind = "constructive-feedback"
	SafetyConcern        CardKind = "safety-concern"
	TopicShift           CardKind = "topic-shift"
)

// Severity says how soon a person should look.
type Severity string

// Severities.
const (
	Low    Severity = "low"
	Medium Severity = "medium"
	High   Severity = "high"
)

// CardState is what a person did with a card.
type CardState string

// States of a card.
const (
	CardOpen      CardState = "open"
	CardHandled   CardState = "handled"
	CardDismissed CardState = "dismissed"
)

// Card is one thing the staff wants a person to know: observed facts with evidence, and apart from them what the character suggests.
type Card struct {
	ID        string
	Stream    string
	Incident  string // one card per incident and stream: "question-surge/q1", "safety-concern/v7"; the host names it from the evidence
	Kind      CardKind
	Severity  Severity
	Observed  string
	Suggested string
	Evidence  []string      // the comments' platform ids, oldest first
	Offset    time.Duration // of the newest evidence
	Character string
	Session   string
	Turn      string
	State     CardState
	Note      string
	By        string
	Updates   int // how often the same incident came again
	At        time.Time
	UpdatedAt time.Time
}

// cardStore keeps cards. SaveCard inserts a card or updates the one of the same stream and incident (evidence joined, severity never lowered,
// Updates counted, a dismissed card stays dismissed), with its change, the moved cursor of the session and nothing else, in one transaction; a
// cursor that is not after the stored one saves nothing and returns the card that stands.
type cardStore interface {
	SaveCard(ctx context.Context, c Card, at Cursor) (Card, error)
	Card(ctx context.Context, id string) (Card, error)
	Cards(ctx context.Context, stream string, p Page) ([]Card, error) // newest change first
	MoveCard(ctx context.Context, id string, to CardState, by, note string, at time.Time) (Card, error)
}

// Cursor says how far the desk has followed a session's log: event Seq, and the Part of that event (an artifact may hold several cards).
type Cursor struct {
	Session string
	Seq     int64
	Part    int
}

// Bounds of an answer.
const (
	maxCards      = 6
	maxCardText   = 600 // runes
	maxCardProofs = 40
)

// CardDraft is a card as a character writes it. Evidence holds refs.
type CardDraft struct {
	Kind      CardKind `json:"kind"`
	Severity  Severity `json:"severity"`
	Observed  string   `json:"observed"`
	Suggested string   `json:"suggested"`
	Evidence  []string `json:"evidence"`
}

var (
	cardKinds  = []CardKind{Information, Highlight, QuestionSurge, ConstructiveFeedback, SafetyConcern, TopicShift}
	severities = []Severity{Low, Medium, High}
)

// CardSchema is the JSON Schema of an answer, for agent.Request.Output.
func CardSchema() json.RawMessage {
	return json.RawMessage(`{"type":"object","additionalProperties":false,"required":["cards"],"properties":{"cards":{"type":"array","description":"at most 6","items":{
"type":"object","additionalProperties":false,"required":["kind","severity","observed","suggested","evidence"],"properties":{
"kind":{"type":"string","enum":["information","highlight","question-surge","constructive-feedback","safety-concern","topic-shift"]},
"severity":{"type":"string","enum":["low","medium","high"]},
"observed":{"type":"string","description":"1 to 600 characters"},
"suggested":{"type":"string","description":"at most 600 characters"},
"evidence":{"type":"array","items":{"type":"string"},"description":"ids of comments, as c12"}}}}}}`)
}

// ParseCards reads an answer. View holds the refs that were in view; issues are worded for the model, and there are cards only without any.
func ParseCards(text string, view map[string]bool) (cards []CardDraft, issues []string) {
	text = unfence(text)
	if text == "" {
		return nil, nil // a turn that only used tools has nothing to add
	}
	var answer struct {
		Cards *[]CardDraft `json:"cards"`
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&answer); err != nil {
		return nil, []string{"The answer is not the JSON that was asked for: " + wording(err) + `. Answer with {"cards":[…]} and nothing else.`}
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, []string{`There is something after the JSON. Answer with one object {"cards":[…]} and nothing else.`}
	}
	if answer.Cards == nil {
		return nil, []string{`"cards" is missing. When there is nothing to tell, answer {"cards":[]}.`}
	}
	if n := len(*answer.Cards); n > maxCards {
		issues = append(issues, fmt.Sprintf("There are %d cards, at most %d are allowed. Keep what matters most.", n, maxCards))
	}
	for i, c := range *answer.Cards {
		issues = append(issues, c.check(i, view)...)
	}
	if len(issues) > 0 {
		return nil, issues
	}
	return *answer.Cards, nil
}

func (c *CardDraft) check(i int, view map[string]bool) []string {
	var issues []string
	say := func(format string, args ...any) {
		issues = append(issues, fmt.Sprintf("cards[%d]: ", i)+fmt.Sprintf(format, args...))
	}
	if !slices.Contains(cardKinds, c.Kind) {
		say("kind must be one of %v.", cardKinds)
	}
	if !slices.Contains(severities, c.Severity) {
		say("severity must be one of %v.", severities)
	}
	c.Observed, c.Suggested = strings.TrimSpace(c.Observed), strings.TrimSpace(c.Suggested)
	if n := utf8.RuneCountInString(c.Observed); n == 0 || n > maxCardText {
		say("observed needs 1 to %d characters, it has %d.", maxCardText, n)
	}
	if n := utf8.RuneCountInString(c.Suggested); n > maxCardText {
		say("suggested may have %d characters, it has %d.", maxCardText, n)
	}
	if n := len(c.Evidence); n == 0 || n > maxCardProofs {
		say("evidence needs 1 to %d comments, it has %d.", maxCardProofs, n)
	}
	slices.Sort(c.Evidence)
	c.Evidence = slices.Compact(c.Evidence)
	for _, ref := range c.Evidence {
		if !view[ref] {
			say("evidence %.20q is not among the comments you were shown. Use their ids as they stand, for example c12.", ref)
		}
	}
	return issues
}

// unfence takes a code fence away, which models like to put around JSON.
func unfence(text string) string {
	text = strings.TrimSpace(text)
	inner, ok := strings.CutPrefix(text, "```")
	if !ok {
		return text
	}
	inner, ok = strings.CutSuffix(strings.TrimRight(inner, " \n"), "```")
	if !ok {
		return text
	}
	if first, rest, ok := strings.Cut(inner, "\n"); ok && !strings.ContainsAny(first, "{[") {
		inner = rest
	}
	return strings.TrimSpace(inner)
}

// wording says what is wrong with JSON without repeating what was in it.
func wording(err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Sprintf("it breaks off or goes wrong at byte %d", syntax.Offset)
	case errors.As(err, &kind):
		return fmt.Sprintf("%s is a %s where a %s belongs", kind.Field, kind.Value, kind.Type)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return "it breaks off"
	case strings.HasPrefix(err.Error(), "json: unknown field"):
		return "it has a field that is not in the schema"
	}
	return "it cannot be read"
}

// artifacts makes one artifact of each card, so that each has its own place in the log.
func artifacts(cards []CardDraft) ([]agent.Artifact, error) {
	var out []agent.Artifact
	for _, c := range cards {
		data, err := json.Marshal(c)
		if err != nil {
			return nil, fmt.Errorf("card: %w", err)
		}
		out = append(out, agent.Artifact{Type: ArtifactCard, Version: 1, Title: string(c.Kind), Data: data})
	}
	return out, nil
}

// incident names what a card is about, from its kind and its evidence, so that the same matter meets the same card whoever words it. What
// most of the evidence shares gives the name: a group of questions, a wave, a viewer, a subject, at last the time.
func incident(kind CardKind, evidence []Stored, viewer func(Stored) string) string {
	group, wave, subject, person, category := dominant(evidence, viewer)
	var name string
	switch kind {
	case SafetyConcern:
		name = first(person, wave, string(category))
	case TopicShift:
		name = string(subject)
	case Highlight:
		name = first(raidOf(evidence), wave)
	default:
		name = first(group, wave, string(subject))
	}
	if name == "" {
		name = fmt.Sprintf("m%d", minuteOf(evidence)/3)
	}
	return string(kind) + "/" + name
}

// dominant gives for each property the value that at least half of the evidence has, or none.
func dominant(evidence []Stored, viewer func(Stored) string) (group, wave string, subject comment.Subject, person string, category comment.Category) {
	groups, waves, people := tally[string]{}, tally[string]{}, tally[string]{}
	subs, cats := tally[comment.Subject]{}, tally[comment.Category]{}
	for _, s := range evidence {
		groups.add(groupOf(s.Analysis.Group, "qt"))
		waves.add(groupOf(s.Analysis.Wave, "w"))
		subs.add(subjectOf(s.Analysis.Subject))
		people.add(viewer(s))
		for _, c := range categoriesOf(s.Analysis.Categories) {
			cats.add(c)
		}
	}
	n := len(evidence)
	return half(groups, n), half(waves, n), half(subs, n), half(people, n), half(cats, n)
}

// half gives the most frequent name, when at least half of n things have it.
func half[K interface{ ~string }](t tally[K], n int) K {
	var none K
	if most := t.most(); len(most) > 0 && t[most[0]]*2 >= n {
		return most[0]
	}
	return none
}

func first(names ...string) string {
	for _, n := range names {
		if n != "" {
			return n
		}
	}
	return ""
}

// raidOf names a raid among the evidence by its place.
func raidOf(evidence []Stored) string {
	for _, s := range evidence {
		if s.Comment.Kind == comment.KindRaid {
			return "raid-" + s.Ref()
		}
	}
	return ""
}

func minuteOf(evidence []Stored) int {
	var last time.Duration
	for _, s := range evidence {
		last = max(last, s.Comment.Offset)
	}
	return int(last / time.Minute)
}
