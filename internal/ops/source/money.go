package source

import (
	"strings"
	"unicode"

	"urakata/internal/ops/comment"
)

// NoCurrency is the ISO 4217 code for "no currency". It stands where an amount's currency was written with a sign we do not know: the amount is
// kept, and it is never added to another.
const NoCurrency = "XXX"

// Bits is the currency of Twitch's cheers.
const Bits = "BITS"

// signs are the currency signs that platforms write before or after an amount.
var signs = map[string]string{
	"$": "USD", "US$": "USD", "CA$": "CAD", "C$": "CAD", "A$": "AUD", "AU$": "AUD", "NZ$": "NZD", "HK$": "HKD", "NT$": "TWD",
	"MX$": "MXN", "R$": "BRL", "S$": "SGD", "SG$": "SGD", "CLP$": "CLP", "AR$": "ARS",
	"¥": "JPY", "JP¥": "JPY", "円": "JPY", "CN¥": "CNY", "元": "CNY", "€": "EUR", "£": "GBP", "₩": "KRW", "￦": "KRW", "원": "KRW",
	"₹": "INR", "₽": "RUB", "руб.": "RUB", "руб": "RUB", "₱": "PHP", "฿": "THB", "₫": "VND", "₴": "UAH", "₪": "ILS", "₺": "TRY", "₦": "NGN",
	"zł": "PLN", "Kč": "CZK", "Ft": "HUF", "Rp": "IDR", "RM": "MYR", "R": "ZAR", "лв.": "BGN", "лв": "BGN", "lei": "RON",
}

// whole are currencies without a smaller unit, in which a point or a comma before three digits groups thousands.
var whole = map[string]bool{
	"JPY": true, "KRW": true, "CLP": true, "VND": true, "HUF": true, "IDR": true, "PYG": true, "ISK": true, "UGX": true, "XAF": true, "XOF": true,
}

// thousandths are currencies whose unit has a thousand parts.
var thousandths = map[string]bool{"KWD": true, "BHD": true, "JOD": true, "OMR": true, "TND": true}

// parseMoney understands an amount as people see it: "¥1,000", "$5.00", "NT$75.00", "₩5,000", "PHP 250.00", "1.000,50 €". A sign it does not know
// gives NoCurrency; an amount it cannot read gives zero of whatever currency it found.
func parseMoney(s string) *comment.Money {
	var sign, digits strings.Builder
	for _, r := range s {
		if r >= '！' && r <= '～' { // full width
			r += '!' - '！'
		}
		switch {
		case r == '¥' || r == '￥':
			sign.WriteRune('¥')
		case r >= '0' && r <= '9':
			digits.WriteRune(r)
		case (r == '.' || r == ',') && digits.Len() > 0, r == '-' && digits.Len() == 0:
			digits.WriteRune(r)
		case r == '٫', r == '٬', unicode.IsSpace(r), r == '\'', r == '’', unicode.Is(unicode.Cf, r):
		default:
			sign.WriteRune(r)
		}
	}
	code := currency(sign.String())
	return &comment.Money{Micros: micros(strings.TrimRight(digits.String(), ".,"), code), Currency: code}
}

// currency finds the code for a sign or a code as written.
func currency(s string) string {
	s = strings.TrimSpace(s)
	if code, ok := signs[s]; ok {
		return code
	}
	if strings.EqualFold(s, Bits) {
		return Bits
	}
	if len(s) == 3 {
		up := strings.ToUpper(s)
		for i := range 3 {
			if up[i] < 'A' || up[i] > 'Z' {
				return NoCurrency
			}
		}
		return up
	}
	return NoCurrency
}

// micros turns a written number into millionths, or 0 if it is no amount. The last of "." and "," is the decimal mark, except where it can
// only group thousands.
func micros(s, code string) int64 {
	mark := strings.LastIndexAny(s, ".,")
	if mark >= 0 && grouping(s, mark, code) {
		mark = -1
	}
	var n, scale int64 = 0, 1_000_000
	for i := range len(s) {
		c := s[i]
		if i == mark {
			continue
		}
		if c == '.' || c == ',' {
			continue
		}
		if c < '0' || c > '9' || n > 9_000_000_000_000_000 {
			return 0
		}
		if mark >= 0 && i > mark {
			if scale == 1 {
				continue // finer than a millionth
			}
			scale /= 10
		}
		n = n*10 + int64(c-'0')
	}
	if n > (1<<63-1)/scale {
		return 0
	}
	return n * scale
}

// grouping reports whether the mark at i groups thousands.
func grouping(s string, i int, code string) bool {
	after := len(s) - i - 1
	if after != 3 {
		return false
	}
	if strings.Count(s, s[i:i+1]) > 1 || whole[code] {
		return true
	}
	if other := strings.IndexAny(s, ".,"); other != i {
		return false // both marks: the last is the decimal mark
	}
	return !thousandths[code] && strings.TrimLeft(s[:i], "0") != ""
}

// decimal turns a number of a JSON record, where only a point is a decimal mark, into millionths. Anything else, and anything below zero, is 0.
func decimal(s string) int64 {
	whole, part, _ := strings.Cut(strings.TrimSpace(s), ".")
	if len(part) == 3 {
		part += "0" // four digits: never taken for thousands
	}
	if strings.ContainsAny(whole, ".,") || strings.ContainsAny(part, ".,") {
		return 0
	}
	if part == "" {
		return micros(whole, "")
	}
	return micros(whole+"."+part, "")
}
