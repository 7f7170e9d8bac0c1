package platform

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Kind says what an action does.
type Kind string

// Kinds of actions.
const (
	Delete   Kind = "delete"   // remove one comment
	Timeout  Kind = "timeout"  // keep a viewer from writing for some seconds
	Announce Kind = "announce" // write to the chat in the channel's name
)

// Names of the platforms whose rules differ.
const (
	Twitch  = "twitch"
	YouTube = "youtube"
)

// Action is one thing to do on a platform.
type Action struct {
	Key      string `json:"key"` // idempotency key: the same key is the same action
	Kind     Kind   `json:"kind"`
	Stream   string `json:"stream"`
	Platform string `json:"platform,omitempty"` // where; empty: everywhere the stream is
	Comment  string `json:"comment,omitempty"`  // delete: the platform's id of the comment
	Viewer   string `json:"viewer,omitempty"`   // timeout: the platform's id of the viewer
	Seconds  int    `json:"seconds,omitempty"`  // timeout
	Text     string `json:"text,omitempty"`     // announce
	Facts    Facts  `json:"facts"`
}

// Facts is what the host knows of an action's target. The zero value is a target nobody knows, which is refused.
type Facts struct {
	Known   bool      `json:"known"`             // the comment, or a comment of the viewer, was seen in this stream
	Deleted bool      `json:"deleted,omitempty"` // the comment is gone already
	Roles   []string  `json:"roles,omitempty"`   // of the viewer: owner, moderator, …
	At      time.Time `json:"at,omitzero"`       // when the comment was written; zero: not known, or a recording that keeps its own dates
}

// Result is what a platform answered to an action that it carried out.
type Result struct {
	At        time.Time `json:"at"`
	Rehearsed bool      `json:"rehearsed"` // nothing left this program
	Ref       string    `json:"ref"`       // the platform's own name for what it did
}

// Ledger remembers the results of actions by their keys, for good.
type Ledger interface {
	// Record keeps the result under the action's key, unless there is one; it answers the one that stands, and whether it stood already.
	Record(ctx context.Context, a Action, r Result) (_ Result, already bool, _ error)
	// Recorded answers the result that stands under a key.
	Recorded(ctx context.Context, key string) (_ Result, ok bool, _ error)
}

// check finds the mistakes of the caller, which no platform would even see.
func (a *Action) check() error {
	switch {
	case a.Key == "":
		return errors.New("platform action: no key")
	case a.Stream == "":
		return fmt.Errorf("platform action %s: no stream", a.Key)
	case a.Kind != Delete && a.Kind != Timeout && a.Kind != Announce:
		return fmt.Errorf("platform action %s: unknown kind %q", a.Key, a.Kind)
	case a.Kind == Delete && a.Comment == "":
		return fmt.Errorf("platform action %s: no comment to delete", a.Key)
	case a.Kind == Timeout && a.Viewer == "":
		return fmt.Errorf("platform action %s: no viewer to time out", a.Key)
	}
	return nil
}

// target names what two moderators could be at, at the same time.
func (a *Action) target() string {
	switch a.Kind {
	case Delete:
		return "delete/" + a.Stream + "/" + a.Platform + "/" + a.Comment
	case Timeout:
		return "timeout/" + a.Stream + "/" + a.Platform + "/" + a.Viewer
	default:
		return ""
	}
}
