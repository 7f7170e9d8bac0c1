package main

import (
	"context"
	"errors"
	"fmt"

	"urakata/internal/db"
)

// backup copies the database, also while the server runs.
func backup(ctx context.Context, sys system, args []string) (err error) {
	c, file, err := fileArgument(sys, "backup", args)
	if err != nil {
		return err
	}
	store, err := db.Open(ctx, db.Config{DSN: c.DB, Log: c.quietLogger(sys), Shared: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	if err := store.Backup(ctx, file); err != nil {
		return err
	}
	fmt.Fprintf(sys.Out, "the database %s is copied to %s\n", c.DB, file)
	return nil
}

// restore puts a backup in the place of the database; the server must be stopped.
func restore(ctx context.Context, sys system, args []string) error {
	c, file, err := fileArgument(sys, "restore", args)
	if err != nil {
		return err
	}
	if err := c.ensureData(); err != nil {
		return err
	}
	if err := db.Restore(ctx, file, c.DB); err != nil {
		return err
	}
	fmt.Fprintf(sys.Out, "%s stands in the place of %s\n", file, c.DB)
	return nil
}

func fileArgument(sys system, name string, args []string) (config, string, error) {
	var c config
	fs := c.flags(sys, name+" FILE")
	rest, err := c.parse(sys, fs, args)
	if err != nil {
		return c, "", err
	}
	if len(rest) != 1 {
		return c, "", usageError{name + " takes one file"}
	}
	return c, rest[0], nil
}
