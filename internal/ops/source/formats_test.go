package source_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"urakata/internal/ops/comment"
	"urakata/internal/ops/source"
)

// told is one comment in a line: offset, platform, kind, who (roles), text, and whatever else it has.
func told(c comment.Comment) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v %s", c.Offset, c.Platform)
	if c.Kind != "" {
		fmt.Fprintf(&b, " [%s]", c.Kind)
	}
	fmt.Fprintf(&b, " %s/%s", c.Author.ID, c.Author.Name)
	if len(c.Author.Roles) > 0 {
		fmt.Fprintf(&b, " (%s)", strings.Join(c.Author.Roles, ","))
	}
	fmt.Fprintf(&b, " %q", c.Text)
	if c.Money != nil {
		fmt.Fprintf(&b, " %d %s", c.Money.Micros, c.Money.Currency)
	}
	if c.Raid != 0 {
		fmt.Fprintf(&b, " raid %d", c.Raid)
	}
	if c.Target != "" {
		fmt.Fprintf(&b, " target %s", c.Target)
	}
	if c.ReplyTo != "" {
		fmt.Fprintf(&b, " reply to %s", c.ReplyTo)
	}
	return b.String()
}

func TestFormats(t *testing.T) {
	for _, tt := range []struct {
		file, format string
		want         []string
		skipped      []string
		duplicates   int64
	}{
		{"chat-downloader-old.json", source.FormatChatDownloader, []string{
			`-4.8s youtube UCaaaaaaaaaaaaaaaaaaaaaa/Aki "early"`,
			`1s unknown name:Bea/Bea (moderator,member) "hello"`,
			`1h2m3s youtube [paid] name:Cho/Cho "화이팅" 5000000000 KRW`,
			`1h6m40s unknown [paid] name:Dan/Dan "" 1000000000 JPY`,
			`1h6m40.2s youtube name:Eve/Eve "strange end"`,
		}, []string{
			"7 the time makes no sense (outside 2005-2100, or not a time)", "8 no text", "9 not a JSON object",
		}, 1},
		{"chat-downloader.json", source.FormatChatDownloader, []string{
			`500ms youtube UCbbbbbbbbbbbbbbbbbbbbbb/Owner Oda (owner,verified) "hi :wave:"`,
			`2s youtube [paid] UCc/Payer (member) "keep going" 5000000 USD`,
			`3s youtube [paid] UCd/Sticker "" 12500000 XXX`,
			`4s youtube [membership] UCe/New "Welcome!"`,
			`5s youtube [deleted] / "" target m1`,
			`5s youtube [banned] UCc/ ""`,
			`6s twitch [paid] 55/Cheerer (vip,moderator,subscriber) "cheer100 nice" 100000000 BITS reply to m1`,
			`7s twitch [raid] 66/raider "" raid 42`,
			`8s twitch [membership] 67/giver ""`,
			`9s twitch [banned] 68/spammer ""`,
		}, []string{
			"3 ticker copy of another row: ticker_paid_message_item",
			"8 the platform's own row, not chat: viewer_engagement_message",
			"13 the platform's own row, not chat: room_state",
		}, 0},
		{"twitch-downloader.json", source.FormatTwitchDownloader, []string{
			`1.5s twitch 900/Drawer (owner) "welcome ]"`,
			`3s twitch / "Kappa hi"`,
			`5s twitch [paid] 902/ねこ (subscriber,moderator) "Cheer50" 50000000 BITS`,
			`6s twitch [membership] 903/Sub ""`,
		}, []string{"6 no text"}, 1},
		{"live_chat.json", source.FormatLiveChat, []string{
			`-1m0s youtube UCa/Early "waiting"`,
			`1s youtube UCb/Mod (moderator,member) "hi 🎉:kotone:"`,
			`2s youtube [paid] UCc/Payer "がんばれ" 1000000000 JPY`,
			`3s youtube [paid] UCd/Sticker "a dancing cat" 75000000 TWD`,
			`4s youtube [membership] UCe/New "Welcome to the club"`,
			`5s youtube [membership] UCf/Giver "Sent 5 gifts"`,
			`6s youtube [deleted] / "" target y1`,
			`7s youtube [banned] UCz/ ""`,
			`9s youtube UCg/Slow "held back, then shown"`,
		}, []string{
			"1 the platform's own row, not chat: liveChatViewerEngagementMessageRenderer",
			"4 ticker copy of another row",
			"10 the platform's own row, not chat: liveChatSomethingNewRenderer",
			"10 the platform's own row, not chat",
			"12 no row of chat in this record",
		}, 1},
		{"twitch.irc", source.FormatIRC, []string{
			`0s twitch 21/Moderata (moderator,subscriber) "hello: all  " reply to i0`,
			`500ms twitch 7/drawer (owner) "waves"`,
			`1.5s twitch [paid] 22/雪 だるま "Cheer100 きれい" 100000000 BITS`,
			`2.5s twitch [raid] 23/Raider "" raid 42`,
			`3.5s twitch [membership] 24/Giver ""`,
			`4.5s twitch [notice] 21/Moderata (moderator) "Rules are in the panel"`,
			`5.5s twitch [banned] 25/spammer ""`,
			`6.5s twitch [cleared] / ""`,
			`7.5s twitch [deleted] name:spammer/spammer "" target i9`,
		}, []string{
			"1 the platform's own row, not chat: 001", "12 the platform's own row, not chat: JOIN", "13 the platform's own row, not chat: PING",
			"14 not a line of this format", "15 the time makes no sense (outside 2005-2100, or not a time)",
		}, 1},
	} {
		t.Run(tt.file, func(t *testing.T) {
			raw, err := os.ReadFile(filepath.Join("testdata", tt.file))
			if err != nil {
				t.Fatal(err)
			}
			got, skips, h := play(t, string(raw), source.ReplayConfig{})
			var lines, skipped []string
			for _, c := range got {
				lines = append(lines, told(c))
			}
			for _, s := range skips {
				skipped = append(skipped, fmt.Sprintf("%d %s", s.Line, s.Reason))
			}
			if diff := cmp.Diff(tt.want, lines); diff != "" {
				t.Errorf("comments (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.skipped, skipped); diff != "" {
				t.Errorf("skipped (-want +got):\n%s", diff)
			}
			if h.Format != tt.format || h.Counts.Duplicates != tt.duplicates {
				t.Errorf("format %s with %d duplicates, want %s with %d", h.Format, h.Counts.Duplicates, tt.format, tt.duplicates)
			}
			if format, err := source.Detect(strings.NewReader(string(raw))); format != tt.format || err != nil {
				t.Errorf("Detect: %s, %v", format, err)
			}
		})
	}
}
