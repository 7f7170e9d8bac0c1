package platform

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// Rules of the platforms, as far as a rehearsal keeps them.
const (
	twitchText    = 500
	youtubeText   = 200
	twitchAge     = 6 * time.Hour
	longestPause  = 14 * 24 * 60 * 60 // seconds
	actionsInTime = 20
	limitWindow   = 30 * time.Second
)

// RehearsalConfig says how a Rehearsal behaves.
type RehearsalConfig struct {
	Ledger Ledger           // required
	Now    func() time.Time // nil: time.Now
	Limit  int              // actions of one kind a stream may take in 30 seconds; 0: 20
}

// Rehearsal carries actions out on the ledger alone, and refuses what platforms refuse.
type Rehearsal struct {
	ledger Ledger
	now    func() time.Time
	limit  int

	mu     sync.Mutex             // guards both below
	busy   map[string]string      // target → key of the action at work on it
	recent map[string][]time.Time // stream and kind → when, within the window
}

// NewRehearsal returns a platform that nobody but us sees.
func NewRehearsal(cfg RehearsalConfig) (*Rehearsal, error) {
	if cfg.Ledger == nil {
		return nil, errors.New("rehearsal: no ledger")
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Limit <= 0 {
		cfg.Limit = actionsInTime
	}
	return &Rehearsal{ledger: cfg.Ledger, now: cfg.Now, limit: cfg.Limit, busy: map[string]string{}, recent: map[string][]time.Time{}}, nil
}

// Do carries an action out. The same key gives the first result again, whatever else changed since. A *Refusal says that nothing happened and why.
func (p *Rehearsal) Do(ctx context.Context, a Action) (Result, error) {
	if err := a.check(); err != nil {
		return Result{}, err
	}
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	if r, ok, err := p.ledger.Recorded(ctx, a.Key); err != nil || ok {
		return r, where(&a, err)
	}
	if refusal := refuseFacts(&a, p.now()); refusal != nil {
		return Result{}, refusal
	}
	release, refusal := p.reserve(&a)
	if refusal != nil {
		return Result{}, refusal
	}
	defer release()
	return p.carryOut(ctx, a)
}

// carryOut runs with the target reserved.
func (p *Rehearsal) carryOut(ctx context.Context, a Action) (Result, error) {
	mark := a
	if a.Kind == Delete { // so that another key finds the comment gone, also after a restart
		mark.Key = markPrefix + a.target()
		if _, gone, err := p.ledger.Recorded(ctx, mark.Key); err != nil {
			return Result{}, where(&a, err)
		} else if gone {
			if r, mine, err := p.ledger.Recorded(ctx, a.Key); err != nil || mine {
				return r, where(&a, err) // our own action, finished between two looks
			}
			return Result{}, refuse(MessageDeleted, "The message was deleted already.")
		}
	}
	sum := sha256.Sum256([]byte(a.Key))
	r, _, err := p.ledger.Record(ctx, a, Result{At: p.now().UTC(), Rehearsed: true, Ref: "rehearsal-" + hex.EncodeToString(sum[:6])})
	if err != nil {
		return Result{}, where(&a, err)
	}
	if mark.Key != a.Key {
		if _, _, err := p.ledger.Record(ctx, mark, r); err != nil {
			return Result{}, where(&a, err) // the action stands: trying its key again finds it
		}
	}
	return r, nil
}

// reserve takes the target for this action, and a place in the window of the rate limit.
func (p *Rehearsal) reserve(a *Action) (release func(), _ *Refusal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	target := a.target()
	if key, ok := p.busy[target]; ok && key != a.Key {
		return nil, &Refusal{Code: Conflict, Say: "Another moderator is acting on the same target at this moment.", RetryAfter: time.Second}
	}
	now, window := p.now(), a.Stream+"/"+string(a.Kind)
	within := slices.DeleteFunc(p.recent[window], func(t time.Time) bool { return now.Sub(t) >= limitWindow })
	if len(within) >= p.limit {
		p.recent[window] = within
		return nil, &Refusal{Code: RateLimited, Say: "Too many actions in a short time.", RetryAfter: limitWindow - now.Sub(within[0])}
	}
	p.recent[window] = append(within, now)
	if target == "" {
		return func() {}, nil
	}
	if p.busy[target] == a.Key { // a second call with the same key: the first one releases
		return func() {}, nil
	}
	p.busy[target] = a.Key
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.busy, target)
	}, nil
}

// refuseFacts refuses by what the host knows and by what the action says.
func refuseFacts(a *Action, now time.Time) *Refusal {
	switch a.Kind {
	case Announce:
		return refuseText(a)
	case Timeout:
		if a.Seconds < 1 || a.Seconds > longestPause {
			return refuse(BadDuration, "A time-out lasts from 1 to %d seconds, not %d.", longestPause, a.Seconds)
		}
	case Delete:
		if a.Facts.Deleted {
			return refuse(MessageDeleted, "The message was deleted already.")
		}
		if a.Platform == Twitch && !a.Facts.At.IsZero() && now.Sub(a.Facts.At) > twitchAge {
			return refuse(MessageTooOld, "Messages older than six hours cannot be deleted there.")
		}
	}
	switch {
	case !a.Facts.Known:
		return refuse(MessageUnknown, "There is no such message or viewer in this stream.")
	case slices.Contains(a.Facts.Roles, "owner"):
		return refuse(TargetOwner, "The target is the broadcaster.")
	case slices.Contains(a.Facts.Roles, "moderator"):
		return refuse(TargetMod, "The target is a moderator.")
	}
	return nil
}

func refuseText(a *Action) *Refusal {
	limit := youtubeText // the strictest, where the text goes everywhere
	if a.Platform == Twitch {
		limit = twitchText
	}
	n := utf8.RuneCountInString(a.Text)
	switch {
	case strings.TrimSpace(a.Text) == "":
		return refuse(TextEmpty, "There is nothing to say.")
	case n > limit:
		return refuse(TextTooLong, "The message has %d characters; %d are allowed.", n, limit)
	}
	return nil
}

// markPrefix begins the keys under which a target, not an action, is recorded.
const markPrefix = "target:"

func isMark(key string) bool { return strings.HasPrefix(key, markPrefix) }

func where(a *Action, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("rehearse %s %s: %w", a.Kind, a.Key, err)
}
