package web

import (
	"crypto/sha256"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"urakata/internal/ops"
)

// turnstile slows down guessing: so many tries an address, and so many for all addresses together, because each try costs an argon2id.
type turnstile struct {
	now func() time.Time

	mu    sync.Mutex // guards what follows
	all   *rate.Limiter
	each  map[string]*rate.Limiter
	order []string // addresses, oldest first, so that the map stays small
}

const (
	turnstileEach = 10   // tries at once from one address, then one in six seconds
	turnstileAll  = 40   // at once from everywhere, then four a second
	turnstileKept = 1024 // addresses remembered
)

func newTurnstile(now func() time.Time) *turnstile {
	return &turnstile{now: now, all: rate.NewLimiter(4, turnstileAll), each: map[string]*rate.Limiter{}}
}

// pass takes one try for an address, or says how long to wait.
func (t *turnstile) pass(address string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	one := t.each[address]
	if one == nil {
		if len(t.order) == turnstileKept {
			delete(t.each, t.order[0])
			t.order = t.order[1:]
		}
		one = rate.NewLimiter(rate.Every(6*time.Second), turnstileEach)
		t.each[address], t.order = one, append(t.order, address)
	}
	now := t.now()
	for _, l := range []*rate.Limiter{one, t.all} {
		r := l.ReserveN(now, 1)
		if wait := r.DelayFrom(now); wait > 0 {
			r.CancelAt(now)
			return &slowDown{wait: wait}
		}
	}
	return nil
}

// keys remembers what an Idempotency-Key was first used for. The services are idempotent themselves, so that a repeated request may simply
// run again; what must not happen is that one key stands for two different wishes.
type keys struct {
	now func() time.Time

	mu    sync.Mutex // guards what follows
	seen  map[string]seenKey
	order []string
}

type seenKey struct {
	wish [32]byte
	at   time.Time
}

const (
	keysKept = 4096
	keyLife  = 24 * time.Hour
	keyLong  = 200
)

func newKeys(now func() time.Time) *keys { return &keys{now: now, seen: map[string]seenKey{}} }

// claim binds a key to a wish. An empty key binds nothing.
func (k *keys) claim(by, key, wish string) error {
	if key == "" {
		return nil
	}
	if len(key) > keyLong {
		return ops.InvalidError{{Field: "Idempotency-Key", Say: "web.field.long", Args: map[string]any{"Max": keyLong}}}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	name, sum, now := by+"\x00"+key, sha256.Sum256([]byte(wish)), k.now()
	had, known := k.seen[name]
	if known && now.Sub(had.at) < keyLife {
		if had.wish != sum {
			return ops.InvalidError{{Field: "Idempotency-Key", Say: "web.field.key-reused"}}
		}
		return nil
	}
	if !known {
		if len(k.order) == keysKept {
			delete(k.seen, k.order[0])
			k.order = k.order[1:]
		}
		k.order = append(k.order, name)
	}
	k.seen[name] = seenKey{wish: sum, at: now}
	return nil
}
