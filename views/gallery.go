package views

import (
	"encoding/json"
	"strconv"
	"time"

	"urakata/internal/agent"
	"urakata/internal/ops"
	"urakata/internal/ops/comment"
	"urakata/internal/ops/source"
)

// Samples are made-up values of every part in every state, for the gallery and for tests. They are drawn at Moment.
type Samples struct{ Moment time.Time }

// The names are as hostile as names get.
const (
	zalgo = "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘!͖̬̰̙̗"
	bidi  = "\u202Ehsom\u202C"
)

// Person is an operator who may do everything but manage people.
func (Samples) Person() ops.Who {
	return ops.Who{ID: "op-1", Name: "mio", Role: ops.RoleOwner}
}

// Nagi is a character at work.
func (Samples) Nagi() ops.Character {
	return ops.Character{
		ID: "nagi", Name: "Nagi", Job: "stream-operations", Language: "ja", Backend: "rules", Art: "nagi", Version: 3, Brief: "You watch the chat.\nYou speak little.",
		Tools: map[string]ops.ToolRule{"chat.delete": {Permission: ops.PermitAsk, Deadline: 180}, "comments.stats": {Permission: ops.PermitAllow}},
	}
}

// Stream is a stream in a state.
func (s Samples) Stream(state ops.StreamState) ops.Stream {
	return ops.Stream{
		ID: "str-1", Title: "お絵かき配信 #42 夜ふかしデッサン会", Topic: "デッサン", Language: "ja", State: state, Character: "nagi",
		Source: ops.SourceSpec{Kind: "replay", File: "example", Speed: 20}, Rehearsal: true, Example: true, StartedAt: s.Moment.Add(-38 * time.Minute), Comments: 1284, Cards: 6,
		Counts: source.Counts{Records: 1300, Read: 1284, Skipped: 9, Duplicates: 7, Reasons: map[string]int64{"not a comment": 9}},
	}
}

// Header is the head of a board.
func (s Samples) Header(state ops.StreamState) StreamHeader {
	h := StreamHeader{
		Stream: s.Stream(state), Character: s.Nagi(), Backend: "rules (offline)", Doing: agent.Thinking, Elapsed: 38*time.Minute + 12*time.Second, Pending: 2, Reader: s.Person(),
		Health: source.Health{State: source.StateLive, Last: s.Moment.Add(-3 * time.Second), Counts: source.Counts{Read: 1284}},
	}
	if state == ops.StreamEnded {
		h.Report, h.Health.State = "rep-1", source.StateEnded
	}
	return h
}

// Cards are all six kinds in several states.
func (s Samples) Cards() []ops.Card {
	card := func(n int, k ops.CardKind, v ops.Severity, observed, suggested string) ops.Card {
		return ops.Card{
			ID: "crd-" + strconv.Itoa(n), Stream: "str-1", Kind: k, Severity: v, Observed: observed, Suggested: suggested, Evidence: []string{"m1", "m2", "m4"},
			Offset: time.Duration(40-n*3) * time.Minute, Character: "nagi", State: ops.CardOpen, At: s.Moment.Add(-time.Duration(n) * time.Minute),
		}
	}
	list := []ops.Card{
		card(1, ops.SafetyConcern, ops.High, "攻撃的なコメントが4件、同じ視聴者v7から届いています（36:40〜37:20）。", "コメントの削除を提案しました。落ち着くまで様子を見てください。"),
		card(2, ops.QuestionSurge, ops.Medium, "「使用ブラシ」についての質問が12件、9人から届いています。", "区切りのよいところで、いま使っているブラシの名前を伝えるとよさそうです。"),
		card(3, ops.ConstructiveFeedback, ops.Medium, "音声が小さいという報告が5件、5人から届いています。", "マイクの音量を少し上げてみてください。"),
		card(4, ops.TopicShift, ops.Low, "話題が「お絵かき」から「食べ物」に移りました。", ""),
		card(5, ops.Highlight, ops.Low, "34:10からの1分間にコメントが58件ありました。", "切り抜きの候補です。"),
		card(6, ops.Information, ops.Low, "120人のレイドがありました。", ""),
	}
	list[1].Updates = 2
	list[4].State, list[4].By, list[4].Note = ops.CardHandled, "mio", "クリップ済み"
	return list
}

