package ops

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"urakata/internal/lang"
	"urakata/internal/ops/comment"
)

// Report is what stands after a stream. Data is the JSON of ReportData; the numbers are computed from rows, the words are the character's.
type Report struct {
	ID        string
	Stream    string
	Version   int
	Title     string
	Character string
	At        time.Time
	Data      json.RawMessage
}

// reportStore keeps reports. SaveReport is idempotent by (stream, version) and moves the stream to ended in the same transaction.
type reportStore interface {
	SaveReport(ctx context.Context, r Report) (Report, error)
	Report(ctx context.Context, id string) (Report, error)
	Reports(ctx context.Context, p Page) ([]Report, error) // newest first
	ReportOf(ctx context.Context, stream string) (Report, error)
}

// Reports reads what stands after streams.
type Reports struct {
	store reportStore
	words *lang.Catalogue
}

// ReportsConfig makes the service. Store is required. With a Catalogue, a summary that the host made is worded anew at every reading.
type ReportsConfig struct {
	Store     Store
	Catalogue *lang.Catalogue
}

// NewReports returns the service.
func NewReports(c ReportsConfig) *Reports { return &Reports{store: c.Store, words: c.Catalogue} }

// List gives reports, newest first.
func (r *Reports) List(ctx context.Context, p Page) ([]Report, error) {
	all, err := r.store.Reports(ctx, p)
	if err != nil {
		return nil, fmt.Errorf("reports: %w", err)
	}
	return all, nil
}

// Report is one report with its data.
func (r *Reports) Report(ctx context.Context, id string) (Report, ReportData, error) {
	one, err := r.store.Report(ctx, id)
	if err != nil {
		return Report{}, ReportData{}, fmt.Errorf("report %s: %w", id, err)
	}
	return r.open(one)
}

// Of is the newest report of a stream.
func (r *Reports) Of(ctx context.Context, stream string) (Report, ReportData, error) {
	one, err := r.store.ReportOf(ctx, stream)
	if err != nil {
		return Report{}, ReportData{}, fmt.Errorf("report of %s: %w", stream, err)
	}
	return r.open(one)
}

func (r *Reports) open(one Report) (Report, ReportData, error) {
	var d ReportData
	if err := json.Unmarshal(one.Data, &d); err != nil {
		return one, d, fmt.Errorf("data of report %s: %w", one.ID, err)
	}
	if d.Summary.Author == "" && r.words != nil {
		d.Summary = HostWords(r.words.Printer(d.Stream.Language), d)
	}
	return one, d, nil
}

// reportFacts is what a character learns of a stream that has ended: the numbers of its report without a word of a viewer or of a person.
type reportFacts struct {
	Seconds   int              `json:"seconds"`
	Language  Lang             `json:"language"`
	Tiles     map[string]any   `json:"numbers"`
	Questions []questionFact   `json:"questions"`
	Safety    []findingFact    `json:"safety"`
	Actions   []actionFact     `json:"actions"`
	Feedback  []subjectFact    `json:"feedback"`
	Topics    []subjectFact    `json:"topics"`
	Community communityFact    `json:"community"`
	Paid      []paidFact       `json:"paid"`
	Cards     map[CardKind]int `json:"cards"`
	Busiest   []busyFact       `json:"busiestMinutes"`
	Raids     int              `json:"raids"`
	Gaps      int              `json:"gaps"`
	RawText   bool             `json:"rawViewerTextIncluded"` // always false
}

type (
	questionFact struct {
		Group    string `json:"group"`
		Subject  string `json:"subject,omitempty"`
		Count    int    `json:"count"`
		Voices   int    `json:"voices"`
		Answered *bool  `json:"answered"`
	}
	findingFact struct {
		Category string `json:"category"`
		Count    int    `json:"count"`
		Viewers  int    `json:"viewers"`
		Worst    string `json:"worst"`
	}
	actionFact struct {
		Tool    string       `json:"tool"`
		State   ItemState    `json:"state"`
		Outcome OutcomeState `json:"outcome,omitempty"`
		Count   int          `json:"count"`
	}
	subjectFact struct {
		Subject string `json:"subject,omitempty"`
		Count   int    `json:"count"`
		Voices  int    `json:"voices"`
	}
	communityFact struct {
		Viewers   int            `json:"viewers"`
		New       int            `json:"new"`
		Returning int            `json:"returning"`
		Regulars  int            `json:"regulars"`
		Languages map[string]int `json:"languages"`
		Mood      ReportMood     `json:"mood"`
	}
	paidFact struct {
		Currency string `json:"currency"`
		Count    int    `json:"count"`
		Voices   int    `json:"voices"`
		Micros   int64  `json:"micros"`
	}
	busyFact struct {
		Minute   int `json:"minute"`
		Comments int `json:"comments"`
	}
)

