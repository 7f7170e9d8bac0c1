package comment

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strings"
	"unicode/utf8"
)

// reach is how many runes may lie between two words that mean something together. A language with spaces needs more.
func reach(h hit) int {
	switch h.lang {
	case "ja", "zh", "ko":
		return 16
	}
	return 40
}

// injection finds words that try to give the machine orders.
func (v *verdict) injection(w *view, f *finds) {
	if h, ok := f.first(tagMode); ok && !f.has(tagHowTo) && (f.has(tagNow) || f.has(tagTell) || f.has(tagDrop) || h.lang != "en" || f.has(tagSay) || len(w.r) < 60) {
		v.hit("injection.mode", PromptInjection, RiskHigh, w, h)
	}
	if h, ok := f.first(tagMeddle); ok {
		v.hit("injection.meddle", PromptInjection, RiskHigh, w, h)
	}
	if h, ok := f.first(tagBoss); ok {
		v.hit("injection.authority", PromptInjection, RiskHigh, w, h)
	}
	v.override(w, f)
	v.reveal(w, f)
	if a, b, ok := f.near(tagNow, tagFree, 40); ok {
		v.pair("injection.persona", PromptInjection, RiskHigh, w, a, b)
	}
	if a, b, ok := f.near(tagReply, tagSay, 48); ok {
		v.pair("injection.dictate", PromptInjection, RiskHigh, w, a, b)
	}
}

// override finds "forget what you were told": a dropping verb beside orders, or beside laws when something earlier or everything is meant.
func (v *verdict) override(w *view, f *finds) {
	if !f.has(tagDrop) {
		return
	}
	for _, d := range f.hits {
		if d.tag != tagDrop {
			continue
		}
		for _, o := range f.hits {
			if o.tag != tagOrders && o.tag != tagLaws && o.tag != tagSecret || o.lang != d.lang || o.from > d.to+reach(d) || d.from > o.to+reach(d) {
				continue
			}
			lo, hi := min(d.from, o.from), max(d.to, o.to)
			if o.tag == tagLaws && !f.before(tagPrior, hi, hi-lo+reach(d)) && !f.before(tagTarget, hi, hi-lo+4) {
				continue
			}
			if o.tag == tagLaws && f.has(tagThing) {
				continue
			}
			if o.tag == tagOrders && o.lang != "en" && mild[o.word] && !f.has(tagPrior) && !f.has(tagTell) && !f.has(tagSecret) && !ended(w, hi) {
				continue
			}
			v.pair("injection.override", PromptInjection, RiskHigh, w, d, o)
			return
		}
	}
}

// mild are words for orders that people also use of players and pets.
var mild = setOf("指示 命令 指令 지시 명령 ordenes indicaciones")

// ended reports that the clause is over soon after i.
func ended(w *view, i int) bool {
	for k := i; k < len(w.r); k++ {
		if w.kind[k] == separator {
			return true
		}
		if k-i > 6 {
			return false
		}
	}
	return true
}

// reveal finds "tell us your secret orders", but not a wish to learn how such orders are written.
func (v *verdict) reveal(w *view, f *finds) {
	if f.has(tagHowTo) {
		return
	}
	for _, s := range f.hits {
		if s.tag != tagSecret {
			continue
		}
		for _, t := range f.hits {
			if t.tag == tagTell && t.lang == s.lang && t.from <= s.to+reach(t) && s.from <= t.to+reach(t) {
				v.pair("injection.reveal", PromptInjection, RiskHigh, w, s, t)
				return
			}
		}
	}
}

// marks of another speaker, as model chats write them. They are looked for in the folded text before its separators are merged.
var speakerMarks = []string{"<|im_start|>", "<|im_end|>", "<|system|>", "<|assistant|>", "<|user|>", "<|endoftext|>", "[inst]", "[/inst]", "<<sys>>", "[system]", "[/system]",
	"[assistant]", "{{system", "<system>", "</system>", "<system ", "</user>", "<assistant>", "</assistant>", "</chat>", "</comment>", "</comments>", "</data>", "</viewer>", "</message>",
	"</messages>", "</input>", "</prompt>", "<prompt>", "</context>", "<instructions>", "</instructions>", "<tool_call>", "</tool_call>", "<function_call>", "</untrusted>", "### instruction",
	"###instruction", "### system", "### response", "--- system", "=== system", "begin system prompt", "end system prompt", "```system", "<developer>", "</developer>", "<admin>"}

