package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"urakata/internal/ops"
	"urakata/views"
)

// outcome is what rehearse -json prints.
type outcome struct {
	Counts    outcomeCounts  `json:"counts"`
	Cards     []outcomeCard  `json:"cards"`
	Approvals []outcomeItem  `json:"approvals"`
	Questions []outcomeItem  `json:"questions"`
	Report    ops.ReportData `json:"report"`

	data ops.ReportData
	row  ops.Report
}

type outcomeCounts struct {
	Records    int64            `json:"records"` // read + skipped + duplicates
	Read       int64            `json:"read"`
	Skipped    int64            `json:"skipped"`
	Duplicates int64            `json:"duplicates"`
	Analysed   int64            `json:"analysed"`
	Reasons    map[string]int64 `json:"reasons,omitempty"` // skipped, by reason
}

type outcomeCard struct {
	ID        string   `json:"id"`
	Kind      string   `json:"kind"`
	Severity  string   `json:"severity"`
	Observed  string   `json:"observed"`
	Suggested string   `json:"suggested"`
	Evidence  []string `json:"evidence"`
	State     string   `json:"state"`
	Updates   int      `json:"updates"`
	Offset    float64  `json:"offsetSeconds"` // of the newest evidence, in the recording
}

type outcomeItem struct {
	ID        string          `json:"id"`
	Kind      string          `json:"kind"`
	Tool      string          `json:"tool,omitempty"`
	Risk      string          `json:"risk,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Question  string          `json:"question,omitempty"`
	Reason    string          `json:"reason,omitempty"`
	Evidence  []string        `json:"evidence"`
	State     string          `json:"state"`
	Why       string          `json:"why,omitempty"`
}

// outcome reads everything the rehearsal left.
func (h *house) outcome(ctx context.Context, stream string) (outcome, error) {
	st, err := h.staff.Stream(ctx, stream)
	if err != nil {
		return outcome{}, err
	}
	out := outcome{Cards: []outcomeCard{}, Approvals: []outcomeItem{}, Questions: []outcomeItem{}, Counts: outcomeCounts{
		Records: st.Counts.Records, Read: st.Counts.Read, Skipped: st.Counts.Skipped, Duplicates: st.Counts.Duplicates, Analysed: st.Comments,
		Reasons: st.Counts.Reasons,
	}}
	cards, err := h.board.Cards(ctx, stream, ops.Page{Limit: 500})
	if err != nil {
		return outcome{}, err
	}
	for _, c := range cards {
		out.Cards = append(out.Cards, outcomeCard{
			ID: c.ID, Kind: string(c.Kind), Severity: string(c.Severity), Observed: c.Observed, Suggested: c.Suggested, Evidence: c.Evidence,
			State: string(c.State), Updates: c.Updates, Offset: c.Offset.Round(time.Millisecond).Seconds(),
		})
	}
	for _, done := range []bool{false, true} {
		items, err := h.inbox.Items(ctx, ops.ItemQuery{Stream: stream, Done: done, Page: ops.Page{Limit: 500}})
		if err != nil {
			return outcome{}, err
		}
		for _, it := range items {
			out.add(it)
		}
	}
	if out.row, out.data, err = h.reports.Of(ctx, stream); err != nil {
		return outcome{}, err
	}
	out.Report = out.data
	return out, nil
}

func (o *outcome) add(it ops.Item) {
	item := outcomeItem{
		ID: it.ID, Kind: string(it.Kind), Tool: it.Tool, Risk: it.Risk, Arguments: it.Arguments, Question: it.Question, Reason: it.Reason,
		Evidence: it.Evidence, State: string(it.State), Why: it.Why,
	}
	if item.Evidence == nil {
		item.Evidence = []string{}
	}
	if it.Kind == ops.ItemApproval {
		o.Approvals = append(o.Approvals, item)
	} else {
		o.Questions = append(o.Questions, item)
	}
}

// reportForms writes a report by the ending of its file.
var reportForms = map[string]func(h *house, r rehearsal, o outcome, w io.Writer) error{
	".md": func(h *house, r rehearsal, o outcome, w io.Writer) error {
		_, err := io.WriteString(w, o.data.Markdown(h.catalogue.Printer(r.language)))
		return err
	},
	".csv": func(h *house, r rehearsal, o outcome, w io.Writer) error {
		_, err := w.Write(o.data.CSV(h.catalogue.Printer(r.language)))
		return err
	},
	".json": func(_ *house, _ rehearsal, o outcome, w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(o.data)
	},
	".html": func(h *house, r rehearsal, o outcome, w io.Writer) error {
		ctx := views.WithPrinter(context.Background(), h.catalogue.Printer(r.language))
		return views.ReportHTML(views.ReportFile{Report: o.row, Data: o.data}).Render(ctx, w)
	},
}

// writeReport writes beside the target and renames, so that a fault leaves no half report.
func (h *house) writeReport(r rehearsal, o outcome) error {
	file, err := os.CreateTemp(filepath.Dir(r.report), ".report-*")
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	defer func() { _ = os.Remove(file.Name()) }() // gone already after the rename
	if err := reportForms[filepath.Ext(r.report)](h, r, o, file); err != nil {
		return fmt.Errorf("write the report: %w", errors.Join(err, file.Close()))
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	if err := os.Chmod(file.Name(), 0o644); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	if err := os.Rename(file.Name(), r.report); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}
