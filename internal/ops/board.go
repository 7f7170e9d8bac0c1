package ops

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"urakata/internal/agent"
	"urakata/internal/ops/comment"
)

// How much a board shows at first.
const (
	boardChat     = 120
	boardActivity = 60
)

// BoardConfig makes a board. Store, Log and Staff are required.
type BoardConfig struct {
	Store Store
	Log   agent.Store
	Staff *Staff
	Now   func() time.Time
}

// Board is what screens read of a stream.
type Board struct {
	store Store
	log   agent.Store
	staff *Staff
	now   func() time.Time

	mu     sync.Mutex // guards pulses
	pulses map[string]Pulse
}

// BoardState is a stream's board at a moment. Seq was taken before anything was read: what changed since is in Since(Seq), maybe seen already.
type BoardState struct {
	Stream   StreamView
	Cards    []Card
	Chat     []Stored // newest first
	Pulse    Pulse
	Activity []ActivityLine
	Pending  []Item
	Seq      int64
}

// ActivityLine is one thing a session did. Detail is a word of a closed list or a code, never words of a character or a viewer.
type ActivityLine struct {
	At     time.Time
	Seq    agent.Seq
	Kind   agent.EventKind
	Turn   string
	Tool   string
	Stop   string
	Detail string
	MS     int64
	Tokens int
}

// NewBoard returns the board of a store.
func NewBoard(c BoardConfig) *Board {
	return &Board{store: c.Store, log: c.Log, staff: c.Staff, now: clock(c.Now), pulses: map[string]Pulse{}}
}

// State reads everything a board shows.
func (b *Board) State(ctx context.Context, stream string) (BoardState, error) {
	var s BoardState
	var err error
	if s.Seq, err = b.Last(ctx, stream); err != nil {
		return s, err
	}
	if s.Stream, err = b.staff.Stream(ctx, stream); err != nil {
		return s, err
	}
	if s.Cards, err = b.Cards(ctx, stream, Page{Limit: 200}); err != nil {
		return s, err
	}
	if s.Chat, err = b.Chat(ctx, stream, Range{Newest: true, Limit: boardChat}); err != nil {
		return s, err
	}
	if s.Pulse, err = b.Pulse(ctx, stream); err != nil {
		return s, err
	}
	if s.Activity, err = b.Activity(ctx, stream, boardActivity); err != nil {
		return s, err
	}
	s.Pending, err = b.store.Items(ctx, ItemQuery{Stream: stream, Page: Page{Limit: 200}})
	if err != nil {
		return s, fmt.Errorf("board of %s: %w", stream, err)
	}
	for i := range s.Pending {
		if s.Pending[i], err = dress(ctx, b.store, s.Pending[i]); err != nil {
			return s, err
		}
	}
	return s, nil
}

// Since lists the changes after a place, oldest first.
func (b *Board) Since(ctx context.Context, stream string, after int64, limit int) ([]Change, error) {
	changes, err := b.store.Changes(ctx, stream, after, limit)
	if err != nil {
		return nil, fmt.Errorf("changes of %q: %w", stream, err)
	}
	return changes, nil
}

// Last is the place of the newest change.
func (b *Board) Last(ctx context.Context, stream string) (int64, error) {
	last, err := b.store.LastChange(ctx, stream)
	if err != nil {
		return 0, fmt.Errorf("changes of %q: %w", stream, err)
	}
	return last, nil
}

// Listen rings after commits: "stream/ID" or "console". It says only "look again".
func (b *Board) Listen(ctx context.Context, topic string) <-chan struct{} {
	return b.store.Listen(ctx, topic)
}

// Card is one card.
func (b *Board) Card(ctx context.Context, id string) (Card, error) {
	c, err := b.store.Card(ctx, id)
	if err != nil {
		return Card{}, fmt.Errorf("card %s: %w", id, err)
	}
	return c, nil
}

// Cards lists cards, newest change first.
func (b *Board) Cards(ctx context.Context, stream string, p Page) ([]Card, error) {
	cards, err := b.store.Cards(ctx, stream, p)
	if err != nil {
		return nil, fmt.Errorf("cards of %s: %w", stream, err)
	}
	return cards, nil
}

// Chat lists comments.
func (b *Board) Chat(ctx context.Context, stream string, r Range) ([]Stored, error) {
	chat, err := b.store.Comments(ctx, stream, r)
	if err != nil {
		return nil, fmt.Errorf("chat of %s: %w", stream, err)
	}
	return chat, nil
}

