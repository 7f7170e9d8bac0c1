package views

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"

	"urakata/internal/lang"
	"urakata/internal/ops"
	"urakata/internal/ops/comment"
	"urakata/static"
)

var shots = flag.String("shots", "", "write every page into this folder, to be looked at")

var moment = time.Date(2026, 11, 14, 12, 38, 12, 0, time.UTC)

func catalogue(t *testing.T) *lang.Catalogue {
	t.Helper()
	c, err := lang.Load()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func setFor(t *testing.T, tag string) context.Context {
	t.Helper()
	return With(t.Context(), Setting{Printer: catalogue(t).Printer(tag), Now: moment})
}

func draw(t *testing.T, ctx context.Context, c templ.Component) string {
	t.Helper()
	var b bytes.Buffer
	if err := c.Render(ctx, &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// pages is every page with the samples.
func pages() map[string]templ.Component {
	s := Samples{Moment: moment}
	items := s.Items()
	page := s.Page
	live := page(RoomLive, "/live")
	live.Live = SocketURL("str-1", 12)
	row := StreamRow{Stream: s.Stream(ops.StreamLive), Health: s.Header(ops.StreamLive).Health, Character: s.Nagi(), Backend: "rules (offline)", Pending: 2}
	return map[string]templ.Component{
		"live":       Live(LivePage{Page: live, Board: s.Board()}),
		"live-empty": Live(LivePage{Page: page(RoomLive, "/live")}),
		"inbox":      Inbox(InboxPage{Page: page(RoomInbox, "/inbox"), Items: items[:4], Selected: &items[0], Streams: []ops.Stream{row.Stream}}),
		"inbox-list": Inbox(InboxPage{Page: page(RoomInbox, "/inbox"), Items: items[:4]}),
		"inbox-ask":  Inbox(InboxPage{Page: page(RoomInbox, "/inbox"), Items: items[:4], Selected: &items[2]}),
		"inbox-done": Inbox(InboxPage{Page: page(RoomInbox, "/inbox?state=done"), Items: items[4:], Selected: &items[4], Done: true}),
		"inbox-none": Inbox(InboxPage{Page: page(RoomInbox, "/inbox")}),
		"streams":    Streams(StreamsPage{Page: page(RoomStreams, "/streams"), Rows: []StreamRow{row, {Stream: s.Stream(ops.StreamEnded), Character: s.Nagi(), Report: "rep-1"}}}),
		"stream":     Stream(StreamPage{Page: page(RoomStreams, "/streams"), Row: row, PushURL: "http://127.0.0.1:8080/api/v1/streams/str-1/comments"}),
		"newstream": NewStream(NewStreamPage{Page: page(RoomStreams, "/streams/new"), Form: StreamForm{Kind: "upload", Language: "ja"}, Characters: []ops.Character{s.Nagi()},
			Errors: ops.InvalidError{{Field: "title", Say: "views.form.wrong"}}}),
		"comments":   Comments(CommentsPage{Page: page(RoomLive, "/"), Stream: row.Stream, Query: CommentQuery{IDs: []string{"m4"}}, Comments: s.Chat()}),
		"pulse":      PulseTable(PulsePage{Page: page(RoomLive, "/"), Stream: row.Stream, Pulse: s.Pulse()}),
		"characters": Characters(CharactersPage{Page: page(RoomCharacters, "/characters"), Rows: []CharacterRow{{Character: s.Nagi(), Streams: []ops.Stream{row.Stream}, Backend: "rules (offline)", Ready: true}}}),
		"character": Character(CharacterPage{Page: page(RoomCharacters, "/characters/nagi"), Character: s.Nagi(), Minds: []MindView{{ID: "rules", Name: "rules (offline)", Ready: true}, {ID: "openai", Name: "OpenAI-compatible"}},
			Tools: []ToolView{{"comments.stats", "read", time.Minute}, {"chat.delete", "destructive", 3 * time.Minute}, {"chat.announce", "external", 10 * time.Minute}}, Versions: []ops.Character{s.Nagi()}}),
		"operators": Operators(OperatorsPage{Page: page(RoomSettings, "/settings/operators"), Accounts: []ops.OperatorAccount{{Name: "mio", Role: ops.RoleOwner, CreatedAt: moment}}, Link: "http://127.0.0.1:8080/login/link?token=abc", LinkFor: "ren"}),
		"audit":     Audit(AuditPage{Page: page(RoomAudit, "/audit"), Entries: []ops.AuditEntry{{At: moment, By: "mio", Action: "inbox.allow", Stream: "str-1", Ref: "itm-1"}}, Streams: []ops.Stream{row.Stream}}),
		"session":   Session(SessionPage{Page: page("", "/sessions/ses-1"), Stream: row.Stream, Character: s.Nagi(), Session: ops.SessionRow{ID: "ses-1", Version: 3, Purpose: "stream-operations"}}),
		"reports":   Reports(ReportsPage{Page: page(RoomReports, "/reports"), Reports: []ops.Report{{ID: "rep-1", Title: "お絵かき配信 #42", At: moment}}}),
		"report":    Report(ReportPage{Page: page(RoomReports, "/reports/rep-1"), Report: ops.Report{ID: "rep-1", At: moment, Version: 1}, Data: sampleReport()}),
		"file":      ReportHTML(ReportFile{Report: ops.Report{ID: "rep-1", At: moment, Version: 1}, Data: sampleReport()}),
		"login":     Login(LoginPage{Bad: true, Page: Page{Back: "/login"}}),
		"link":      LoginLink(LinkPage{Token: "abc"}),
		"error":     Error(ErrorPage{Page: page("", "/x"), Status: 404}),
		"gallery":   Gallery(page("", "/gallery"), s),
	}
}

func sampleReport() ops.ReportData {
	median, secs, yes := 1010.0, 14.0, true
	d := ops.ReportData{
		Stream: ops.ReportStream{ID: "str-1", Title: "お絵かき配信 #42 夜ふかしデッサン会", Language: "ja", StartedAt: moment, Seconds: 2400, Rehearsal: true},
		Summary: ops.ReportSummary{Sentences: []string{"40分間に1,284件のコメントがありました。", "ブラシについての質問が最も多く、12件届きました。", "攻撃的なコメントが4件あり、1件を削除しました。"},
			Next: []string{"ブラシの名前を概要欄に書く。", "開始前に音量を確認する。", "スローモードを用意する。"}, Author: "Nagi"},
		Tiles:      []ops.ReportTile{{ID: "comments", Value: 1284, Median: &median, Of: 5}, {ID: "viewers", Value: 213}, {ID: "peak", Value: 58}, {ID: "questions", Value: 44}},
		Highlights: []ops.ReportMoment{{Offset: 2050, Kind: "peak", Count: 58, Evidence: []string{"m1"}}, {Offset: 1200, Kind: "raid", Count: 120}},
		Questions:  []ops.ReportQuestion{{Group: "q1", Subject: comment.SubjectArt, Count: 12, Voices: 9, First: 300, Last: 2200, Quotes: []string{"そのブラシ、なんていう名前ですか？"}, Answered: &yes, Evidence: []string{"m1"}}},
		Safety: ops.ReportSafety{Findings: []ops.ReportFinding{{Category: comment.HostileFeedback, Count: 4, Viewers: 1, Worst: comment.RiskHigh, First: 2200}},
			Actions: []ops.ReportAction{{Tool: "chat.delete", State: ops.ItemAllowed, Outcome: ops.OutcomeDone, Count: 1, MedianSeconds: &secs, By: []string{"mio"}}}},
		Feedback:  []ops.ReportFeedback{{Subject: comment.SubjectAudio, Count: 5, Voices: 5, First: 800, Quotes: []string{"音ちょっと小さいかも"}}},
		Topics:    []ops.ReportTopic{{Subject: comment.SubjectArt, Count: 310, Voices: 80}, {Subject: comment.SubjectFood, Count: 90, Voices: 40}},
		Community: ops.ReportCommunity{Viewers: 213, New: 40, Returning: 120, Languages: []ops.ReportShare{{Name: "ja", Count: 1100, Share: .86}, {Name: "en", Count: 184, Share: .14}}},
		Paid:      []ops.ReportPaid{{Currency: "JPY", Micros: 4_500_000_000, Count: 6, Voices: 5, Largest: 2_000_000_000}},
		Technical: ops.ReportTechnical{Backend: "rules (offline)", Turns: 17, Records: 1300, Read: 1284, Skipped: 9, Dups: 7},
		Limits:    []ops.ReportLimit{{ID: "viewers"}},
	}
	for i := range 40 {
		d.Timeline.Minutes = append(d.Timeline.Minutes, ops.ReportMinute{Minute: i, Comments: 18 + (i*7)%23 + i/2, Questions: i % 5})
	}
	d.Timeline.Ticks = []ops.ReportTick{{Offset: 300, Kind: "card", CardKind: ops.QuestionSurge, Severity: ops.Medium}, {Offset: 1200, Kind: "raid", Count: 120}, {Offset: 2210, Kind: "card", CardKind: ops.SafetyConcern, Severity: ops.High}, {Offset: 2240, Kind: "action"}}
	d.Timeline.Gaps = []ops.ReportGap{{From: 700, To: 800}}
	return d
}

func TestEveryPageSpeaksBothLanguagesAndKeepsThePolicy(t *testing.T) {
	t.Parallel()
	for _, tag := range lang.Languages() {
		for name, c := range pages() {
			text := draw(t, setFor(t, tag), c)
			if at := strings.Index(text, "«"); at >= 0 && !strings.Contains(text[at:min(at+40, len(text))], "tool.") {
				t.Errorf("%s in %s: no message for %s", name, tag, text[at:min(at+60, len(text))])
			}
			if name != "file" {
				for _, bad := range []string{" style=", "<style", "<script>", " onclick", "hx-on", "javascript:"} {
					if strings.Contains(text, bad) {
						t.Errorf("%s in %s: %q is forbidden by the policy", name, tag, bad)
					}
				}
			} else if strings.Contains(text, "href=") || strings.Contains(text, "<script") {
				t.Errorf("the report file is not alone")
			}
		}
	}
}

// TestShots writes the pages to a folder, to be looked at in a browser: go test ./views -run Shots -shots /tmp/x.
func TestShots(t *testing.T) {
	if *shots == "" {
		t.Skip("no folder given")
	}
	for _, tag := range lang.Languages() {
		for _, theme := range []string{"dark", "light"} {
			dir := filepath.Join(*shots, tag+"-"+theme)
			for name, c := range pages() {
				text := strings.Replace(draw(t, setFor(t, tag), c), `data-theme="dark"`, `data-theme="`+theme+`"`, 1)
				write(t, filepath.Join(dir, name+".html"), strings.ReplaceAll(text, `"/static/`, `"../static/`))
			}
		}
	}
	for _, name := range []string{"app.css", "app.js", "htmx.js"} {
		write(t, filepath.Join(*shots, static.URL(name)), static.Text(name))
	}
	for _, who := range []string{"nagi", "haru"} {
		for _, mood := range []string{"neutral", "thinking", "worried", "glad", "asleep"} {
			name := "img/" + who + "-" + mood + ".svg"
			write(t, filepath.Join(*shots, static.URL(name)), static.Text(name))
		}
	}
	write(t, filepath.Join(*shots, static.URL("img/icon.svg")), static.Text("img/icon.svg"))
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
