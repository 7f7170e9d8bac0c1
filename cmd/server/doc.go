// Command server is urakata: a console for AI characters that work behind a live stream.
//
// main.go owns signals and the exit code, config.go is the only reader of flags and environment, run.go builds the floors of the house bottom-up
// and stops them top-down, and each subcommand has a file: serve, rehearse, analyze, operator, backup, version.
package main
