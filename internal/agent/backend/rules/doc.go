// Package rules is a mind without a model: it reads the same request that a model gets and answers it by a table of rules, offline, without a key,
// and the same way each time.
//
// What it does in one step:
//
//	messages ──hear──▶ heard (briefings, what was said and called, what waits)
//	         ──table──▶ findings, one file a rule ──▶ tool calls first, then the cards as JSON
//
// It knows only what the request holds. What it told before it learns by looking at its earlier answers and at the briefings they answered; what
// leaves the history it may tell again. It never repeats a viewer's words, because it never gets any. It proposes and never presses: a person in
// distress is never timed out or deleted, and a comment that gives orders to the machine leads to a card and to nothing else.
//
// A Backend holds nothing that changes; any goroutine may use it.
package rules
