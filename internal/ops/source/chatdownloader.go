package source

import (
	"encoding/json"
	"strings"

	"urakata/internal/ops/comment"
)

// chatDownloader reads chat-downloader's JSON, the old flat shape (author is a name, amount a text) and the current one (author and money are
// objects, rows have types), from YouTube and Twitch.
type chatDownloader struct{}

type cdRecord struct {
	ActionType  scalar          `json:"action_type"`
	MessageType scalar          `json:"message_type"`
	MessageID   scalar          `json:"message_id"`
	ID          scalar          `json:"id"`
	Message     scalar          `json:"message"`
	Author      cdAuthor        `json:"author"`
	AuthorID    scalar          `json:"author_id"`
	AuthorName  scalar          `json:"author_name"`
	Badges      scalar          `json:"badges"` // old: "Moderator, Member (6 months)"
	Timestamp   scalar          `json:"timestamp"`
	Seconds     scalar          `json:"time_in_seconds"`
	TimeText    scalar          `json:"time_text"`
	OffsetMsec  scalar          `json:"video_offset_time_msec"`
	Amount      scalar          `json:"amount"`
	Bits        scalar          `json:"bits"`
	Target      scalar          `json:"target_message_id"`
	TargetUser  scalar          `json:"target_author_id"`
	BannedUser  scalar          `json:"banned_user"`
	Raiders     scalar          `json:"number_of_raiders"`
	ReplyID     scalar          `json:"in_reply_to_message_id"`
	BadgeInfo   json.RawMessage `json:"badge_info"`
	ChannelID   scalar          `json:"channel_id"`
	Ticker      scalar          `json:"ticker_duration"`
	BodyColor   json.RawMessage `json:"body_color"`
	Money       cdMoney         `json:"money"`
	InReplyTo   object[id]      `json:"in_reply_to"`
}

type id struct {
	MessageID scalar `json:"message_id"`
}

type cdAuthor struct {
	ID, Name string
	Roles    []string
}

type cdMoney struct {
	Text, Amount, Currency scalar
	Ok                     bool
}

// UnmarshalJSON takes the name (old) or the object (current), and never fails.
func (a *cdAuthor) UnmarshalJSON(b []byte) error {
	var o struct {
		ID          scalar `json:"id"`
		Name        scalar `json:"name"`
		DisplayName scalar `json:"display_name"`
		Moderator   scalar `json:"is_moderator"`
		Subscriber  scalar `json:"is_subscriber"`
		Badges      list[struct {
			Name  scalar `json:"name"`
			Title scalar `json:"title"`
			Icon  scalar `json:"icon_name"`
		}] `json:"badges"`
	}
	if len(b) > 0 && b[0] == '"' {
		var name scalar
		_ = name.UnmarshalJSON(b) // never fails
		a.Name = string(name)
		return nil
	}
	if json.Unmarshal(b, &o) != nil {
		return nil //nolint:nilerr // an author of another shape stays unknown; the comment counts
	}
	a.ID, a.Name = string(o.ID), o.DisplayName.or(o.Name)
	for _, badge := range o.Badges {
		a.Roles = badgeRole(a.Roles, badge.Icon.or(badge.Name, badge.Title))
		a.Roles = badgeRole(a.Roles, string(badge.Title))
	}
	if o.Moderator == "true" {
		a.Roles = addRole(a.Roles, "moderator")
	}
	if o.Subscriber == "true" {
		a.Roles = addRole(a.Roles, "subscriber")
	}
	return nil
}

// UnmarshalJSON takes {text, amount, currency}, and never fails.
func (m *cdMoney) UnmarshalJSON(b []byte) error {
	var o object[struct {
		Text     scalar `json:"text"`
		Amount   scalar `json:"amount"`
		Currency scalar `json:"currency"`
	}]
	_ = o.UnmarshalJSON(b) // never fails
	m.Text, m.Amount, m.Currency, m.Ok = o.V.Text, o.V.Amount, o.V.Currency, o.Ok
	return nil
}

func (m *cdMoney) money() *comment.Money {
	if m.Amount == "" {
		return parseMoney(string(m.Text))
	}
	return &comment.Money{Micros: decimal(string(m.Amount)), Currency: currency(string(m.Currency))}
}

// badgeRole understands badges by name or by what people read: "Moderator", "Member (6 months)", "New member", "Owner".
func badgeRole(have []string, title string) []string {
	for part := range strings.SplitSeq(title, ",") {
		part = strings.ToLower(strings.TrimSpace(part))
		if strings.HasPrefix(part, "member (") || part == "new member" {
			part = "member"
		}
		have = addRole(have, part)
	}
	return have
}

func (chatDownloader) head(string, []byte) {}

