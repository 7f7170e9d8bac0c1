package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sync/errgroup"

	"urakata/internal/ops"
	"urakata/internal/ops/source"
)

// rehearsal is what one run of the command was asked.
type rehearsal struct {
	file, character, title, topic, language, report string
	speed                                           float64
	json                                            bool
}

// rehearse plays a recording through the whole staff in a database of its own, and writes the report. No action leaves the program.
func rehearse(ctx context.Context, sys system, args []string) (err error) {
	var c config
	var r rehearsal
	fs := c.flags(sys, "rehearse FILE")
	fs.StringVar(&r.character, "character", "nagi", "who watches")
	fs.StringVar(&r.title, "title", "", "the stream's title (default: the file's name)")
	fs.StringVar(&r.topic, "topic", "", "what the stream is about")
	fs.StringVar(&r.language, "language", "ja", "the language the character writes in: ja or en")
	fs.StringVar(&r.report, "report", "", "write the report here: .md, .json, .csv or .html by its ending")
	fs.Float64Var(&r.speed, "speed", 0, "0: as fast as possible; 1: as recorded; up to 60")
	fs.BoolVar(&r.json, "json", false, "print one JSON object with counts, cards, approvals, questions and the report")
	files, err := c.parse(sys, fs, args)
	if err != nil {
		return err
	}
	if len(files) != 1 {
		return usageError{"rehearse takes one recording: urakata rehearse FILE"}
	}
	if r.file, err = filepath.Abs(files[0]); err != nil {
		return err
	}
	if r.title == "" {
		r.title = strings.TrimSuffix(filepath.Base(r.file), filepath.Ext(r.file))
	}
	if err := r.check(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "urakata-rehearsal-")
	if err != nil {
		return fmt.Errorf("make a folder for the rehearsal: %w", err)
	}
	defer func() {
		if e := removeTemp(dir); err == nil {
			err = e
		}
	}()
	c.Data, c.DB = dir, filepath.Join(dir, "rehearsal.db")
	h, err := build(ctx, c, c.quietLogger(sys), seams{Lockstep: r.speed == 0, Own: r.file, NewID: counted()})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	return h.rehearse(ctx, sys, r)
}

// check finds what is wrong before anything is made.
func (r rehearsal) check() error {
	if info, err := os.Stat(r.file); err != nil {
		return fmt.Errorf("the recording cannot be read: %w", err)
	} else if info.IsDir() {
		return fmt.Errorf("%s is a folder; name a recording", r.file)
	}
	if r.speed < 0 || r.speed > 60 {
		return usageError{fmt.Sprintf("-speed %v: it is between 0 (as fast as possible) and 60", r.speed)}
	}
	if r.language != "ja" && r.language != "en" {
		return usageError{fmt.Sprintf("-language %q: it is ja or en", r.language)}
	}
	if r.report != "" {
		if _, ok := reportForms[filepath.Ext(r.report)]; !ok {
			return usageError{fmt.Sprintf("-report %s: its ending is .md, .json, .csv or .html", r.report)}
		}
	}
	_, _, err := source.Preview(source.ReplayConfig{Name: r.file, Open: func() (io.ReadCloser, error) { return os.Open(r.file) }}, 1)
	return err
}

func (h *house) rehearse(ctx context.Context, sys system, r rehearsal) error {
	if err := h.loadCharacters(ctx); err != nil {
		return err
	}
	running, stop := context.WithCancelCause(ctx)
	group, ended := errgroup.WithContext(running)
	group.Go(func() error { return quiet(h.staff.Run(ended)) })
	var done outcome
	group.Go(func() error {
		defer stop(errStopping)
		st, err := h.staff.Create(ended, program, ops.NewStream{
			Title: r.title, Topic: r.topic, Language: r.language, Character: r.character,
			Source: ops.SourceSpec{Kind: "replay", File: ownFile, Speed: r.speed}, Start: true,
		})
		if err != nil {
			return err
		}
		if err := h.untilEnded(ended, st.ID); err != nil {
			return err
		}
		done, err = h.outcome(ended, st.ID)
		return err
	})
	if err := group.Wait(); err != nil {
		return err
	}
	if r.report != "" {
		if err := h.writeReport(r, done); err != nil {
			return err
		}
	}
	return h.tell(sys, r, done)
}

// untilEnded waits for the report: it listens first, then looks.
func (h *house) untilEnded(ctx context.Context, stream string) error {
	rung := h.board.Listen(ctx, "stream/"+stream)
	for {
		st, err := h.staff.Stream(ctx, stream)
		if err != nil {
			return err
		}
		if st.State == ops.StreamEnded {
			return nil
		}
		if st.Err != "" {
			return fmt.Errorf("the recording: %s", st.Err)
		}
		select {
		case <-rung:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// tell writes the result to standard output: one JSON object, or a few lines for a person.
func (h *house) tell(sys system, r rehearsal, done outcome) error {
	if r.json {
		enc := json.NewEncoder(sys.Out)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(done); err != nil {
			return fmt.Errorf("write the result: %w", err)
		}
		return nil
	}
	fmt.Fprintf(sys.Out, "read %d, skipped %d, duplicates %d, analysed %d\n%d cards, %d approvals, %d questions\n",
		done.Counts.Read, done.Counts.Skipped, done.Counts.Duplicates, done.Counts.Analysed, len(done.Cards), len(done.Approvals), len(done.Questions))
	if r.report != "" {
		fmt.Fprintf(sys.Out, "report: %s\n", r.report)
	} else {
		fmt.Fprint(sys.Out, "\n", done.data.Markdown(h.catalogue.Printer(r.language)))
	}
	return nil
}
