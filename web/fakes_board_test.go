package web_test

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"urakata/internal/agent"
	"urakata/internal/ops"
)

type board struct{ *world }

func (b board) State(ctx context.Context, stream string) (ops.BoardState, error) {
	v, err := staff(b).Stream(ctx, stream)
	if err != nil {
		return ops.BoardState{}, err
	}
	seq, _ := b.Last(ctx, stream)
	chat, _ := b.Chat(ctx, stream, ops.Range{Newest: true, Limit: 120})
	cards, _ := b.Cards(ctx, stream, ops.Page{Limit: 50})
	pending, _ := inbox(b).Items(ctx, ops.ItemQuery{Stream: stream, Page: ops.Page{Limit: 50}})
	return ops.BoardState{Stream: v, Seq: seq, Chat: chat, Cards: cards, Pending: pending}, nil
}

func (b board) Pulse(context.Context, string) (ops.Pulse, error) {
	return ops.Pulse{}, b.broken("Pulse")
}

func (b board) Activity(context.Context, string, int) ([]ops.ActivityLine, error) {
	return []ops.ActivityLine{{At: at, Kind: agent.TurnCompleted, Turn: "t1", Stop: "done"}}, nil
}

func (b board) Card(_ context.Context, id string) (ops.Card, error) {
	defer b.lock()()
	c, ok := b.cards[id]
	if !ok {
		return c, fmt.Errorf("card %s: %w", id, ops.ErrNotFound)
	}
	return c, nil
}

func (b board) Cards(_ context.Context, stream string, p ops.Page) ([]ops.Card, error) {
	defer b.lock()()
	var out []ops.Card
	for _, c := range b.cards {
		if c.Stream == stream && c.ID > p.After {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(x, y ops.Card) int { return compare(x.ID, y.ID) })
	return out[:min(len(out), p.Limit)], nil
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func (b board) MoveCard(_ context.Context, who ops.Who, id string, to ops.CardState, note string) (ops.Card, error) {
	defer b.lock()()
	c, ok := b.cards[id]
	switch {
	case !who.May(ops.RoleModerator):
		return c, ops.ErrForbidden
	case !ok:
		return c, ops.ErrNotFound
	}
	c.State, c.Note, c.By = to, note, who.Name
	b.cards[id] = c
	b.changed(c.Stream, ops.ChangeCard, id)
	return c, nil
}

func (b board) Chat(_ context.Context, stream string, r ops.Range) ([]ops.Stored, error) {
	defer b.lock()()
	var out []ops.Stored
	for _, s := range b.chat[stream] {
		if s.Seq <= r.After || r.Before > 0 && s.Seq >= r.Before || len(r.IDs) > 0 && !slices.Contains(r.IDs, s.Comment.ID) ||
			r.From != nil && s.Comment.Offset < *r.From || r.To != nil && s.Comment.Offset > *r.To {
			continue
		}
		out = append(out, s)
	}
	if r.Newest {
		slices.Reverse(out)
	}
	return out[:min(len(out), r.Limit)], nil
}

func (b board) Since(_ context.Context, stream string, after int64, limit int) ([]ops.Change, error) {
	defer b.lock()()
	all := b.changes[stream]
	if after >= int64(len(all)) {
		return nil, nil
	}
	return slices.Clone(all[after:min(int(after)+limit, len(all))]), b.broken("Since")
}

func (b board) Last(_ context.Context, stream string) (int64, error) {
	defer b.lock()()
	return int64(len(b.changes[stream])), nil
}

func (b board) Listen(ctx context.Context, topic string) <-chan struct{} {
	defer b.lock()()
	bell := make(chan struct{}, 1)
	if b.bells[topic] == nil {
		b.bells[topic] = map[chan struct{}]bool{}
	}
	b.bells[topic][bell] = true
	context.AfterFunc(ctx, func() {
		defer b.lock()()
		delete(b.bells[topic], bell)
	})
	return bell
}

func (b board) Events(_ context.Context, session string, from agent.Seq) iter.Seq2[agent.Event, error] {
	b.mu.Lock()
	all := slices.Clone(b.events[session])
	b.mu.Unlock()
	return func(yield func(agent.Event, error) bool) {
		for _, e := range all {
			if e.Seq > from && !yield(e, nil) {
				return
			}
		}
	}
}

func (b board) Sessions(_ context.Context, stream string) ([]ops.SessionRow, error) {
	return []ops.SessionRow{{ID: "ses-1", Stream: stream, Character: "nagi", Version: 1, CreatedAt: at}}, nil
}