func (chatDownloader) read(raw []byte, out []found) []found {
	var r cdRecord
	if reason := decode(raw, &r); reason != "" {
		return append(out, skipped(reason, ""))
	}
	kind, reason := r.kind()
	if reason != "" {
		return append(out, skipped(reason, r.MessageType.or(r.ActionType)))
	}
	f := found{Comment: comment.Comment{
		ID: r.MessageID.or(r.ID), Platform: r.platform(), Kind: kind, Text: string(r.Message),
		Author:  comment.Author{ID: r.AuthorID.or(scalar(r.Author.ID)), Name: scalar(r.Author.Name).or(r.AuthorName), Roles: r.Author.Roles},
		ReplyTo: r.InReplyTo.V.MessageID.or(r.ReplyID),
	}}
	f.Author.Roles = badgeRole(f.Author.Roles, string(r.Badges))
	r.details(&f)
	if f.Kind == comment.KindMessage && f.Text == "" {
		return append(out, skipped(reasonNoText, ""))
	}
	if reason := r.times(&f); reason != "" {
		return append(out, skipped(reason, ""))
	}
	return append(out, f)
}

// kind says what a row is, or why it is not one of chat.
func (r *cdRecord) kind() (comment.Kind, string) {
	t := string(r.MessageType)
	switch {
	case strings.HasPrefix(t, "ticker_"):
		return "", reasonTicker
	case t == "paid_message", t == "paid_sticker", t == "" && (r.Amount != "" || r.Money.Ok):
		return comment.KindPaid, ""
	case strings.HasPrefix(t, "membership_"), strings.HasPrefix(t, "sponsorships_"), strings.Contains(t, "subscription") && !strings.Contains(t, "only"),
		strings.HasSuffix(t, "_upgrade"), strings.HasSuffix(t, "_pay_forward"), t == "reward_gift", t == "prime_community_gift_received":
		return comment.KindMembership, ""
	case t == "raid":
		return comment.KindRaid, ""
	case t == "ban_user", t == "banUser", r.ActionType == "mark_chat_items_by_author_as_deleted", r.ActionType == "remove_chat_item_by_author":
		return comment.KindBanned, ""
	case t == "delete_message", t == "deletedMessage", t == "deleted_message", r.ActionType == "mark_chat_item_as_deleted", r.ActionType == "remove_chat_item":
		return comment.KindDeleted, ""
	case t == "clear_chat":
		if r.BannedUser != "" {
			return comment.KindBanned, ""
		}
		return comment.KindCleared, ""
	case t == "announcement", t == "user_notice", t == "ritual", t == "mode_change_message", t == "donation_announcement", t == "crowd_chant":
		return comment.KindNotice, ""
	case r.ActionType == "" && r.Message != "", t == "text_message", t == "highlighted_message", t == "send_message_in_subscriber_only_mode":
		return comment.KindMessage, ""
	case t == "":
		return "", reasonNoText
	default: // notices of the room and the log-in, placeholders, polls
		return "", reasonPlatform
	}
}

// details fills in what only some kinds have.
func (r *cdRecord) details(f *found) {
	switch {
	case r.Money.Ok:
		f.Money = r.Money.money()
	case r.Amount != "":
		f.Money = parseMoney(string(r.Amount))
	case count(string(r.Bits)) > 0:
		f.Money = &comment.Money{Micros: int64(count(string(r.Bits))) * 1_000_000, Currency: Bits}
	}
	if f.Money != nil && f.Kind == comment.KindMessage {
		f.Kind = comment.KindPaid
	}
	switch f.Kind {
	case comment.KindRaid:
		f.Raid = count(string(r.Raiders))
	case comment.KindDeleted:
		f.ID, f.Target = "", string(r.Target)
	case comment.KindBanned:
		f.ID = ""
		f.Author = comment.Author{ID: r.TargetUser.or(scalar(f.Author.ID)), Name: r.BannedUser.or(scalar(f.Author.Name))}
	}
}

func (r *cdRecord) platform() comment.Platform {
	id := r.AuthorID.or(scalar(r.Author.ID))
	switch {
	case r.BadgeInfo != nil, r.Bits != "", r.ChannelID != "", r.Raiders != "", r.BannedUser != "", r.MessageType == "privmsg":
		return comment.Twitch
	case len(id) == 24 && strings.HasPrefix(id, "UC"), r.OffsetMsec != "", r.Ticker != "", r.BodyColor != nil, r.Money.Ok, r.ActionType != "":
		return comment.YouTube
	case len(r.MessageID) == 36 && strings.Count(string(r.MessageID), "-") == 4:
		return comment.Twitch
	}
	return comment.Unknown
}

func (r *cdRecord) times(f *found) (reason string) {
	switch {
	case r.OffsetMsec != "":
		return f.when(string(r.Timestamp), string(r.OffsetMsec), parseMillis)
	case r.Seconds != "":
		return f.when(string(r.Timestamp), string(r.Seconds), parseSeconds)
	default:
		return f.when(string(r.Timestamp), string(r.TimeText), parseClock)
	}
}
