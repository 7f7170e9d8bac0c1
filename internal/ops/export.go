package ops

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"time"

	"urakata/internal/lang"
)

// Words are the summary in the printer's language: the character's own, or made anew from the numbers when it said nothing.
func (d ReportData) Words(p lang.Printer) ReportSummary {
	if d.Summary.Author != "" {
		return d.Summary
	}
	return HostWords(p, d)
}

// Markdown is the report as a page of text. What viewers and characters wrote cannot become markup.
func (d ReportData) Markdown(p lang.Printer) string {
	w := &page{p: p}
	w.line("# %s", plainText(d.Stream.Title))
	w.line("")
	w.line("%s", p.Text("report.head", "Length", w.at(d.Stream.Seconds), "Date", dateOf(p, d.Stream.StartedAt)))
	s := d.Words(p)
	w.part("summary")
	for _, line := range s.Sentences {
		w.line("%s", plainText(line))
	}
	w.line("")
	w.line("**%s**", p.Text("report.next.title"))
	w.line("")
	for i, line := range s.Next {
		w.line("%d. %s", i+1, plainText(line))
	}
	w.line("")
	if s.Author != "" {
		w.line("*%s*", p.Text("report.by", "Name", plainText(s.Author)))
	} else {
		w.line("*%s*", p.Text("report.byHost"))
	}
	w.tiles(d)
	w.timeline(d)
	w.highlights(d)
	w.questions(d)
	w.safety(d)
	w.feedback(d)
	w.topics(d)
	w.community(d)
	w.paid(d)
	w.technical(d)
	w.limits(d)
	return w.String()
}

// page writes Markdown.
type page struct {
	strings.Builder
	p lang.Printer
}

func (w *page) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }
func (w *page) at(seconds int) string           { return w.p.Offset(time.Duration(seconds) * time.Second) }
func (w *page) num(n int) string                { return w.p.Number(n) }

func (w *page) part(name string) {
	w.line("\n## %s\n", w.p.Text("report.part."+name))
}

// table writes a head and rows; no rows say so in words.
func (w *page) table(columns []string, rows [][]string) {
	if len(rows) == 0 {
		w.line("%s", w.p.Text("report.none"))
		return
	}
	for i, c := range columns {
		columns[i] = w.p.Text("report.column." + c)
	}
	w.line("| %s |", strings.Join(columns, " | "))
	w.line("|%s", strings.Repeat(" --- |", len(columns)))
	for _, r := range rows {
		for i := range r {
			r[i] = plainText(r[i])
		}
		w.line("| %s |", strings.Join(r, " | "))
	}
}

func (w *page) tiles(d ReportData) {
	w.part("tiles")
	var rows [][]string
	for _, t := range d.Tiles {
		usual := w.p.Text("report.unavailable")
		if t.Median != nil {
			usual = w.p.Count("report.median", t.Of, "Value", w.p.Number(*t.Median))
		}
		rows = append(rows, []string{w.p.Text("report.tile." + t.ID), w.p.Number(t.Value), usual})
	}
	w.table([]string{"what", "value", "usual"}, rows)
}

func (w *page) timeline(d ReportData) {
	w.part("timeline")
	var rows [][]string
	for _, m := range d.Timeline.Minutes {
		rows = append(rows, []string{w.at(m.Minute * 60), w.num(m.Comments), w.num(m.Viewers), w.num(m.Questions), w.num(m.Safety)})
	}
	w.table([]string{"at", "comments", "voices", "questions", "safety"}, rows)
	w.line("\n%s: %s", w.p.Text("report.viewers"), w.p.Text("report.unavailable"))
}

func (w *page) highlights(d ReportData) {
	w.part("highlights")
	if len(d.Highlights) == 0 {
		w.line("%s", w.p.Text("report.none"))
	}
	for _, m := range d.Highlights {
		why := m.Why
		if why == "" {
			why = w.p.Count("report.moment."+m.Kind, m.Count)
		}
		w.line("- %s %s", w.at(m.Offset), plainText(why))
	}
}

func (w *page) questions(d ReportData) {
	w.part("questions")
	var rows [][]string
	for _, q := range d.Questions {
		rows = append(rows, []string{w.at(q.First), SubjectName(w.p, q.Subject), w.num(q.Count), w.num(q.Voices), w.p.Text(answeredKey(q.Answered)), strings.Join(q.Quotes, " / ")})
	}
	w.table([]string{"at", "subject", "count", "voices", "answered", "quotes"}, rows)
}