// speakers that may stand before a colon at the start of a line.
var speakers = []string{"system", "assistant", "developer", "system prompt", "admin", "instruction", "instructions", "システム", "指示", "命令", "開発者", "新しい指示", "管理者", "시스템", "지시", "명령", "系统", "指令", "新指令",
	"sistema", "instrucciones", "アシスタント", "助手", "어시스턴트", "asistente"}

// puppets are speakers nobody writes before a colon except to put words into the machine's mouth.
var puppets = setOf("assistant アシスタント 助手 어시스턴트 asistente developer 新しい指示 新指令")

// forgery finds text that pretends to be another part of the conversation. text is the folded plain view.
func (v *verdict) forgery(plain *view, raw string, f *finds) {
	at := 0 // start of the line, in runes
	for i := 0; i <= len(plain.r); i++ {
		if i < len(plain.r) {
			if r := plain.r[i]; r == '<' || r == '[' || r == '#' || r == '{' || r == '`' || r == '-' || r == '=' || r == 'b' || r == 'e' {
				for _, m := range speakerMarks {
					if n := standsAt(plain, i, m); n > 0 && (r != 'b' && r != 'e' || i == 0 || plain.kind[i-1] == separator) {
						v.add("injection.speaker", PromptInjection, RiskHigh, "", plain.span(i, i+n))
						break
					}
				}
			}
		}
		if i == len(plain.r) || plain.r[i] == '\n' || i > 0 && plain.r[i-1] == '>' {
			v.line(plain, raw, at, i, f)
			at = i
			if i < len(plain.r) && plain.r[i] == '\n' {
				at = i + 1
			}
		}
	}
}

// line finds "SYSTEM: …" at the start of a line when the rest gives orders, shouts, or follows other lines.
func (v *verdict) line(plain *view, raw string, from, to int, f *finds) {
	for from < to && (plain.kind[from] == separator) && plain.r[from] != '<' {
		from++
	}
	for _, s := range speakers {
		n := standsAt(plain, from, s)
		if n == 0 || from+n >= to {
			continue
		}
		end := from + n
		for end < to && plain.r[end] == ' ' {
			end++
		}
		if end >= to && to >= len(plain.r) || plain.r[min(end, len(plain.r)-1)] != ':' {
			continue
		}
		span := plain.span(from, end+1)
		shout := raw[span[0]:min(span[1], len(raw))]
		orders := f.has(tagDrop) || f.has(tagTell) || f.has(tagSay) || f.has(tagMeddle) || f.has(tagOrders) || f.has(tagReply) || f.has(tagNow)
		if from > 0 || orders || puppets[s] || strings.ToUpper(shout) == shout && strings.ToLower(shout) != shout {
			v.add("injection.speaker", PromptInjection, RiskHigh, "", span)
			return
		}
	}
}

// standsAt returns how many runes of the view read s at i, 0 for none.
func standsAt(v *view, i int, s string) int {
	n := 0
	for _, r := range s {
		if i+n >= len(v.r) || v.r[i+n] != r {
			return 0
		}
		n++
	}
	return n
}

// payload is something encoded in a text, with its place.
type payload struct {
	text string
	span [2]int
}

// payloads decodes base64, hex and percent-encoded words that turn out to be readable.
func payloads(text string) []payload {
	var out []payload
	start := -1
	for i := 0; i <= len(text) && len(out) < 4; i++ {
		if i < len(text) && text[i] > ' ' && text[i] < 0x7F {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 && i-start >= 16 {
			if s, ok := decode(text[start:i]); ok {
				out = append(out, payload{s, [2]int{start, i}})
			}
		}
		start = -1
	}
	return out
}

func decode(s string) (string, bool) {
	if strings.Count(s, "%") >= 3 {
		if d, err := url.PathUnescape(s); err == nil && readable(d) {
			return d, true
		}
	}
	s = strings.Trim(s, "\"'`(),.:;")
	if d, err := hex.DecodeString(strings.TrimPrefix(s, "0x")); err == nil && readable(string(d)) {
		return string(d), true
	}
	for _, e := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.RawURLEncoding} {
		if d, err := e.DecodeString(s); err == nil && readable(string(d)) {
			return string(d), true
		}
	}
	return "", false
}

func readable(s string) bool {
	if len(s) < 8 || !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if r < ' ' && r != '\n' && r != '\t' || r == utf8.RuneError {
			return false
		}
	}
	return true
}

// reversed returns what follows a bidirectional override, read backwards, with its offsets kept.
func reversed(dst, src *view, override int) {
	dst.reset()
	for i := len(src.r) - 1; i >= 0 && int(src.at[i]) >= override; i-- {
		dst.put(src.r[i], src.kind[i], src.at[i], src.to[i])
	}
}
