// Package comment understands the chat of one stream by rules alone: no model, no network, no clock of its own.
//
// A [Comment] is one row of chat as some platform wrote it; an [Analysis] is what the rules understood of it. An [Analyzer] reads comments in
// order and answers for each what a careful moderator would do (allow, withhold, escalate), which rules spoke and where in the original text,
// what is being asked, what it is about, and whether others said the same.
//
// # How a text is read
//
// The text is folded once (normalize.go): NFKC, case, accents, invisible and bidirectional controls, look-alike letters, half-width kana. Every
// folded rune remembers the bytes it came from, so a finding is always a span of the original. A second, looser view is made only for texts that
// look disguised (digits for letters, s p a c e d or s*t*a*r*r*e*d words, stretched letters, reversed runs, encoded payloads).
// One matcher (lexicon.go) walks a view and yields tagged hits; everything else — safety, questions, subjects, mood — reads those hits. A word
// of the lexicon knows where it may stand (whole word, run of katakana, command at the end of a clause), so a harmless word that merely
// contains a bad one is not a hit. The words are data: lexicon/<language>.tsv, four columns (tag, mode, terms, guards), written for this program.
//
// # What is remembered
//
// Windows only: the last ten minutes and at most two thousand comments for copies, waves and question groups; the most recent fifty thousand
// viewers for "first time" and the ten-minute block after a grave finding. Nothing depends on how comments were batched, and nothing else is kept.
//
// # What may be lost
//
// Only the first 2,000 runes of a text are read; longer texts are withheld for their length. A word nobody listed is not known. The analyser
// never deletes: it says what it thinks, and a person or a policy acts.
//
// One goroutine uses an Analyzer at a time; the lexicon is shared and never changes. [Pulse] folds analyses into per-minute numbers for the page.
package comment
