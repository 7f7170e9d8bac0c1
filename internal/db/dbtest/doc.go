// Package dbtest gives tests a database of their own: a SQLite file copied from one that was migrated once, and where the machine has Postgres,
// a database of a throw-away cluster. Tests of other rooms use Open; the suite of db runs on both engines by Each.
package dbtest
