package source

import (
	"encoding/json"
	"strings"
	"time"

	"urakata/internal/ops/comment"
)

// liveChat reads the live_chat.json that yt-dlp saves: JSON lines, each with one or more of YouTube's own actions. An action is a record.
type liveChat struct{}

type lcLine struct {
	Replay object[struct {
		Actions list[lcAction] `json:"actions"`
		Offset  scalar         `json:"videoOffsetTimeMsec"`
	}] `json:"replayChatItemAction"`
	Offset scalar `json:"videoOffsetTimeMsec"` // a live recording has it here
	lcAction
}

type lcAction struct {
	Add          *lcItem         `json:"addChatItemAction"`
	Replace      *lcReplace      `json:"replaceChatItemAction"`
	Remove       *lcTarget       `json:"removeChatItemAction"`
	Deleted      *lcTarget       `json:"markChatItemAsDeletedAction"`
	RemoveAuthor *lcTarget       `json:"removeChatItemByAuthorAction"`
	Banned       *lcTarget       `json:"markChatItemsByAuthorAsDeletedAction"`
	Ticker       json.RawMessage `json:"addLiveChatTickerItemAction"`
}

type lcItem struct {
	Item map[string]json.RawMessage `json:"item"`
}

type lcReplace struct {
	Item map[string]json.RawMessage `json:"replacementItem"`
}

type lcTarget struct {
	Item    scalar `json:"targetItemId"`
	Channel scalar `json:"externalChannelId"`
}

// lcRow is every renderer's fields together; each has some of them.
type lcRow struct {
	ID       scalar   `json:"id"`
	Usec     scalar   `json:"timestampUsec"`
	Clock    lcText   `json:"timestampText"`
	Channel  scalar   `json:"authorExternalChannelId"`
	Name     lcText   `json:"authorName"`
	Message  lcText   `json:"message"`
	Primary  lcText   `json:"headerPrimaryText"`
	Subtext  lcText   `json:"headerSubtext"`
	Text     lcText   `json:"text"`
	Purchase lcText   `json:"purchaseAmountText"`
	Event    lcText   `json:"eventText"`
	Badges   lcBadges `json:"authorBadges"`
	Sticker  object[struct {
		Accessibility struct {
			Data struct {
				Label scalar `json:"label"`
			} `json:"accessibilityData"`
		} `json:"accessibility"`
	}] `json:"sticker"`
	Header object[struct {
		Gift *struct {
			Name   lcText   `json:"authorName"`
			Title  lcText   `json:"primaryText"`
			Badges lcBadges `json:"authorBadges"`
		} `json:"liveChatSponsorshipsHeaderRenderer"`
	}] `json:"header"`
}

type lcBadges = list[struct {
	Badge struct {
		Icon struct {
			Type scalar `json:"iconType"`
		} `json:"icon"`
		Custom json.RawMessage `json:"customThumbnail"`
	} `json:"liveChatAuthorBadgeRenderer"`
}]

// lcText is a text of YouTube: simple, or runs of words and emoji. An emoji becomes itself, or its short name if it is the channel's own.
type lcText string

// UnmarshalJSON takes what it can and never fails.
func (t *lcText) UnmarshalJSON(b []byte) error {
	var o object[struct {
		Simple  scalar `json:"simpleText"`
		Content scalar `json:"content"`
		Runs    list[struct {
			Text  scalar `json:"text"`
			Emoji object[struct {
				ID        scalar       `json:"emojiId"`
				Custom    scalar       `json:"isCustomEmoji"`
				Shortcuts list[scalar] `json:"shortcuts"`
			}] `json:"emoji"`
		}] `json:"runs"`
	}]
	_ = o.UnmarshalJSON(b) // never fails
	var s strings.Builder
	s.WriteString(o.V.Simple.or(o.V.Content))
	for _, r := range o.V.Runs {
		switch e := r.Emoji.V; {
		case !r.Emoji.Ok:
			s.WriteString(string(r.Text))
		case e.Custom != "true" && e.ID != "":
			s.WriteString(string(e.ID))
		case len(e.Shortcuts) > 0:
			s.WriteString(string(e.Shortcuts[0]))
		default:
			s.WriteString(string(e.ID))
		}
	}
	*t = lcText(s.String())
	return nil
}

func (liveChat) head(string, []byte) {}

