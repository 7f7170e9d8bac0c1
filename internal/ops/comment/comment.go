package comment

import "time"

// Platform says where a comment was written.
type Platform string

// The platforms a comment can come from.
const (
	YouTube Platform = "youtube"
	Twitch  Platform = "twitch"
	Web     Platform = "web"
	Unknown Platform = "unknown"
)

// Kind says what a row of chat is; the zero value is an ordinary message.
type Kind string

// Kinds of chat rows. Everything but a message is an event of the platform and is never analysed for safety by its (empty) text.
const (
	KindMessage    Kind = ""
	KindPaid       Kind = "paid"       // Super Chat, cheer: Money is set
	KindMembership Kind = "membership" // new member, sub, gift, milestone
	KindRaid       Kind = "raid"       // Raid is the number of viewers that came
	KindNotice     Kind = "notice"     // announcement or other line of the platform
	KindDeleted    Kind = "deleted"    // Target names the comment that was deleted
	KindBanned     Kind = "banned"     // Author is the viewer who was banned or timed out
	KindCleared    Kind = "cleared"    // the whole chat was cleared
)

// Author is a viewer as the platform names them. ID is stable; Name is what people read and may hold anything.
type Author struct {
	ID    string   `json:"id"`
	Name  string   `json:"name"`
	Roles []string `json:"roles,omitempty"` // owner, moderator, member, subscriber, vip, verified
}

// Money is an amount in millionths of the currency's unit. Currency is ISO 4217, or "BITS". Amounts of two currencies are never added.
type Money struct {
	Micros   int64  `json:"micros"`
	Currency string `json:"currency"`
}

// Comment is one row of chat, before anybody understood it.
type Comment struct {
	ID        string        `json:"id"` // the platform's id, or one made from the content when the record has none
	Platform  Platform      `json:"platform"`
	Kind      Kind          `json:"kind,omitempty"`
	Text      string        `json:"text"` // as written; valid UTF-8, never NUL
	At        time.Time     `json:"at"`
	Offset    time.Duration `json:"offset"` // from the start of the stream; may be negative (waiting room)
	Author    Author        `json:"author"`
	Money     *Money        `json:"money,omitempty"`
	ReplyTo   string        `json:"replyTo,omitempty"`
	Target    string        `json:"target,omitempty"`
	Raid      int           `json:"raid,omitempty"`
	Topic     string        `json:"topic,omitempty"`     // the stream's topic at that moment, when the record states one
	Truncated bool          `json:"truncated,omitempty"` // Text was cut at MaxText on the way in
}

// MaxText is how many bytes of one comment's text are kept; longer text is cut at a rune and says so.
const MaxText = 16 << 10
