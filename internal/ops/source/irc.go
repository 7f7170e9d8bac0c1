package source

import (
	"bytes"
	"strings"

	"urakata/internal/ops/comment"
)

// irc reads raw lines of Twitch's chat, as loggers write them, with their tags. Chat is PRIVMSG, USERNOTICE, CLEARCHAT and CLEARMSG; every other
// command is skipped by its name.
type irc struct{}

// ircLine is one line, taken apart. Its parts are slices of the line.
type ircLine struct {
	tags     map[string]string
	nick     string
	command  string
	channel  string
	trailing string
}

func (irc) head(string, []byte) {}

func (irc) read(raw []byte, out []found) []found {
	l, ok := parseIRC(string(bytes.TrimLeft(raw, " \t")))
	if !ok {
		return append(out, skipped(reasonLine, ""))
	}
	var f found
	switch l.command {
	case "PRIVMSG":
		f = l.message()
	case "USERNOTICE":
		f = l.notice()
	case "CLEARCHAT":
		f = found{Comment: comment.Comment{Kind: comment.KindCleared}}
		if l.trailing != "" {
			f.Kind = comment.KindBanned
			f.Author = comment.Author{ID: l.tags["target-user-id"], Name: l.trailing}
		}
	case "CLEARMSG":
		f = found{Comment: comment.Comment{Kind: comment.KindDeleted, Target: l.tags["target-msg-id"], Author: comment.Author{Name: l.tags["login"]}}}
	default:
		return append(out, skipped(reasonPlatform, l.command))
	}
	f.Platform = comment.Twitch
	if reason := f.when(l.tags["tmi-sent-ts"], "", nil); f.skip == "" && reason != "" {
		f = skipped(reason, "")
	}
	return append(out, f)
}

func (l *ircLine) message() found {
	text := l.trailing
	if t, ok := strings.CutPrefix(text, "\x01ACTION "); ok {
		text = strings.TrimSuffix(t, "\x01")
	}
	f := found{Comment: comment.Comment{ID: l.tags["id"], Text: text, ReplyTo: l.tags["reply-parent-msg-id"], Author: l.author()}}
	if bits := count(l.tags["bits"]); bits > 0 {
		f.Kind = comment.KindPaid
		f.Money = &comment.Money{Micros: int64(bits) * 1_000_000, Currency: Bits}
	}
	if text == "" {
		return skipped(reasonNoText, "")
	}
	return f
}

func (l *ircLine) notice() found {
	f := found{Comment: comment.Comment{ID: l.tags["id"], Text: l.trailing, Author: l.author(), Kind: noticeKind(l.tags["msg-id"])}}
	if f.Kind == comment.KindRaid {
		f.Raid = count(l.tags["msg-param-viewerCount"])
	}
	return f
}

// noticeKind says what a notice of Twitch is, by its msg-id.
func noticeKind(id string) comment.Kind {
	switch id {
	case "raid":
		return comment.KindRaid
	case "sub", "resub", "subgift", "anonsubgift", "submysterygift", "anonsubmysterygift", "giftpaidupgrade", "anongiftpaidupgrade", "primepaidupgrade",
		"extendsub", "standardpayforward", "communitypayforward", "primecommunitygiftreceived", "rewardgift":
		return comment.KindMembership
	default: // announcement, ritual, viewermilestone and what Twitch adds
		return comment.KindNotice
	}
}

func (l *ircLine) author() comment.Author {
	a := comment.Author{ID: l.tags["user-id"], Name: scalar(l.tags["display-name"]).or(scalar(l.tags["login"]), scalar(l.nick))}
	for badge := range strings.SplitSeq(l.tags["badges"], ",") {
		name, _, _ := strings.Cut(badge, "/")
		a.Roles = addRole(a.Roles, name)
	}
	if l.tags["mod"] == "1" {
		a.Roles = addRole(a.Roles, "moderator")
	}
	if l.tags["subscriber"] == "1" {
		a.Roles = addRole(a.Roles, "subscriber")
	}
	if a.ID != "" && a.ID == l.tags["room-id"] {
		a.Roles = addRole(a.Roles, "broadcaster")
	}
	return a
}

// parseIRC takes a line apart: [@tags] [:prefix] COMMAND [#channel] [:trailing].
func parseIRC(s string) (ircLine, bool) {
	l := ircLine{}
	if rest, ok := strings.CutPrefix(s, "@"); ok {
		tags, after, ok := strings.Cut(rest, " ")
		if !ok {
			return l, false
		}
		l.tags, s = parseTags(tags), strings.TrimLeft(after, " ")
	}
	if rest, ok := strings.CutPrefix(s, ":"); ok {
		prefix, after, ok := strings.Cut(rest, " ")
		if !ok {
			return l, false
		}
		l.nick, _, _ = strings.Cut(prefix, "!")
		s = strings.TrimLeft(after, " ")
	}
	var args string
	l.command, args, _ = strings.Cut(s, " ")
	if l.command == "" || len(l.command) > 20 || strings.Trim(l.command, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
		return l, false
	}
	if head, trailing, ok := strings.Cut(args, ":"); ok && (head == "" || head[len(head)-1] == ' ') {
		args, l.trailing = head, trailing
	}
	l.channel, args, _ = strings.Cut(args, " ")
	if l.trailing == "" {
		l.trailing = strings.TrimSpace(args)
	}
	return l, true
}

func parseTags(s string) map[string]string {
	tags := make(map[string]string, 24)
	for tag := range strings.SplitSeq(s, ";") {
		key, value, _ := strings.Cut(tag, "=")
		if strings.IndexByte(value, '\\') >= 0 {
			value = tagEscapes.Replace(value)
		}
		tags[key] = value
	}
	return tags
}

var tagEscapes = strings.NewReplacer(`\:`, ";", `\s`, " ", `\\`, `\`, `\r`, "\r", `\n`, "\n")

// looksIRC reports whether a line could come from Twitch's chat.
func looksIRC(line []byte) bool {
	if len(line) == 0 || line[0] != '@' && line[0] != ':' && !bytes.HasPrefix(line, []byte("PING ")) {
		return false
	}
	l, ok := parseIRC(string(bytes.TrimSpace(line)))
	if !ok {
		return false
	}
	switch l.command {
	case "PRIVMSG", "USERNOTICE", "CLEARCHAT", "CLEARMSG", "ROOMSTATE", "USERSTATE", "GLOBALUSERSTATE", "JOIN", "PART", "CAP", "NOTICE", "HOSTTARGET", "PING":
		return true
	}
	return len(l.command) == 3 && l.command[0] >= '0' && l.command[0] <= '9'
}