func (liveChat) read(raw []byte, out []found) []found {
	var l lcLine
	if reason := decode(raw, &l); reason != "" {
		return append(out, skipped(reason, ""))
	}
	actions := []lcAction(l.Replay.V.Actions)
	if !l.Replay.Ok {
		actions = []lcAction{l.lcAction}
	}
	if len(actions) == 0 {
		return append(out, skipped(reasonEmpty, ""))
	}
	offset := l.Replay.V.Offset.or(l.Offset)
	for i := range actions {
		f := actions[i].found()
		if f.skip == "" {
			if reason := f.when(f.usec, offset, parseMillis); reason != "" {
				f.found = skipped(reason, "")
			} else if f.Offset == 0 && f.hasOffset { // in the waiting room every offset is 0, and only the clock knows
				f.Offset = f.clock
			}
		}
		out = append(out, f.found)
	}
	return out
}

// lcFound is a found row with its time, and with the clock that the player shows beside it.
type lcFound struct {
	found
	usec  string
	clock time.Duration
}

func (a *lcAction) found() lcFound {
	switch {
	case a.Add != nil:
		return row(a.Add.Item)
	case a.Replace != nil:
		return row(a.Replace.Item)
	case a.Deleted != nil:
		return lcFound{found: event(comment.KindDeleted, a.Deleted)}
	case a.Remove != nil:
		return lcFound{found: event(comment.KindDeleted, a.Remove)}
	case a.Banned != nil:
		return lcFound{found: event(comment.KindBanned, a.Banned)}
	case a.RemoveAuthor != nil:
		return lcFound{found: event(comment.KindBanned, a.RemoveAuthor)}
	case a.Ticker != nil:
		return lcFound{found: skipped(reasonTicker, "")}
	default: // banners, polls, tooltips
		return lcFound{found: skipped(reasonPlatform, "")}
	}
}

func event(kind comment.Kind, t *lcTarget) found {
	return found{Comment: comment.Comment{Platform: comment.YouTube, Kind: kind, Target: string(t.Item), Author: comment.Author{ID: string(t.Channel)}}}
}

// row understands the one renderer that an item holds.
func row(item map[string]json.RawMessage) lcFound {
	for name, raw := range item {
		kind, ok := renderers[name]
		if !ok {
			continue
		}
		var r lcRow
		if json.Unmarshal(raw, &r) != nil {
			return lcFound{found: skipped(reasonBroken, name)}
		}
		return r.found(kind)
	}
	if len(item) == 1 {
		for name := range item {
			return lcFound{found: skipped(reasonPlatform, name)}
		}
	}
	return lcFound{found: skipped(reasonEmpty, "")}
}

// renderers are those that show a row of chat.
var renderers = map[string]comment.Kind{
	"liveChatTextMessageRenderer":                            comment.KindMessage,
	"liveChatPaidMessageRenderer":                            comment.KindPaid,
	"liveChatPaidStickerRenderer":                            comment.KindPaid,
	"liveChatMembershipItemRenderer":                         comment.KindMembership,
	"liveChatLegacyPaidMessageRenderer":                      comment.KindMembership, // how a new member was told of before 2021
	"liveChatSponsorshipsGiftPurchaseAnnouncementRenderer":   comment.KindMembership,
	"liveChatSponsorshipsGiftRedemptionAnnouncementRenderer": comment.KindMembership,
	"liveChatModeChangeMessageRenderer":                      comment.KindNotice,
}

func (r *lcRow) found(kind comment.Kind) lcFound {
	var title lcText
	if g := r.Header.V.Gift; g != nil {
		r.Name, title, r.Badges = g.Name, g.Title, g.Badges
	}
	text := string(r.Message)
	if text == "" && kind != comment.KindMessage {
		text = r.Sticker.V.Accessibility.Data.Label.or(scalar(title), scalar(r.Primary), scalar(r.Subtext), scalar(r.Event), scalar(r.Text))
	}
	f := found{Comment: comment.Comment{
		ID: string(r.ID), Platform: comment.YouTube, Kind: kind, Text: text,
		Author: comment.Author{ID: string(r.Channel), Name: string(r.Name), Roles: r.roles()},
	}}
	if kind == comment.KindPaid {
		f.Money = parseMoney(string(r.Purchase))
	}
	if kind == comment.KindMessage && text == "" {
		return lcFound{found: skipped(reasonNoText, "")}
	}
	clock, _ := parseClock(string(r.Clock)) // a live recording shows the time of day instead: no matter, its offset is never 0
	return lcFound{found: f, usec: string(r.Usec), clock: min(clock, 0)}
}

func (r *lcRow) roles() (have []string) {
	for _, b := range r.Badges {
		if b.Badge.Custom != nil {
			have = addRole(have, "member")
		}
		have = addRole(have, string(b.Badge.Icon.Type))
	}
	return have
}