// Chat is rows of every kind, newest first.
func (s Samples) Chat() []ops.Stored {
	row := func(n int64, name, text string, a comment.Analysis) ops.Stored {
		a.ID = "m" + strconv.FormatInt(n, 10)
		return ops.Stored{Seq: n, Analysis: a, Comment: comment.Comment{
			ID: a.ID, Platform: comment.YouTube, Text: text, Offset: time.Duration(2270-20*n) * time.Second, Author: comment.Author{ID: "UC" + a.ID, Name: name},
		}}
	}
	rows := []ops.Stored{
		row(1, "もなか", "そのブラシ、なんていう名前ですか？", comment.Analysis{Question: true, GroupSize: 12, Group: "q1", Subject: comment.SubjectArt, FirstTime: true}),
		row(2, "Marlow B.", "the shading on the hair is so good", comment.Analysis{Mood: 1}),
		row(3, zalgo, zalgo+zalgo, comment.Analysis{}),
		row(4, bidi, "本当にひどい配信だな", comment.Analysis{Action: comment.Escalate, Risk: comment.RiskHigh, Categories: []comment.Category{comment.HostileFeedback, comment.Harassment}}),
		row(5, "電気毛布", "音ちょっと小さいかも", comment.Analysis{Cluster: comment.ClusterTrouble, Subject: comment.SubjectAudio}),
		row(6, "木曜の猫", "応援してます！", comment.Analysis{}),
		row(7, "ad-bot-9981", "free followers at hxxp://example.test", comment.Analysis{Action: comment.Withhold, Risk: comment.RiskMedium, Categories: []comment.Category{comment.Scam, comment.URL}, Wave: "w1", WaveSize: 6}),
		row(8, "すみれ堂", "今日は何時までですか", comment.Analysis{Question: true, Subject: comment.SubjectSchedule}),
	}
	rows[5].Comment.Kind, rows[5].Comment.Money = comment.KindPaid, &comment.Money{Micros: 500_000_000, Currency: "JPY"}
	rows[7].Comment.Author.Roles = []string{"member"}
	raid := row(9, "neighbour_ch", "", comment.Analysis{})
	raid.Comment.Kind, raid.Comment.Raid, raid.Comment.Platform = comment.KindRaid, 120, comment.Twitch
	return append(rows, raid)
}

// Items are the inbox: an approval, a question, an unknown, and what became of others.
func (s Samples) Items() []ItemView {
	chat := s.Chat()
	view := func(id string, kind ops.ItemKind, v ops.Severity) ItemView {
		return ItemView{
			Item:   ops.Item{ID: id, Kind: kind, Stream: "str-1", Character: "nagi", At: s.Moment.Add(-30 * time.Second), State: ops.ItemPending, Rehearsed: true},
			Stream: s.Stream(ops.StreamLive), Character: s.Nagi(), Key: "key-" + id, Reader: s.Person(), Severity: v,
		}
	}
	del := view("itm-1", ops.ItemApproval, ops.High)
	del.Item.Tool, del.Item.Risk, del.Item.Target, del.Item.Deadline = "chat.delete", "destructive", &chat[3], s.Moment.Add(151*time.Second)
	del.Item.Arguments = json.RawMessage(`{"comment":"c4","reason":"攻撃的な発言の繰り返し"}`)
	del.Item.Reason, del.Item.Evidence, del.Evidence = "同じ視聴者が攻撃的な発言を4回繰り返しています。", []string{"m4", "m7"}, []ops.Stored{chat[6], chat[3]}
	say := view("itm-2", ops.ItemApproval, ops.Medium)
	say.Item.Tool, say.Item.Risk, say.Item.Deadline = "chat.announce", "external", s.Moment.Add(41*time.Second)
	say.Item.Arguments = json.RawMessage(`{"text":"ブラシの名前は\u202e概要欄\u202cにあります","pin":true,"seconds":300}`)
	ask := view("itm-3", ops.ItemQuestion, ops.Low)
	ask.Item.Tool, ask.Item.Question, ask.Item.Choices = "operator.ask", "音量についての報告が続いています。マイクの設定を変えましたか？", []string{"変えた", "これから変える", "問題ない"}
	unknown := view("itm-4", ops.ItemUnknown, ops.High)
	unknown.Item.Tool = "viewer.timeout"
	return append([]ItemView{del, say, ask, unknown}, s.decided(view)...)
}

