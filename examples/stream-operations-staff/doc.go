// Package staffexample holds the example that a new installation starts with: a synthetic stream of twenty minutes, the briefs of its two
// characters, and the page that explains them.
//
// Nothing in it is taken from a real chat. The viewers, the streamer and every line were made up for this example, so that it may be copied,
// shown and searched. The stream is in our own JSON lines (see package source); its last comment and its first are always the same, so a
// rehearsal of it can be compared with an earlier one.
package staffexample
