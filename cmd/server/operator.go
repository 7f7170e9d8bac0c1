package main

import (
	"context"
	"errors"
	"fmt"
	"text/tabwriter"

	"urakata/internal/ops"
)

// operator adds, lists and resets the people who may log in. Adding and resetting print a one-time link's token.
func operator(ctx context.Context, sys system, args []string) (err error) {
	var c config
	fs := c.flags(sys, "operator add|list|reset NAME")
	role := fs.String("role", string(ops.RoleOperator), "add: owner, operator, moderator or viewer")
	fs.StringVar(&c.PublicURL, "public-url", "", "address that people open, for the printed link")
	fs.StringVar(&c.Addr, "addr", "127.0.0.1:8080", "address the server listens on, for the printed link")
	rest, err := c.parse(sys, fs, args)
	if err != nil {
		return err
	}
	if len(rest) == 0 || (rest[0] != "list" && len(rest) != 2) || (rest[0] == "list" && len(rest) != 1) {
		return usageError{"operator add NAME, operator list, or operator reset NAME"}
	}
	h, err := build(ctx, c, c.quietLogger(sys), seams{Shared: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	switch rest[0] {
	case "add":
		return h.addOperator(ctx, sys, rest[1], *role)
	case "list":
		return h.listOperators(ctx, sys)
	case "reset":
		token, err := h.operators.Reset(ctx, rest[1])
		if err != nil {
			return fmt.Errorf("operator %s: %w", rest[1], err)
		}
		h.printLink(sys, rest[1], token)
		return nil
	default:
		return usageError{fmt.Sprintf("operator %q: it is add, list or reset", rest[0])}
	}
}

func (h *house) addOperator(ctx context.Context, sys system, name, role string) error {
	wanted := ops.OperatorRole(role)
	if role == "viewer" {
		wanted = ops.RoleViewer
	}
	if _, err := h.operators.Add(ctx, program, name, wanted); err != nil {
		return fmt.Errorf("operator %s: %w", name, err)
	}
	token, err := h.operators.Link(ctx, name)
	if err != nil {
		return fmt.Errorf("operator %s: %w", name, err)
	}
	h.printLink(sys, name, token)
	return nil
}

func (h *house) printLink(sys system, name, token string) {
	base := h.cfg.PublicURL
	if base == "" {
		base = "http://" + h.cfg.Addr
	}
	fmt.Fprintf(sys.Out, "%s logs in once, within 15 minutes, at %s/login?token=%s\n", name, base, token)
}

func (h *house) listOperators(ctx context.Context, sys system) error {
	all, err := h.operators.List(ctx)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(sys.Out, 0, 4, 2, ' ', 0)
	for _, o := range all {
		role := string(o.Role)
		if role == "" {
			role = "viewer"
		}
		state := "has a password"
		if o.Hash == "" {
			state = "no password yet"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", o.Name, role, state)
	}
	return w.Flush()
}