// MoveCard marks a card, and says by whom and why.
func (b *Board) MoveCard(ctx context.Context, who Who, id string, to CardState, note string) (Card, error) {
	if !who.May(RoleModerator) {
		return Card{}, fmt.Errorf("move card %s: %w", id, ErrForbidden)
	}
	if to != CardOpen && to != CardHandled && to != CardDismissed {
		return Card{}, InvalidError{{Field: "state", Say: "invalid.choice"}}
	}
	if len([]rune(note)) > MaxAnswer {
		return Card{}, InvalidError{{Field: "note", Say: "invalid.long", Args: map[string]any{"Max": MaxAnswer}}}
	}
	was, err := b.Card(ctx, id)
	if err != nil {
		return Card{}, err
	}
	if was.State == to && (note == "" || note == was.Note) {
		return was, nil
	}
	c, err := b.store.MoveCard(ctx, id, to, who.Name, note, b.now())
	if err != nil {
		return Card{}, fmt.Errorf("move card %s: %w", id, err)
	}
	return c, record(ctx, b.store, AuditEntry{At: b.now(), By: who.Name, Action: AuditCard + string(to), Stream: c.Stream, Ref: id, Detail: note})
}

// Sessions lists the sessions that worked a stream, oldest first.
func (b *Board) Sessions(ctx context.Context, stream string) ([]SessionRow, error) {
	have, err := b.store.SessionsOf(ctx, stream)
	if err != nil {
		return nil, fmt.Errorf("sessions of %s: %w", stream, err)
	}
	return have, nil
}

// Events reads a session's log: what is stored after a place, and then, while somebody works in it, what comes. Without a live session it ends
// with the last stored event. Events are the copies for screens.
func (b *Board) Events(ctx context.Context, session string, from agent.Seq) iter.Seq2[agent.Event, error] {
	for _, d := range b.staff.all() {
		d.mu.Lock()
		live := d.session
		d.mu.Unlock()
		if live != nil && string(live.Snapshot().ID) == session {
			return live.Events(ctx, from)
		}
	}
	return func(yield func(agent.Event, error) bool) {
		for e, err := range b.log.Read(ctx, agent.SessionID(session), from) {
			if !yield(e.Shown(), err) {
				return
			}
		}
	}
}

// Activity lists what the staff did last, newest first.
func (b *Board) Activity(ctx context.Context, stream string, limit int) ([]ActivityLine, error) {
	have, err := b.Sessions(ctx, stream)
	if err != nil || len(have) == 0 {
		return nil, err
	}
	limit = min(max(limit, 1), 500)
	id := have[len(have)-1].ID
	at, err := b.store.Cursor(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("activity of %s: %w", stream, err)
	}
	from := max(0, agent.Seq(at.Seq)-agent.Seq(limit*3))
	var lines []ActivityLine
	for e, err := range b.log.Read(ctx, agent.SessionID(id), from) {
		if err != nil {
			return nil, fmt.Errorf("activity of %s: %w", stream, err)
		}
		if line, ok := activity(e); ok {
			lines = append(lines, line)
		}
	}
	lines = lines[max(0, len(lines)-limit):]
	for i, j := 0, len(lines)-1; i < j; i, j = i+1, j-1 {
		lines[i], lines[j] = lines[j], lines[i]
	}
	return lines, nil
}

// activity reads a line from an event; some events are nobody's activity.
func activity(e agent.Event) (ActivityLine, bool) {
	line := ActivityLine{At: e.At, Seq: e.Seq, Kind: e.Kind, Turn: e.Turn}
	var err error
	switch e.Kind {
	case agent.InputQueued, agent.SettingsChanged, agent.StateSet, agent.MessageCompleted, agent.LogCompacted, agent.LogCleared:
		return line, false
	case agent.StepCompleted:
		var body agent.StepBody
		err = json.Unmarshal(e.Body, &body)
		line.MS, line.Tokens = body.LatencyMS, body.Usage.Total
	case agent.ToolRequested:
		var body agent.CallBody
		err = json.Unmarshal(e.Body, &body)
		line.Tool = body.Tool
	case agent.ToolStarted, agent.ToolCompleted, agent.ToolFailed, agent.ToolSkipped, agent.ToolUnknown:
		var body agent.CallDoneBody
		err = json.Unmarshal(e.Body, &body)
		if line.Tool = body.Tool; body.Error != nil {
			line.Detail = body.Error.Code
		}
	case agent.ApprovalRequested, agent.ApprovalResolved, agent.ApprovalExpired:
		var body agent.ApprovalBody
		err = json.Unmarshal(e.Body, &body)
		line.Tool, line.Detail = body.Approval.Tool, string(body.Approval.State)
	case agent.ArtifactCreated:
		var body agent.ArtifactBody
		err = json.Unmarshal(e.Body, &body)
		line.Detail = body.Artifact.Type
	case agent.TurnCompleted, agent.TurnInterrupted, agent.TurnFailed:
		var body agent.EndBody
		err = json.Unmarshal(e.Body, &body)
		line.Stop, line.MS, line.Tokens = body.Stop, body.MS, body.Usage.Total
		if body.Error != nil {
			line.Detail = body.Error.Code
		}
	}
	return line, err == nil
}

