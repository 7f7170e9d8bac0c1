package lang

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/nicksnyder/go-i18n/v2/i18n"
	"golang.org/x/text/currency"
	"golang.org/x/text/message"
	"golang.org/x/text/number"
)

// Printer speaks one language. The zero Printer knows no message and prints keys.
type Printer struct {
	lang    string
	keys    map[string]bool
	words   *i18n.Localizer
	numbers *message.Printer
}

// Lang is the language's tag: en, ja.
func (p Printer) Lang() string { return p.lang }

// Has reports whether the language has the message itself.
func (p Printer) Has(key string) bool { return p.keys[key] }

// Text is the message of a key, filled from args: name, value, name, value.
func (p Printer) Text(key string, args ...any) string {
	return p.say(&i18n.LocalizeConfig{MessageID: key, TemplateData: fill(args)})
}

// Count is the message of a key in the plural form that n asks for. {{.N}} is n, grouped as the language does.
func (p Printer) Count(key string, n int, args ...any) string {
	data := fill(args)
	data["N"] = p.Number(n)
	return p.say(&i18n.LocalizeConfig{MessageID: key, TemplateData: data, PluralCount: n})
}

func (p Printer) say(c *i18n.LocalizeConfig) string {
	if p.words == nil || !p.keys[c.MessageID] {
		return "«" + c.MessageID + "»"
	}
	text, err := p.words.Localize(c)
	if err != nil {
		return "«" + c.MessageID + "»"
	}
	return text
}

func fill(args []any) map[string]any {
	data := make(map[string]any, len(args)/2+1)
	for i := 0; i+1 < len(args); i += 2 {
		if name, ok := args[i].(string); ok {
			data[name] = args[i+1]
		}
	}
	return data
}

// Number groups a whole or broken number as the language does; at most two decimals.
func (p Printer) Number(n any) string {
	if p.numbers == nil {
		return fmt.Sprint(n)
	}
	return p.numbers.Sprint(number.Decimal(n, number.MaxFractionDigits(2)))
}

// Clock is a time of day to the second, in the zone the time carries: 24 hours in Japanese, the locale's habit elsewhere.
func (p Printer) Clock(t time.Time) string {
	if p.lang == "ja" {
		return t.Format("15:04:05")
	}
	return t.Format("3:04:05 PM")
}

// Date is a day and a time of day to the minute, in the zone the time carries.
func (p Printer) Date(t time.Time) string {
	if p.lang == "ja" {
		return t.Format("2006年1月2日 15:04")
	}
	return t.Format("Jan 2, 2006, 3:04 PM")
}

// Offset is a place in a stream: "1:02:33", "2:33", "-0:51".
func (p Printer) Offset(d time.Duration) string {
	sign := ""
	if d < 0 {
		sign, d = "-", -d
	}
	s := int64(d / time.Second)
	if s < 3600 {
		return fmt.Sprintf("%s%d:%02d", sign, s/60, s%60)
	}
	return fmt.Sprintf("%s%d:%02d:%02d", sign, s/3600, s/60%60, s%60)
}

// Ago is how long something is past, in the biggest fitting unit; what is not past yet is "now".
func (p Printer) Ago(d time.Duration) string {
	switch {
	case d < time.Second:
		return p.Text("lang.now")
	case d < time.Minute:
		return p.Count("lang.ago.seconds", int(d/time.Second))
	case d < time.Hour:
		return p.Count("lang.ago.minutes", int(d/time.Minute))
	case d < 48*time.Hour:
		return p.Count("lang.ago.hours", int(d/time.Hour))
	}
	return p.Count("lang.ago.days", int(d/(24*time.Hour)))
}

// Money is an amount in millionths, with the decimals its currency has: "¥1,200", "$5.00", "500 BITS". It never converts.
func (p Printer) Money(micros int64, code string) string {
	unit, err := currency.ParseISO(code)
	if err != nil || p.numbers == nil {
		return p.Number(float64(micros)/1e6) + " " + code
	}
	scale, _ := currency.Standard.Rounding(unit)
	symbol := p.numbers.Sprint(currency.Symbol(unit))
	if symbol == "" || symbol == code {
		symbol = code + " "
	}
	sign, amount := "", float64(micros)/1e6
	if micros < 0 {
		sign, amount = "-", -amount
	}
	rounded := math.Round(amount*math.Pow10(scale)) / math.Pow10(scale)
	return sign + symbol + p.numbers.Sprint(number.Decimal(rounded, number.Scale(scale)))
}

// Percent is a share of 1, without decimals: "37%".
func (p Printer) Percent(share float64) string {
	return strconv.Itoa(int(math.Round(share*100))) + "%"
}
