package source

import "strings"

// Reasons for which a record did not become a comment. They hold nothing from the record, so they may be counted, logged and shown.
const (
	reasonBroken    = "broken JSON"
	reasonNotObject = "not a JSON object"
	reasonTooLong   = "record is longer than 1 MiB"
	reasonCutOff    = "the recording ends in the middle of this record"
	reasonDamaged   = "the compressed data is damaged or cut off from here on"
	reasonNoText    = "no text"
	reasonKind      = "unknown kind of row"
	reasonTime      = "the time makes no sense (outside 2005-2100, or not a time)"
	reasonOffset    = "the offset makes no sense (beyond a year, or not a number)"
	reasonTicker    = "ticker copy of another row"
	reasonEmpty     = "no row of chat in this record"
	reasonPlatform  = "the platform's own row, not chat"
	reasonLine      = "not a line of this format"
	reasonOther     = "other"
)

// keys are the names of the reasons in the catalogue of messages.
var keys = map[string]string{
	reasonBroken: "broken", reasonNotObject: "not-object", reasonTooLong: "too-long", reasonCutOff: "cut-off", reasonDamaged: "damaged",
	reasonNoText: "no-text", reasonKind: "kind", reasonTime: "time", reasonOffset: "offset", reasonTicker: "ticker", reasonEmpty: "empty",
	reasonPlatform: "platform", reasonLine: "line", reasonOther: "other",
}

// ReasonKey gives the message key for a Skip's reason, or for a key of Counts.Reasons, and the detail that stood behind it, which is a name made
// of letters, digits, "-" and "_", or empty. A reason that this package did not write gets the key for "other".
func ReasonKey(reason string) (key, detail string) {
	if name, ok := keys[reason]; ok {
		return "source.reason." + name, ""
	}
	if i := strings.LastIndex(reason, ": "); i >= 0 {
		if name, ok := keys[reason[:i]]; ok {
			return "source.reason." + name, safeWord(reason[i+2:])
		}
	}
	return "source.reason." + keys[reasonOther], ""
}
