package views

import (
	"context"
	"strings"
	"time"

	"urakata/internal/ops"
)

// ReportsPage lists reports.
type ReportsPage struct {
	Page    Page
	Reports []ops.Report
	Streams map[string]ops.Stream
	Next    string
}

// ReportPage is one report.
type ReportPage struct {
	Page   Page
	Report ops.Report
	Data   ops.ReportData
	Stream ops.Stream
}

// ReportFile is a report that stands alone: one file, no script, no address of ours.
type ReportFile struct {
	Report ops.Report
	Data   ops.ReportData
}

func reportTitle(p ReportsPage, r ops.Report) string {
	if s, ok := p.Streams[r.Stream]; ok && s.Title != "" {
		return s.Title
	}
	if r.Title != "" {
		return r.Title
	}
	return r.ID
}

// reportWhen is the stream's day, length and zone; a stream that was never started has only a length.
func reportWhen(ctx context.Context, s ops.ReportStream) string {
	long := offset(ctx, seconds(s.Seconds))
	if s.StartedAt.IsZero() {
		return long
	}
	return date(ctx, s.StartedAt) + " " + zoneName(ctx, s.StartedAt) + " · " + long
}

// ownWord is a message of another part of the catalogue, or the id when it has none.
func ownWord(ctx context.Context, key, id string, args ...any) string {
	if p := printer(ctx); p.Has(key) {
		return p.Text(key, args...)
	}
	return id
}

func summaryAuthor(ctx context.Context, s ops.ReportSummary) string {
	if s.Author == "" {
		return T(ctx, "views.report.byrules")
	}
	return T(ctx, "views.report.by", "Name", s.Author)
}

func tileMedian(ctx context.Context, t ops.ReportTile) string {
	if t.Median == nil {
		return T(ctx, "views.report.nomedian")
	}
	return T(ctx, "views.report.tilemedian", "Median", number(ctx, *t.Median), "Of", number(ctx, t.Of))
}

func momentWords(ctx context.Context, m ops.ReportMoment) string {
	say := word(ctx, "moment", m.Kind)
	if m.Count > 0 {
		say += " (" + number(ctx, m.Count) + ")"
	}
	return say
}

func questionWords(ctx context.Context, q ops.ReportQuestion) string {
	return T(ctx, "views.report.question", "Subject", word(ctx, "subject", string(q.Subject)), "N", number(ctx, q.Count))
}

func mostAsked(list []ops.ReportQuestion) int {
	most := 0
	for _, q := range list {
		most = max(most, q.Count)
	}
	return most
}

func mostTopic(list []ops.ReportTopic) int {
	most := 0
	for _, t := range list {
		most = max(most, t.Count)
	}
	return most
}

func actionState(ctx context.Context, a ops.ReportAction) string {
	say := word(ctx, "itemstate", string(a.State))
	if a.Why != "" {
		say += " · " + word(ctx, "why", a.Why)
	}
	return say
}

func medianWords(ctx context.Context, s *float64) string {
	if s == nil {
		return "–"
	}
	return offset(ctx, time.Duration(*s*float64(time.Second)))
}

type figure struct {
	key string
	n   int64
}

func communityFacts(c ops.ReportCommunity) []figure {
	return []figure{
		{"viewers", int64(c.Viewers)}, {"new", int64(c.New)}, {"returning", int64(c.Returning)}, {"regulars", int64(c.Regulars)}, {"members", int64(c.Members)},
	}
}

func technicalFacts(t ops.ReportTechnical) []figure {
	return []figure{
		{"turns", int64(t.Turns)}, {"steps", int64(t.Steps)}, {"calls", int64(t.Calls)}, {"failed", int64(t.Failed)}, {"rejected", int64(t.Rejected)},
		{"medianms", t.MedianMS}, {"slowestms", t.SlowestMS},
	}
}

func tokensOf(ctx context.Context, n *int) string {
	if n == nil {
		return T(ctx, "views.tokens.unknown")
	}
	return number(ctx, *n)
}

func sharesWords(ctx context.Context, list []ops.ReportShare) string {
	return shares(ctx, list, "lang")
}

func platformShares(ctx context.Context, list []ops.ReportShare) string {
	return shares(ctx, list, "platform")
}

func shares(ctx context.Context, list []ops.ReportShare, family string) string {
	parts := make([]string, len(list))
	for i, s := range list {
		parts[i] = word(ctx, family, s.Name) + " " + number(ctx, s.Count) + " (" + printer(ctx).Percent(s.Share) + ")"
	}
	return strings.Join(parts, " · ")
}

func limitWords(ctx context.Context, l ops.ReportLimit) string {
	return ownWord(ctx, "report.limit."+l.ID, l.ID, "N", number(ctx, l.Count), "From", offset(ctx, seconds(l.From)), "To", offset(ctx, seconds(l.To)))
}

// few keeps an address short enough for every browser.
func few(ids []string) []string { return ids[:min(len(ids), 60)] }
