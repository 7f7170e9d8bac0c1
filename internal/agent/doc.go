// Package agent is the runtime: a character at work, safely.
//
// An [Agent] is a brief, a [Backend] (its mind), tools, a [Policy] and limits. A [Session] is one log. Two ideas carry everything:
//
//   - The log is the session. One type, [Event], is what is stored and what is emitted, and a fact is appended before it takes effect. History,
//     queue, open approvals and open calls are a fold over the log (fold.go).
//   - What happens next is a pure function of that fold (next.go): call the model, run tools, expire, await, finish, start, or nothing. A small
//     shell (loop.go, step.go, road.go, handler.go) performs it, appends what happened and asks again. So a waiting approval holds no goroutine,
//     and opening a session after a crash is only asking again.
//
// The words: a turn goes from taking input to exactly one of turn.completed, turn.interrupted and turn.failed; a step is one model call and its
// tools; an approval is a question to a person about one frozen call; an artifact is a typed, validated result.
//
// Every exported method may be called from any goroutine. One goroutine owns a session; the others send it a message and get a reply. Zero values
// fail safe: no verdict denies, no risk is destructive, no effect class is once, no trust is untrusted, no policy denies every tool.
//
// What a crash may lose: deltas, and the model call that was running, which is asked again. What it never loses: an input that Send accepted, a
// decision that Resolve accepted, and the fact that a call was begun. What it never does: run a once call a second time.
//
// A log holds what its session may know, also arguments and conversation; [Event.Shown] is the copy for screens. The slog logger gets ids and
// codes only.
package agent
