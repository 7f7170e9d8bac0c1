// Package ops is the staff's work: what happens between a stream's chat and the people who look after it.
//
// A [Staff] keeps one desk for every stream at work. A desk is one goroutine: it takes batches from a source (or from [Staff.Offer]), has them
// stored and understood, decides when a look is worth a model's turn, and hands a [Briefing] to its session. A briefing is where viewer text
// stops: no field of it can hold a word that a viewer wrote. What the character answers comes back through the session's log, which the desk
// follows by a stored [Cursor]: artifacts become cards, questions become inbox items.
//
// [Inbox], [Board], [Reports], [Characters], [Operators] and [Audits] are what pages and scripts call, from any goroutine. Each says who asks
// ([Who]); the zero Who may do nothing. Every decision, also one that came too late, is written to the audit.
//
// # What survives
//
// Rows are the truth. A comment is stored before anybody is told of it; a briefing, an answer and a report carry ids made from what they are
// about, so that sending them again after a crash changes nothing; a card moves the cursor in its own transaction. A desk that starts again
// reads the stored comments back into its analyser and its numbering, opens the session's log and goes on.
//
// # What may be lost
//
// Nothing that was acknowledged. A briefing that waits is replaced by a newer one which looks back as far. Bells are not facts: whoever hears
// one looks again.
package ops