// factsOf keeps of a report what is a number under a name of a closed list.
func factsOf(d ReportData) reportFacts {
	f := reportFacts{Seconds: d.Stream.Seconds, Language: langOf(d.Stream.Language), Tiles: map[string]any{}, Cards: map[CardKind]int{}, Raids: len(d.Community.Raids), Gaps: len(d.Timeline.Gaps)}
	for _, t := range d.Tiles {
		f.Tiles[t.ID] = t.Value
		if t.Median != nil {
			f.Tiles[t.ID+"Median"] = *t.Median
		}
	}
	for _, q := range d.Questions[:min(len(d.Questions), 8)] {
		f.Questions = append(f.Questions, questionFact{q.Group, string(q.Subject), q.Count, q.Voices, q.Answered})
	}
	for _, s := range d.Safety.Findings {
		f.Safety = append(f.Safety, findingFact{string(s.Category), s.Count, s.Viewers, string(s.Worst)})
	}
	for _, a := range d.Safety.Actions {
		f.Actions = append(f.Actions, actionFact{a.Tool, a.State, a.Outcome, a.Count})
	}
	for _, s := range d.Feedback {
		f.Feedback = append(f.Feedback, subjectFact{string(s.Subject), s.Count, s.Voices})
	}
	for _, t := range d.Topics[:min(len(d.Topics), 8)] {
		f.Topics = append(f.Topics, subjectFact{string(t.Subject), t.Count, t.Voices})
	}
	f.Community = communityFact{d.Community.Viewers, d.Community.New, d.Community.Returning, d.Community.Regulars, map[string]int{}, d.Community.Mood}
	for _, l := range d.Community.Languages {
		f.Community.Languages[l.Name] = l.Count
	}
	for _, p := range d.Paid {
		f.Paid = append(f.Paid, paidFact{p.Currency, p.Count, p.Voices, p.Micros})
	}
	for _, t := range d.Timeline.Ticks {
		if t.Kind == "card" {
			f.Cards[t.CardKind]++
		}
	}
	for _, m := range d.Highlights {
		if m.Kind == "peak" {
			f.Busiest = append(f.Busiest, busyFact{m.Offset / 60, m.Count})
		}
	}
	return f
}

// HostWords makes the summary of a report from its numbers, in the language of the printer: for a report whose character said nothing.
func HostWords(p lang.Printer, d ReportData) ReportSummary {
	s := ReportSummary{Sentences: []string{hostSize(p, d), hostTopics(p, d), hostCare(p, d)}, Next: hostNext(p, d), Evidence: []string{}}
	for _, q := range d.Questions[:min(len(d.Questions), 3)] {
		s.Evidence = append(s.Evidence, q.Evidence[:min(len(q.Evidence), 2)]...)
	}
	return s
}

func (d ReportData) tile(id string) float64 {
	for _, t := range d.Tiles {
		if t.ID == id {
			return t.Value
		}
	}
	return 0
}

func hostSize(p lang.Printer, d ReportData) string {
	if d.tile("comments") == 0 {
		return p.Text("report.host.empty")
	}
	return p.Text("report.host.size", "Comments", p.Number(d.tile("comments")), "Viewers", p.Number(d.tile("viewers")),
		"Length", p.Offset(time.Duration(d.Stream.Seconds)*time.Second), "Peak", p.Number(d.tile("peak")))
}

func hostTopics(p lang.Printer, d ReportData) string {
	var names []string
	for _, t := range d.Topics[:min(len(d.Topics), 3)] {
		names = append(names, SubjectName(p, t.Subject))
	}
	if len(names) == 0 {
		return p.Count("report.host.questions", int(d.tile("questions")))
	}
	return p.Text("report.host.topics", "Subjects", strings.Join(names, p.Text("report.comma")), "Questions", p.Number(d.tile("questions")))
}

func hostCare(p lang.Printer, d ReportData) string {
	proposed, done := 0, 0
	for _, a := range d.Safety.Actions {
		proposed += a.Count
		if a.Outcome == OutcomeDone {
			done += a.Count
		}
	}
	if d.tile("safety") == 0 && proposed == 0 {
		return p.Text("report.host.calm")
	}
	return p.Text("report.host.care", "Care", p.Number(d.tile("safety")), "Proposed", p.Number(proposed), "Done", p.Number(done))
}

// hostNext picks three things from the numbers, the most pressing first.
func hostNext(p lang.Printer, d ReportData) []string {
	var out []string
	for _, q := range d.Questions {
		if (q.Answered == nil || !*q.Answered) && q.Voices >= 3 {
			out = append(out, p.Count("report.next.question", q.Voices, "Subject", SubjectName(p, q.Subject)))
			break
		}
	}
	for _, f := range d.Feedback {
		if f.Subject != "" && f.Voices >= 2 {
			out = append(out, p.Count("report.next.feedback", f.Voices, "Subject", SubjectName(p, f.Subject)))
			break
		}
	}
	late := 0
	for _, a := range d.Safety.Actions {
		if a.State == ItemExpired {
			late += a.Count
		}
	}
	if late > 0 {
		out = append(out, p.Count("report.next.inbox", late))
	}
	if n := d.Community.New; n > 0 && d.Community.Compared > 0 {
		out = append(out, p.Count("report.next.new", n))
	}
	for _, m := range d.Highlights {
		if m.Kind == "peak" {
			out = append(out, p.Text("report.next.peak", "Offset", p.Offset(time.Duration(m.Offset)*time.Second)))
			break
		}
	}
	for _, key := range []string{"report.next.rehearse", "report.next.topic", "report.next.compare"} {
		if len(out) >= 3 {
			break
		}
		out = append(out, p.Text(key))
	}
	return out[:3]
}

// SubjectName is a subject in words.
func SubjectName(p lang.Printer, s comment.Subject) string {
	if s = subjectOf(s); s == "" {
		return p.Text("report.subject.none")
	}
	return p.Text("report.subject." + string(s))
}
