package source

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"urakata/internal/ops/comment"
)

func TestMoneyAsPeopleSeeIt(t *testing.T) {
	for _, tt := range []struct {
		text, currency string
		micros         int64
	}{
		{"¥1,000", "JPY", 1_000_000_000}, {"￥１，０００", "JPY", 1_000_000_000}, {"1000円", "JPY", 1_000_000_000},
		{"$5.00", "USD", 5_000_000}, {"US$ 5", "USD", 5_000_000}, {"$1,234.56", "USD", 1_234_560_000}, {"CA$2.79", "CAD", 2_790_000}, {"$0.50", "USD", 500_000},
		{"₩5,000", "KRW", 5_000_000_000}, {"NT$75.00", "TWD", 75_000_000}, {"HK$1,000.00", "HKD", 1_000_000_000}, {"R$10,00", "BRL", 10_000_000},
		{"€4.99", "EUR", 4_990_000}, {"4,99\u00a0€", "EUR", 4_990_000}, {"1.000,50 €", "EUR", 1_000_500_000}, {"1\u202f000,50 €", "EUR", 1_000_500_000},
		{"PHP\u00a0250.00", "PHP", 250_000_000}, {"CLP 3.000", "CLP", 3_000_000_000}, {"KWD 1.500", "KWD", 1_500_000}, {"₹40.00", "INR", 40_000_000},
		{"RUB 1,500.00", "RUB", 1_500_000_000}, {"300 руб.", "RUB", 300_000_000}, {"\u200f₪5.00", "ILS", 5_000_000}, {"CHF 5.00", "CHF", 5_000_000},
		{"¤12.50", "XXX", 12_500_000}, {"12", "XXX", 12_000_000}, {"gold 3", "XXX", 3_000_000}, {"", "XXX", 0}, {"$", "USD", 0}, {"$-5", "USD", 0},
		{"$99999999999999999999999", "USD", 0}, {"$1.0000000009", "USD", 1_000_000}, {"$1.2.3", "USD", 12_300_000}, {"1,000,000", "XXX", 1_000_000_000_000},
	} {
		want := &comment.Money{Micros: tt.micros, Currency: tt.currency}
		if diff := cmp.Diff(want, parseMoney(tt.text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.text, diff)
		}
	}
}

func TestDecimals(t *testing.T) {
	for text, want := range map[string]int64{
		"5": 5_000_000, "5.5": 5_500_000, "5.125": 5_125_000, "1000": 1_000_000_000, "0.000001": 1, "0.0000001": 0, "": 0, "-5": 0, "1e3": 0, "NaN": 0, "1,5": 0, "1.2.3": 0,
	} {
		if got := decimal(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
