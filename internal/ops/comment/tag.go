package comment

// tag is what a term means to the rules.
type tag uint8

// Tags of orders to the machine.
const (
	_ tag = iota
	tagDrop
	tagPrior
	tagOrders
	tagLaws
	tagTell
	tagSecret
	tagHowTo
	tagMode
	tagNow
	tagFree
	tagReply
	tagSay
	tagMeddle
	tagDecode
	tagBoss

	tagInsult
	tagSlight
	tagCrude
	tagProfane
	tagTarget
	tagSelf
	tagThing
	tagNegative
	tagStream
	tagBait
	tagDemoral
	tagDeath
	tagHarm
	tagMight
	tagThreat
	tagGroup
	tagExpel
	tagSlur
	tagSexual
	tagLewd
	tagShow
	tagMinor
	tagSelfHarm
	tagJoke
	tagTurn
	tagCue

	tagAsk
	tagPrivate
	tagStreet
	tagNumeral
	tagCall

	tagScam
	tagMoney
	tagLure
	tagPassword
	tagStaff
	tagPromo

	tagGreet
	tagBye
	tagFirst
	tagPraise
	tagThanks
	tagRequest
	tagRaid
	tagLaugh
	tagSad

	tagWhat
	tagWhen
	tagWhere
	tagWho
	tagWhy
	tagHow
	tagMuch
	tagLong
	tagCan
	tagAsking
	tagExclaim
	tagNext
	tagEnd
	tagBuy

	tagNoSound
	tagNoPicture
	tagStutter
	tagNoise

	tagAudio
	tagVideo
	tagLag
	tagGame
	tagMusic
	tagArt
	tagMic
	tagMachine
	tagCamera
	tagSoftware
	tagTablet
	tagSchedule
	tagVoice
	tagFood
	tagStreamer
	tagChat
	tagBrush
	tagTongue
	tagBanned
	tagCount
)

var tagNames = map[string]tag{
	"inj.drop": tagDrop, "inj.prior": tagPrior, "inj.orders": tagOrders, "inj.laws": tagLaws, "inj.tell": tagTell, "inj.secret": tagSecret, "inj.howto": tagHowTo,
	"inj.mode": tagMode, "inj.now": tagNow, "inj.free": tagFree, "inj.reply": tagReply, "inj.say": tagSay, "inj.meddle": tagMeddle, "inj.decode": tagDecode, "inj.boss": tagBoss,
	"insult": tagInsult, "slight": tagSlight, "crude": tagCrude, "profane": tagProfane, "target": tagTarget, "self": tagSelf, "thing": tagThing,
	"negative": tagNegative, "stream": tagStream, "bait": tagBait, "demoral": tagDemoral, "death": tagDeath, "harm": tagHarm, "might": tagMight, "threat": tagThreat,
	"group": tagGroup, "expel": tagExpel, "slur": tagSlur, "sexual": tagSexual, "lewd": tagLewd, "show": tagShow, "minor": tagMinor,
	"selfharm": tagSelfHarm, "joke": tagJoke, "turn": tagTurn, "cue": tagCue,
	"ask": tagAsk, "private": tagPrivate, "street": tagStreet, "numeral": tagNumeral, "call": tagCall,
	"scam": tagScam, "money": tagMoney, "lure": tagLure, "password": tagPassword, "staff": tagStaff, "promo": tagPromo,
	"greet": tagGreet, "bye": tagBye, "first": tagFirst, "praise": tagPraise, "thanks": tagThanks, "request": tagRequest, "raid": tagRaid, "laugh": tagLaugh, "sad": tagSad,
	"q.what": tagWhat, "q.when": tagWhen, "q.where": tagWhere, "q.who": tagWho, "q.why": tagWhy, "q.how": tagHow, "q.much": tagMuch, "q.long": tagLong, "q.can": tagCan,
	"q.end": tagAsking, "q.exclaim": tagExclaim, "next": tagNext, "end": tagEnd, "buy": tagBuy,
	"trouble.sound": tagNoSound, "trouble.picture": tagNoPicture, "trouble.stutter": tagStutter, "trouble.noise": tagNoise,
	"audio": tagAudio, "video": tagVideo, "lag": tagLag, "game": tagGame, "music": tagMusic, "art": tagArt, "mic": tagMic, "machine": tagMachine, "camera": tagCamera,
	"software": tagSoftware, "tablet": tagTablet, "schedule": tagSchedule, "voice": tagVoice, "food": tagFood, "streamer": tagStreamer, "chat": tagChat, "brush": tagBrush,
	"tongue": tagTongue,
}

// grave reports tags that make a finding by themselves; a term of theirs must not be a part of a longer katakana word.
func (t tag) grave() bool { return t >= tagInsult && t <= tagSlight || t >= tagSlur && t <= tagSexual }

// subjectOf gives the subject a tag speaks of; the tag itself is the finer concept.
var subjectOf = map[tag]Subject{
	tagAudio: SubjectAudio, tagNoSound: SubjectAudio, tagNoise: SubjectAudio, tagVideo: SubjectVideo, tagNoPicture: SubjectVideo, tagLag: SubjectLag, tagStutter: SubjectLag,
	tagGame: SubjectGame, tagMusic: SubjectMusic, tagArt: SubjectArt, tagBrush: SubjectArt, tagMic: SubjectEquipment, tagMachine: SubjectEquipment, tagCamera: SubjectEquipment,
	tagSoftware: SubjectEquipment, tagTablet: SubjectEquipment, tagSchedule: SubjectSchedule, tagEnd: SubjectSchedule, tagVoice: SubjectVoice, tagFood: SubjectFood,
	tagStreamer: SubjectStreamer, tagChat: SubjectChat,
}

// finds is the hits of one view with a quick answer to "is there any".
type finds struct {
	hits []hit
	any  [2]uint64
}

func (f *finds) look(l *lexicon, v *view) {
	f.hits, f.any = l.find(f.hits[:0], v), [2]uint64{}
	for _, h := range f.hits {
		f.any[h.tag>>6] |= 1 << (h.tag & 63)
	}
}

func (f *finds) has(t tag) bool { return f.any[t>>6]&(1<<(t&63)) != 0 }

func (f *finds) first(t tag) (hit, bool) {
	if f.has(t) {
		for _, h := range f.hits {
			if h.tag == t {
				return h, true
			}
		}
	}
	return hit{}, false
}

// near finds an a and a b with at most reach runes between them, in either order.
func (f *finds) near(a, b tag, reach int) (hit, hit, bool) {
	if !f.has(a) || !f.has(b) {
		return hit{}, hit{}, false
	}
	for _, x := range f.hits {
		if x.tag != a {
			continue
		}
		for _, y := range f.hits {
			if y.tag == b && y.from < x.to+reach && x.from < y.to+reach {
				return x, y, true
			}
		}
	}
	return hit{}, hit{}, false
}

// before reports a hit of tag t that ends at or before at, at most reach runes away.
func (f *finds) before(t tag, at, reach int) bool {
	if f.has(t) {
		for _, h := range f.hits {
			if h.tag == t && h.to <= at && at-h.to <= reach {
				return true
			}
		}
	}
	return false
}

// after reports a hit of tag t that begins at or after at, at most reach runes away.
func (f *finds) after(t tag, at, reach int) bool {
	if f.has(t) {
		for _, h := range f.hits {
			if h.tag == t && h.from >= at && h.from-at <= reach {
				return true
			}
		}
	}
	return false
}
