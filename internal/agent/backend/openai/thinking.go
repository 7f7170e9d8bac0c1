package openai

import "strings"

// Marks that some servers leave around what a model thought, at the beginning of what it says.
const (
	openThought  = "<think>"
	closeThought = "</think>"
)

// thinking keeps a thought at the beginning of a text apart from the text.
type thinking struct {
	state int // 0: nothing but blanks so far, 1: in the thought, 2: right behind it, 3: in the text
	held  string
}

// split takes the next piece of a text and gives what is said and what is thought. A mark may come in pieces.
func (t *thinking) split(piece string) (said, thought string) {
	t.held += piece
	if t.state == 0 {
		begin := strings.TrimLeft(t.held, " \r\n\t")
		switch {
		case strings.HasPrefix(begin, openThought):
			t.state, t.held = 1, strings.TrimPrefix(begin, openThought)
		case strings.HasPrefix(openThought, begin):
			return "", "" // it may still become the mark
		default:
			t.state = 3
		}
	}
	if t.state == 1 {
		before, after, found := strings.Cut(t.held, closeThought)
		if !found {
			keep := partial(t.held, closeThought)
			thought, t.held = t.held[:len(t.held)-keep], t.held[len(t.held)-keep:]
			return "", thought
		}
		t.state, t.held, thought = 2, after, before
	}
	if t.state == 2 { // the lines between the thought and the text belong to neither
		if t.held = strings.TrimLeft(t.held, "\r\n"); t.held != "" {
			t.state = 3
		}
	}
	said, t.held = t.held, ""
	return said, thought
}

// rest gives what was held back when the text ends.
func (t *thinking) rest() (said, thought string) {
	held := t.held
	t.held = ""
	if t.state == 1 {
		return "", held
	}
	return held, ""
}

// partial is how much of the end of a text may be the beginning of a mark.
func partial(text, mark string) int {
	for n := min(len(text), len(mark)-1); n > 0; n-- {
		if strings.HasSuffix(text, mark[:n]) {
			return n
		}
	}
	return 0
}
