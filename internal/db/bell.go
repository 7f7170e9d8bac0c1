package db

import (
	"context"
	"sync"
)

// bell says "look again". Its channels hold one ring and no content: rings that come while nobody looked become one.
type bell struct {
	mu     *sync.Mutex
	topics map[string]map[chan struct{}]struct{} // guarded by mu
}

func newBell() bell {
	return bell{mu: new(sync.Mutex), topics: map[string]map[chan struct{}]struct{}{}}
}

// ring never blocks.
func (b bell) ring(topics ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, topic := range topics {
		for c := range b.topics[topic] {
			select {
			case c <- struct{}{}:
			default:
			}
		}
	}
}

func (b bell) listen(ctx context.Context, topic string) <-chan struct{} {
	c := make(chan struct{}, 1)
	b.mu.Lock()
	if b.topics[topic] == nil {
		b.topics[topic] = map[chan struct{}]struct{}{}
	}
	b.topics[topic][c] = struct{}{}
	b.mu.Unlock()
	context.AfterFunc(ctx, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.topics[topic], c)
		if len(b.topics[topic]) == 0 {
			delete(b.topics, topic)
		}
	})
	return c
}

// Listen gives a channel that receives after every commit that touched the topic: "stream/ID", "console", "session/ID" or "approval/ID". It is
// never closed and stops ringing when ctx ends. Listen first, then look: a change between the two rings.
func (d *DB) Listen(ctx context.Context, topic string) <-chan struct{} {
	return d.bell.listen(ctx, topic)
}
