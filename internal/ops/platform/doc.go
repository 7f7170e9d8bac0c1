// Package platform is what can be done on a streaming platform: delete a comment, time a viewer out, speak in the channel's name.
//
// An Action says what to do and carries the facts the host knows about its target. Whoever carries it out answers a Result, or a Refusal: a
// typed no, as platforms give it (the message is gone, the target is a moderator, too many calls), with a code to act on and a sentence to show.
// Anything else is an error of the way there, and then nobody knows whether the action happened.
//
// Every action has a key. The first Result recorded under a key is the answer to all later calls with it, also after a restart, so an action may
// be tried again without happening twice. The Ledger keeps that promise; internal/db has one on its database, and Memory is one for tests.
//
// Rehearsal carries actions out on nothing but the ledger. Its results say Rehearsed, so that nobody takes them for the real thing. It is safe
// for use by several goroutines.
package platform
