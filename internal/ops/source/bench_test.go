package source_test

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"urakata/internal/ops/source"
)

// BenchmarkImport reads 5,000 records of each format; MB/s is of the recording as stored.
func BenchmarkImport(b *testing.B) {
	for _, format := range []struct{ name, head, line, between, tail string }{
		{"ours", "", `{"id":"c%d","platform":"youtube","text":"このBGMもう一回聞きたい✨","timestamp":1793534400216,"author":{"id":"u%[1]d","name":"viewer %[1]d","roles":["member"]}}`, "\n", ""},
		{"chat-downloader", "[", `{"action_type":"add_chat_item","author":{"badges":[{"title":"Moderator","icon_name":"moderator"}],"id":"UC%022d","name":"viewer"},"message":"which microphone is that?","message_id":"m%[1]d","message_type":"text_message","time_in_seconds":12.5,"time_text":"0:12","timestamp":1793534400216000}`, ",\n", "]"},
		{"twitch-downloader", `{"streamer":{"id":1},"comments":[`, `{"_id":"m%d","created_at":"2026-11-01T12:00:00.2Z","content_offset_seconds":0.2,"commenter":{"_id":"7","name":"viewer","display_name":"Viewer"},"message":{"body":"hello there","bits_spent":0,"fragments":[{"text":"hello there","emoticon":null}],"user_badges":[{"_id":"vip","version":"1"}]}}`, ",", "]}"},
		{"yt-dlp", "", `{"replayChatItemAction":{"actions":[{"addChatItemAction":{"item":{"liveChatTextMessageRenderer":{"message":{"runs":[{"text":"hello "},{"emoji":{"emojiId":"🎉"}}]},"authorName":{"simpleText":"viewer"},"id":"m%d","timestampUsec":"1793534400216000","authorExternalChannelId":"UC1","timestampText":{"simpleText":"0:12"}}}}}],"videoOffsetTimeMsec":"12000"}}`, "\n", ""},
		{"twitch-irc", "", "@badge-info=;badges=vip/1;color=#FFFFFF;display-name=Viewer;emotes=;flags=;id=m%d;mod=0;room-id=1;subscriber=0;tmi-sent-ts=1793534400216;user-id=7;user-type= :viewer!viewer@viewer.tmi.twitch.tv PRIVMSG #channel :hello there everybody", "\r\n", ""},
	} {
		b.Run(format.name, func(b *testing.B) {
			var file bytes.Buffer
			file.WriteString(format.head)
			for i := range 5000 {
				fmt.Fprintf(&file, format.line, i)
				if i < 4999 {
					file.WriteString(format.between)
				}
			}
			file.WriteString(format.tail)
			b.SetBytes(int64(file.Len()))
			b.ReportAllocs()
			for b.Loop() {
				r, err := source.NewReplay(source.ReplayConfig{Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(file.Bytes())), nil }})
				if err != nil {
					b.Fatal(err)
				}
				got, skips, err := source.ReadAll(b.Context(), r)
				if err != nil || len(got) != 5000 {
					b.Fatal(len(got), skips, err)
				}
			}
			b.ReportMetric(5000*float64(b.N)/b.Elapsed().Seconds(), "comments/s")
		})
	}
}
