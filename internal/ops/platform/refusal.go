package platform

import (
	"fmt"
	"time"
)

// Code names a reason for which a platform refuses. Codes are stable: screens and models act on them.
type Code string

// Codes of refusals.
const (
	MessageUnknown Code = "message-unknown"  // no such comment in this stream
	MessageDeleted Code = "message-deleted"  // somebody deleted it before
	MessageTooOld  Code = "message-too-old"  // Twitch: comments of the last six hours only
	TargetOwner    Code = "target-owner"     // the broadcaster cannot be acted on
	TargetMod      Code = "target-moderator" // neither can a moderator
	Conflict       Code = "conflict"         // another moderator acts on the same target right now
	BadDuration    Code = "bad-duration"     // time-outs last from one second to fourteen days
	TextEmpty      Code = "text-empty"
	TextTooLong    Code = "text-too-long" // Twitch 500, YouTube 200 characters
	RateLimited    Code = "rate-limited"  // RetryAfter says when to come back
)

// Refusal is a platform's no. Nothing happened.
type Refusal struct {
	Code       Code
	Say        string        // one sentence, in English, for a model and for logs; screens have their own words for Code
	RetryAfter time.Duration // when trying again may help; zero: it will not
}

// Error makes a refusal an error.
func (r *Refusal) Error() string { return fmt.Sprintf("refused (%s): %s", r.Code, r.Say) }

func refuse(code Code, say string, args ...any) *Refusal {
	return &Refusal{Code: code, Say: fmt.Sprintf(say, args...)}
}