func (s Samples) decided(view func(string, ops.ItemKind, ops.Severity) ItemView) []ItemView {
	done := func(id string, st ops.ItemState, o ops.OutcomeState, say string) ItemView {
		v := view(id, ops.ItemApproval, ops.Low)
		v.Item.Tool, v.Item.Risk, v.Item.State, v.Item.Outcome, v.Item.OutcomeSay = "chat.delete", "destructive", st, o, say
		v.Item.DecidedBy, v.Item.DecidedAt = "ren", s.Moment.Add(-9*time.Second)
		return v
	}
	refused := done("itm-6", ops.ItemAllowed, ops.OutcomeRefused, "the target is another moderator")
	late := done("itm-7", ops.ItemExpired, ops.OutcomeNone, "")
	late.Item.DecidedBy, late.Item.Deadline = "", s.Moment.Add(-time.Minute)
	beaten := done("itm-5", ops.ItemAllowed, ops.OutcomeDone, "")
	beaten.Conflict = &ops.Decided{Item: beaten.Item}
	cancelled := done("itm-8", ops.ItemCancelled, ops.OutcomeNone, "")
	cancelled.Item.Why = "stream ended"
	return []ItemView{beaten, refused, late, cancelled}
}

// Pulse is forty minutes with a gap.
func (s Samples) Pulse() Pulse {
	p := Pulse{Stream: "str-1", Language: "ja", Total: 1284, Subjects: []SubjectCount{{comment.SubjectArt, 31, 18}, {comment.SubjectAudio, 9, 0}, {comment.SubjectFood, 7, 12}}}
	for i := range 38 {
		n := 18 + (i*7)%13 + i/2
		m := Minute{At: time.Duration(i) * time.Minute, Messages: n, Questions: (i * 5) % 7, Glad: n / 3, Worried: i % 4, Low: i % 3 / 2}
		if i > 32 {
			m.Medium, m.High = 2, i%3
		}
		if i == 12 || i == 13 {
			m = Minute{At: m.At, Gap: true}
		}
		p.Minutes = append(p.Minutes, m)
	}
	return p
}

// Activity is what the staff did in the last minute.
func (s Samples) Activity() Activity {
	at := func(sec int) time.Time { return s.Moment.Add(-time.Duration(sec) * time.Second) }
	return Activity{
		Stream: "str-1", Character: s.Nagi(), Doing: agent.Thinking, Since: at(2), Turns: 17, Session: "ses-1",
		Lines: []ActivityLine{
			{At: at(2), Kind: agent.TurnStarted, Turn: "t17"}, {At: at(30), Kind: agent.ApprovalRequested, Turn: "t16", Tool: "chat.delete"},
			{At: at(31), Kind: agent.TurnCompleted, Turn: "t16", Stop: "end", MS: 84}, {At: at(95), Kind: agent.TurnFailed, Turn: "t15", Stop: "timeout", MS: 30000, Tokens: 1840},
		},
	}
}

// Board is a whole board.
func (s Samples) Board() Board {
	items := s.Items()[:2]
	for i := range items {
		items[i].OnBoard = true
	}
	return Board{Header: s.Header(ops.StreamLive), Pending: items, Cards: s.Cards(), Chat: s.Chat(), Pulse: s.Pulse(), Activity: s.Activity(), Reader: s.Person()}
}

// Page is the frame of a room.
func (s Samples) Page(room Room, back string) Page {
	return Page{Nav: room, Reader: s.Person(), Back: back, Counts: Counts{Pending: 3, Worst: ops.High}, Staff: []ops.Character{s.Nagi()}}
}
