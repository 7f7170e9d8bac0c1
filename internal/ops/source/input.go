package source

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

const (
	defaultMaxBytes = 2 << 30
	headBytes       = 256 << 10 // how far ahead the format is looked for
)

// errDamaged marks compressed data that breaks off. What came before it is good.
var errDamaged = errors.New("compressed data is damaged or cut off")

// input is a recording as UTF-8 text, whatever it is stored as.
type input struct {
	*bufio.Reader
	file io.ReadCloser
	done atomic.Int64 // bytes read from the file
}

// newInput undoes gzip and the encodings that a byte order mark, or the pattern of its first four bytes, gives away.
func newInput(file io.ReadCloser, limit int64) (*input, error) {
	if limit <= 0 {
		limit = defaultMaxBytes
	}
	in := &input{file: file}
	plain := bufio.NewReaderSize(counting{file, &in.done}, 64<<10)
	if magic, _ := plain.Peek(2); len(magic) == 2 && magic[0] == 0x1f && magic[1] == 0x8b {
		z, err := gzip.NewReader(plain)
		if err != nil {
			return nil, fmt.Errorf("gzip: %w", err)
		}
		plain = bufio.NewReaderSize(unzipped{z}, 64<<10)
	}
	limited := bufio.NewReaderSize(&limitReader{Reader: plain, left: limit, max: limit}, 64<<10)
	first, err := limited.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) && len(first) == 0 {
		return nil, err
	}
	enc, mark := encodingOf(first)
	if _, err := limited.Discard(mark); err != nil {
		return nil, err
	}
	var text io.Reader = limited
	if enc != nil {
		text = enc.NewDecoder().Reader(limited)
	}
	in.Reader = bufio.NewReaderSize(text, headBytes)
	return in, nil
}

// encodingOf tells the encoding from the first bytes of a text; mark is the length of the byte order mark to leave out, nil is UTF-8.
func encodingOf(b []byte) (enc encoding.Encoding, mark int) {
	at := func(i int) int {
		if i < len(b) {
			return int(b[i])
		}
		return -1
	}
	switch {
	case at(0) == 0xEF && at(1) == 0xBB && at(2) == 0xBF:
		return nil, 3
	case at(0) == 0xFF && at(1) == 0xFE && at(2) == 0 && at(3) == 0:
		return utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM), 4
	case at(0) == 0 && at(1) == 0 && at(2) == 0xFE && at(3) == 0xFF:
		return utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM), 4
	case at(0) == 0xFF && at(1) == 0xFE:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), 2
	case at(0) == 0xFE && at(1) == 0xFF:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), 2
	case at(0) > 0 && at(1) == 0 && at(2) == 0 && at(3) == 0:
		return utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM), 0
	case at(0) == 0 && at(1) == 0 && at(2) == 0 && at(3) > 0:
		return utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM), 0
	case at(0) > 0 && at(1) == 0 && at(2) > 0 && at(3) == 0:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), 0
	case at(0) == 0 && at(1) > 0 && at(2) == 0 && at(3) > 0:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), 0
	}
	return nil, 0
}

// counting counts the bytes that pass.
type counting struct {
	io.Reader
	n *atomic.Int64
}

func (c counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// unzipped names the errors of broken gzip data.
type unzipped struct{ io.Reader }

func (u unzipped) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	var corrupt flate.CorruptInputError
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) || errors.As(err, &corrupt) {
		err = errDamaged
	}
	return n, err
}

// limitReader refuses to go on after max bytes, so that a small file cannot unfold without end.
type limitReader struct {
	io.Reader
	left, max int64
	over      bool
}

func (l *limitReader) Read(p []byte) (int, error) {
	if l.left <= 0 {
		var one [1]byte
		if n, err := l.Reader.Read(one[:]); n == 0 && !l.over {
			return 0, err
		}
		l.over = true
		return 0, fmt.Errorf("the recording has more than %d bytes after unpacking, which is the limit here", l.max)
	}
	if int64(len(p)) > l.left {
		p = p[:l.left]
	}
	n, err := l.Reader.Read(p)
	l.left -= int64(n)
	return n, err
}
