// Package source brings a stream's chat in, from wherever it is, as batches of comments in the order in which they were written.
//
// There are two kinds here. A Replay plays a recording: it finds out by content which of the known formats a file is in, reads it as a stream
// (a recording of a gigabyte takes no more memory than a small one, save for the ids it has seen), and hands the comments out as fast as they
// are taken or in the time they were written, up to sixty times as fast. A Push is fed by somebody else, over HTTP or a socket, and says
// "full" instead of growing.
//
// # What the words mean
//
// A record is one row that a recording claims to hold: a line, an element of an array, or one action inside a line. Each record becomes
// exactly one thing: a comment (read), a Skip with its place and its reason (skipped), or a row that was there already (duplicate), so the
// three add up. Blank lines are no records.
//
// A comment's time is the one it was written at; its offset is counted from the start of the stream and is negative in the waiting room. When a
// recording has one of the two, the other follows from it; the first comment that has only a time stands at offset zero. A recording with
// offsets alone is dated from NoDate, or from ReplayConfig.Start. Times outside the years 2005 to 2100, offsets beyond a year, NaN and
// numbers that do not fit count as not stated when the record's other time is good, and are the reason to skip it when it is not. The recorded order is kept even where times run backwards.
//
// A record without an id gets one made from its content, the same each time. Without an author as well, its place in the recording goes into the
// id, because two strangers may write the same word in the same second.
//
// # What may be lost
//
// Nothing that was handed out is handed out again after resuming from a Batch.Position, and nothing is left out. Records over MaxRecord bytes
// and broken ones are skipped, the rest is still read. At most maxBatch skips a batch carry their details; Counts has them all.
// Text longer than comment.MaxText is cut and says so. NUL is removed, invalid UTF-8 and lone surrogates become U+FFFD.
//
// One goroutine reads a source; Health and Close may be called from any.
package source