func answeredKey(a *bool) string {
	switch {
	case a == nil:
		return "report.answered.unknown"
	case *a:
		return "report.answered.yes"
	}
	return "report.answered.no"
}

func (w *page) safety(d ReportData) {
	w.part("safety")
	var rows [][]string
	for _, f := range d.Safety.Findings {
		rows = append(rows, []string{w.p.Text("report.category." + string(f.Category)), w.num(f.Count), w.num(f.Viewers), w.p.Text("report.risk." + string(f.Worst))})
	}
	w.table([]string{"category", "count", "voices", "worst"}, rows)
	w.line("")
	rows = nil
	for _, a := range d.Safety.Actions {
		took := w.p.Text("report.unavailable")
		if a.MedianSeconds != nil {
			took = w.p.Number(*a.MedianSeconds)
		}
		rows = append(rows, []string{ToolName(w.p, a.Tool), stateWord(w.p, a), w.num(a.Count), took, strings.Join(a.By, ", ")})
	}
	w.table([]string{"action", "state", "count", "seconds", "by"}, rows)
}

// stateWord says how a proposal ended: who did not answer is never called a no.
func stateWord(p lang.Printer, a ReportAction) string {
	word := p.Text("report.state." + string(a.State))
	if a.State == ItemAllowed && a.Outcome != OutcomeNone {
		word += " · " + p.Text("report.outcome."+string(a.Outcome))
	}
	if a.Why != "" {
		word += " · " + whyWord(p, a.Why)
	}
	return word
}

// whyWord is the cause of a cancelled item in words.
func whyWord(p lang.Printer, why string) string {
	if key := "report.why." + strings.ReplaceAll(why, " ", "-"); p.Has(key) {
		return p.Text(key)
	}
	return why
}

// ToolName is a tool in words.
func ToolName(p lang.Printer, id string) string {
	if key := "tool." + id + ".name"; p.Has(key) {
		return p.Text(key)
	}
	return id
}

func (w *page) feedback(d ReportData) {
	w.part("feedback")
	var rows [][]string
	for _, f := range d.Feedback {
		rows = append(rows, []string{w.at(f.First), SubjectName(w.p, f.Subject), w.num(f.Count), w.num(f.Voices), strings.Join(f.Quotes, " / ")})
	}
	w.table([]string{"at", "subject", "count", "voices", "quotes"}, rows)
}

func (w *page) topics(d ReportData) {
	w.part("topics")
	var rows [][]string
	for _, t := range d.Topics {
		rows = append(rows, []string{SubjectName(w.p, t.Subject), w.num(t.Count), w.num(t.Voices), w.at(t.First), w.at(t.Peak * 60)})
	}
	w.table([]string{"subject", "count", "voices", "at", "peak"}, rows)
}

func (w *page) community(d ReportData) {
	c := d.Community
	w.part("community")
	w.line("%s", w.p.Text("report.community", "Viewers", w.num(c.Viewers), "New", w.num(c.New), "Returning", w.num(c.Returning), "Regulars", w.num(c.Regulars), "Members", w.num(c.Members)))
	w.line("%s", w.p.Text("report.mood", "Glad", w.num(c.Mood.Glad), "Neutral", w.num(c.Mood.Neutral), "Worried", w.num(c.Mood.Worried)))
	w.line("")
	var rows [][]string
	for _, l := range c.Languages {
		rows = append(rows, []string{w.p.Text("report.lang." + l.Name), w.num(l.Count), w.p.Percent(l.Share)})
	}
	w.table([]string{"language", "count", "share"}, rows)
}

func (w *page) paid(d ReportData) {
	w.part("paid")
	var rows [][]string
	for _, p := range d.Paid {
		rows = append(rows, []string{p.Currency, w.p.Money(p.Micros, p.Currency), w.num(p.Count), w.num(p.Voices), w.p.Money(p.Largest, p.Currency)})
	}
	w.table([]string{"currency", "sum", "count", "voices", "largest"}, rows)
}

func (w *page) technical(d ReportData) {
	t, tokens := d.Technical, w.p.Text("report.unavailable")
	if t.Tokens != nil {
		tokens = w.num(*t.Tokens)
	}
	w.part("technical")
	w.line("%s", w.p.Text("report.technical", "Backend", plainText(t.Backend), "Turns", w.num(t.Turns), "Failed", w.num(t.Failed), "Rejected", w.num(t.Rejected), "Tokens", tokens))
	w.line("%s", w.p.Text("report.records", "Records", w.p.Number(t.Records), "Read", w.p.Number(t.Read), "Skipped", w.p.Number(t.Skipped), "Duplicates", w.p.Number(t.Dups)))
	for _, e := range t.Errors {
		w.line("- %s: %s", plainText(e.Code), w.num(e.Count))
	}
}

