package staffexample

import "embed"

// Names of the files in Files.
const (
	Stream = "stream.jsonl" // the recorded chat, oldest first
	Nagi   = "nagi.md"      // brief of the operations staff
	Haru   = "haru.md"      // brief of the one who studies the channel's history
	Readme = "README.md"
)

// What the recorded stream is called and what it is about when it starts.
const (
	Title = "Winter night drawing, then a game / 冬の夜のお絵かき、そのあとゲーム"
	Topic = "drawing a winter street at night / 冬の夜の街を描く"
)

// Files holds the example, so that the binary can load it without a file beside it.
//
//go:embed stream.jsonl nagi.md haru.md README.md
var Files embed.FS
