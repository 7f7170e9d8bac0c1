package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], system{Env: os.LookupEnv, In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	stop()
	os.Exit(code)
}

// system is what the program sees of the machine, so that a test can run the whole of it.
type system struct {
	Env func(string) (string, bool)
	In  io.Reader
	Out io.Writer
	Err io.Writer
}

// command is one subcommand: it reads its own flags from args.
type command func(ctx context.Context, sys system, args []string) error

func commands() map[string]command {
	return map[string]command{
		"serve": serve, "rehearse": rehearse, "analyze": analyze, "operator": operator, "backup": backup, "restore": restore, "version": version,
	}
}

const usage = `usage: urakata [command] [flags]

  serve              the application (the default)
  rehearse FILE      play a recorded chat through the staff and write the report; no action leaves the program
  analyze [FILE]     comments in, analyses out, one JSON line each
  operator add|list|reset NAME
  backup FILE        copy the database of a running or stopped server
  restore FILE       put a backup back (the server must be stopped)
  version

urakata COMMAND -h shows the flags of a command. Every flag has an environment twin: -addr is URAKATA_ADDR.
`

// run finds the subcommand, runs it and says what went wrong in one line. It returns the exit code.
func run(ctx context.Context, args []string, sys system) int {
	name := "serve"
	if len(args) > 0 && (args[0] == "" || args[0][0] != '-') {
		name, args = args[0], args[1:]
	}
	if len(args) > 0 && name == "serve" && (args[0] == "-h" || args[0] == "-help" || args[0] == "--help") {
		fmt.Fprint(sys.Out, usage)
	}
	if name == "help" {
		fmt.Fprint(sys.Out, usage)
		return 0
	}
	cmd, ok := commands()[name]
	if !ok {
		fmt.Fprintf(sys.Err, "urakata: there is no command %q\n\n%s", name, usage)
		return 2
	}
	err := cmd(ctx, sys, args)
	var bad usageError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.As(err, &bad):
		fmt.Fprintln(sys.Err, "urakata:", err)
		return 2
	default:
		fmt.Fprintln(sys.Err, "urakata:", err)
		return 1
	}
}

// usageError is a fault of the command line; the flag set has usually printed the details.
type usageError struct{ say string }

func (e usageError) Error() string { return e.say }
