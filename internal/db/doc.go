// Package db keeps everything that must outlive the process. It is the only package that knows tables: each store interface of ops, platform
// and agent is a few methods of *DB, and each table has one file with a row struct, two mapping functions and its statements.
//
// There are two engines and one code. SQLite, a file beside the program, is the default and allows one process at a time; Postgres is for more
// than one machine. The schema is the SQL under migrations, one folder per engine; Open brings a database up to date.
//
// Writes go through (*DB).inTx. On SQLite all of them wait in one queue, and whatever waits together is committed together, each write in a
// savepoint of its own: fifty small writes cost one sync of the disk. Reads have their own connections and never wait for a writer. Everything
// that returned without an error is on the disk (synchronous=FULL); a write whose context ends while it waits is not made, one that has begun
// is finished and its outcome told.
//
// A write that a screen shows also writes an ops.Change in the same transaction, numbered per stream by the stream's own counter, and rings a
// bell after the commit. A bell carries nothing and may ring for nothing; the rows are the truth. Three tables are only ever added to: events,
// changes and audit. A test reads this package's statements to keep it so.
//
// A *DB may be used from any goroutine. Callbacks (AddComments has one) run inside a transaction and must not use the *DB.
package db
