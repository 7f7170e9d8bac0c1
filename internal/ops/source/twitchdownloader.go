package source

import (
	"encoding/json"
	"strings"

	"urakata/internal/ops/comment"
)

// twitchDownloader reads the chat files of TwitchDownloader: one object with streamer, video and comments. Times come from created_at, offsets
// from content_offset_seconds. The streamer's own rows are the owner's.
type twitchDownloader struct {
	streamer string
}

type tdRecord struct {
	ID        scalar `json:"_id"`
	CreatedAt scalar `json:"created_at"`
	Offset    scalar `json:"content_offset_seconds"`
	Commenter object[struct {
		ID          scalar `json:"_id"`
		Name        scalar `json:"name"`
		DisplayName scalar `json:"display_name"`
	}] `json:"commenter"`
	Message object[struct {
		Body      scalar `json:"body"`
		Bits      scalar `json:"bits_spent"`
		Fragments list[struct {
			Text scalar `json:"text"`
		}] `json:"fragments"`
		Badges list[struct {
			ID scalar `json:"_id"`
		}] `json:"user_badges"`
		Notice object[struct {
			ID    scalar `json:"msg_id"`
			Other scalar `json:"msg-id"`
		}] `json:"user_notice_params"`
	}] `json:"message"`
}

// head learns who the streamer is from the part of the file before the comments.
func (t *twitchDownloader) head(key string, raw []byte) {
	if key != "streamer" {
		return
	}
	var s struct {
		ID scalar `json:"id"`
	}
	if json.Unmarshal(raw, &s) == nil {
		t.streamer = string(s.ID)
	}
}

func (t *twitchDownloader) read(raw []byte, out []found) []found {
	var r tdRecord
	if reason := decode(raw, &r); reason != "" {
		return append(out, skipped(reason, ""))
	}
	m := &r.Message.V
	text := string(m.Body)
	if text == "" {
		var b strings.Builder
		for _, p := range m.Fragments {
			b.WriteString(string(p.Text))
		}
		text = b.String()
	}
	f := found{Comment: comment.Comment{ID: string(r.ID), Platform: comment.Twitch, Text: text, Author: t.author(&r)}}
	if id := m.Notice.V.ID.or(m.Notice.V.Other); id != "" && id != "highlighted-message" && id != "skip-subs-mode-message" {
		f.Kind = noticeKind(id)
	}
	if bits := count(string(m.Bits)); bits > 0 {
		f.Kind = comment.KindPaid
		f.Money = &comment.Money{Micros: int64(bits) * 1_000_000, Currency: Bits}
	}
	if f.Kind == comment.KindMessage && text == "" {
		return append(out, skipped(reasonNoText, ""))
	}
	at := string(r.CreatedAt)
	if strings.HasPrefix(at, "0001-") { // the tool's way of saying "unknown"
		at = ""
	}
	if reason := f.when(at, string(r.Offset), parseSeconds); reason != "" {
		return append(out, skipped(reason, ""))
	}
	return append(out, f)
}

func (t *twitchDownloader) author(r *tdRecord) comment.Author {
	c := &r.Commenter.V
	a := comment.Author{ID: string(c.ID), Name: c.DisplayName.or(c.Name)}
	for _, b := range r.Message.V.Badges {
		a.Roles = addRole(a.Roles, string(b.ID))
	}
	if a.ID != "" && a.ID == t.streamer {
		a.Roles = addRole(a.Roles, "owner")
	}
	return a
}
