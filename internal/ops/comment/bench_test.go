package comment

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// synthetic makes n comments of a lively stream: several languages, regulars and newcomers, questions, laughs, a few bad ones.
func synthetic(n int) []Comment {
	openers := []string{"こんばんは！", "今の絵かわいい", "the next song please", "마이크 뭐 쓰세요?", "那个画笔怎么弄", "qué juego es este", "wwwwww", "8888", "初見です", "音が少し小さいかも", "you played that really well",
		"マイクは何使ってる？", "lol", "is there a schedule for tomorrow", "画面が止まってる", "this part is so relaxing", "목소리 좋아요", "buenas noches a todos", "お前ほんとバカだな", "see my site example.org/shop"}
	endings := []string{"", "！", " 😂", "...", " gg", "〜", "✨", "?", "w", " :)"}
	at := time.Date(2026, 5, 1, 20, 0, 0, 0, time.UTC)
	out := make([]Comment, n)
	for i := range out {
		at = at.Add(time.Duration(80+i%7*20) * time.Millisecond)
		author := fmt.Sprintf("viewer%d", (i*i+i*7)%1700)
		out[i] = Comment{ID: fmt.Sprintf("c%d", i), Platform: YouTube, Text: openers[(i*13)%len(openers)] + endings[(i*7+i/3)%len(endings)], At: at, Author: Author{ID: author, Name: author}}
	}
	return out
}

func BenchmarkTake(b *testing.B) {
	comments := synthetic(20_000)
	b.ReportAllocs()
	a := New(Stream{Topic: "AI art", Language: "ja"})
	for i := 0; b.Loop(); i++ {
		if i%len(comments) == 0 && i > 0 {
			a = New(Stream{Topic: "AI art", Language: "ja"})
		}
		a.Take(comments[i%len(comments)])
	}
}

func BenchmarkMegabyte(b *testing.B) {
	text := strings.Repeat("a-b.c@d 1-2 ", 1<<20/12)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		New(Stream{}).Take(Comment{ID: "c", Text: text, Author: Author{ID: "a"}})
	}
}

func BenchmarkZalgo(b *testing.B) {
	text := strings.Repeat("h"+strings.Repeat("\u0337\u0322\u031b", 40), 60)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		New(Stream{}).Take(Comment{ID: "c", Text: text, Author: Author{ID: "a"}})
	}
}