func (w *page) limits(d ReportData) {
	w.part("limits")
	for _, l := range d.Limits {
		w.line("- %s", w.p.Text("report.limit."+l.ID, "N", w.p.Number(l.Count), "From", w.at(l.From), "To", w.at(l.To)))
	}
}

func dateOf(p lang.Printer, t time.Time) string {
	if t.IsZero() {
		return p.Text("report.unavailable")
	}
	return p.Date(t) + " " + t.Format("MST")
}

var markup = strings.NewReplacer("\\", "\\\\", "`", "\\`", "*", "\\*", "_", "\\_", "[", "\\[", "]", "\\]", "<", "&lt;", ">", "&gt;", "#", "\\#", "|", "\\|", "~", "\\~", "@", "@\u200b", "\n", " ", "\r", " ")

// plainText lets nothing in a text become markup, and nobody be called by it.
func plainText(s string) string { return markup.Replace(s) }

// CSV is the report as one table: a part of the report, a name, an offset, counts, a value, a text and the evidence in each row.
func (d ReportData) CSV(p lang.Printer) []byte {
	var b bytes.Buffer
	b.WriteString("\ufeff") // so that a spreadsheet reads UTF-8
	w := csv.NewWriter(&b)
	w.UseCRLF = true
	for _, row := range d.csvRows(p) {
		for i := range row {
			row[i] = cell(row[i])
		}
		_ = w.Write(row) // a bytes.Buffer takes everything
	}
	w.Flush()
	return b.Bytes()
}

// cell keeps a spreadsheet from taking a text for a formula.
func cell(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		if _, err := strconv.ParseFloat(s, 64); err != nil {
			return "'" + s
		}
	}
	return s
}

func (d ReportData) csvRows(p lang.Printer) [][]string {
	n, of := strconv.Itoa, func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	rows := [][]string{{"part", "name", "offset_seconds", "count", "voices", "value", "text", "evidence"}}
	add := func(part, name, offset, count, voices, value, text string, evidence []string) {
		rows = append(rows, []string{part, name, offset, count, voices, value, text, strings.Join(evidence, " ")})
	}
	s := d.Words(p)
	for _, line := range s.Sentences {
		add("summary", s.Author, "", "", "", "", line, nil)
	}
	for _, line := range s.Next {
		add("next", s.Author, "", "", "", "", line, nil)
	}
	for _, t := range d.Tiles {
		add("tile", t.ID, "", "", "", of(t.Value), "", nil)
	}
	for _, m := range d.Timeline.Minutes {
		add("minute", n(m.Minute), n(m.Minute*60), n(m.Comments), n(m.Viewers), "", "", nil)
	}
	for _, m := range d.Highlights {
		add("highlight", m.Kind, n(m.Offset), n(m.Count), "", "", m.Why, m.Evidence)
	}
	for _, q := range d.Questions {
		add("question", q.Group, n(q.First), n(q.Count), n(q.Voices), strings.TrimPrefix(answeredKey(q.Answered), "report.answered."), strings.Join(q.Quotes, " / "), q.Evidence)
	}
	for _, f := range d.Safety.Findings {
		add("finding", string(f.Category), n(f.First), n(f.Count), n(f.Viewers), string(f.Worst), "", f.Evidence)
	}
	for _, a := range d.Safety.Actions {
		took := ""
		if a.MedianSeconds != nil {
			took = of(*a.MedianSeconds)
		}
		add("action", a.Tool, "", n(a.Count), "", took, strings.Trim(strings.Join([]string{string(a.State), string(a.Outcome), a.Why}, " "), " "), a.Items)
	}
	for _, f := range d.Feedback {
		add("feedback", string(f.Subject), n(f.First), n(f.Count), n(f.Voices), "", strings.Join(f.Quotes, " / "), f.Evidence)
	}
	for _, t := range d.Topics {
		add("topic", string(t.Subject), n(t.First), n(t.Count), n(t.Voices), "", "", t.Evidence)
	}
	for _, l := range d.Community.Languages {
		add("language", l.Name, "", n(l.Count), "", of(l.Share), "", nil)
	}
	for _, m := range d.Paid {
		add("paid", m.Currency, "", n(m.Count), n(m.Voices), of(float64(m.Micros)/1e6), "", m.Evidence)
	}
	for _, l := range d.Limits {
		add("limit", l.ID, n(l.From), strconv.FormatInt(l.Count, 10), "", "", "", nil)
	}
	return rows
}