// How far a pulse looks back.
const (
	pulseRows    = 2000
	pulseMinutes = 20
	pulseStreams = 64 // whose last pulse is kept
	maxMinutes   = 48 * 60
)

// Pulse is how a chat is doing right now, computed from the newest comments. Seconds are offsets.
type Pulse struct {
	Comments  int64          `json:"comments"` // of the whole stream
	Elapsed   int            `json:"elapsedSeconds"`
	PerMinute float64        `json:"perMinute"`
	Usual     float64        `json:"usualPerMinute"`
	Viewers   int            `json:"viewers"` // who wrote in the last ten minutes
	Mood      ReportMood     `json:"mood"`    // of the last ten minutes
	Withheld  int            `json:"withheld"`
	Escalated int            `json:"escalated"`
	Groups    []GroupFacts   `json:"groups"`
	Waves     []WaveFacts    `json:"waves"`
	Subjects  []SubjectFacts `json:"subjects"`
	Minutes   []ReportMinute `json:"minutes"` // the last twenty, oldest first
}

// Pulse computes a stream's pulse. One that was computed is kept until another comment comes.
func (b *Board) Pulse(ctx context.Context, stream string) (Pulse, error) {
	st, err := b.store.Stream(ctx, stream)
	if err != nil {
		return Pulse{}, fmt.Errorf("pulse of %s: %w", stream, err)
	}
	b.mu.Lock()
	kept, ok := b.pulses[stream]
	b.mu.Unlock()
	if ok && kept.Comments == st.Comments {
		return kept, nil
	}
	newest, err := b.store.Comments(ctx, stream, Range{Newest: true, Limit: pulseRows})
	if err != nil {
		return Pulse{}, fmt.Errorf("pulse of %s: %w", stream, err)
	}
	slices.Reverse(newest)
	p := pulse(newest)
	p.Comments = st.Comments
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.pulses) >= pulseStreams {
		clear(b.pulses)
	}
	b.pulses[stream] = p
	return p, nil
}

func pulse(recent []Stored) Pulse {
	p := Pulse{Groups: []GroupFacts{}, Waves: []WaveFacts{}, Subjects: []SubjectFacts{}, Minutes: []ReportMinute{}}
	if len(recent) == 0 {
		return p
	}
	now := recent[len(recent)-1].Comment.Offset
	p.Elapsed = seconds(now)
	lately := slices.DeleteFunc(slices.Clone(recent), func(s Stored) bool { return s.Comment.Offset < now-lookBack })
	w := window(lately, lately, now)
	p.PerMinute, p.Usual, p.Viewers, p.Withheld, p.Escalated = w.PerMinute, w.Usual, w.Viewers, w.Withheld, w.Escalated
	p.Mood = ReportMood{Glad: w.Glad, Worried: w.Worried, Neutral: len(lately) - w.Glad - w.Worried}
	p.Groups, p.Subjects = groups(lately, now), subjectsOf(lately, now)
	p.Waves = append(p.Waves, waves(lately, now)...)
	p.Minutes = minutes(recent, max(0, int(now/time.Minute)-pulseMinutes+1))
	return p
}

// minutes counts comments minute by minute, from one on, without leaving one out. What was written before the start counts in minute 0,
// what is later than two days in the last one.
func minutes(list []Stored, from int) []ReportMinute {
	out := []ReportMinute{}
	voices := map[int]map[string]bool{}
	for _, s := range list {
		m := min(max(0, int(s.Comment.Offset/time.Minute)), maxMinutes-1)
		if m < from {
			continue
		}
		for len(out) <= m-from {
			out = append(out, ReportMinute{Minute: from + len(out)})
		}
		row := &out[m-from]
		row.add(s)
		if voices[m] == nil {
			voices[m] = map[string]bool{}
		}
		voices[m][viewerKey(s.Comment)] = true
		row.Viewers = len(voices[m])
	}
	return out
}

func (m *ReportMinute) add(s Stored) {
	m.Comments++
	if s.Analysis.Question {
		m.Questions++
	}
	if gravity(s.Analysis) > 0 {
		m.Safety++
		switch s.Analysis.Risk {
		case comment.RiskHigh:
			m.High++
		case comment.RiskMedium:
			m.Medium++
		default:
			m.Low++
		}
	}
	switch {
	case s.Analysis.Mood > 0:
		m.Glad++
	case s.Analysis.Mood < 0:
		m.Worried++
	}
}
