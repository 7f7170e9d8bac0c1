package source

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// frame is one record before anybody understood it. raw is good until the next one is asked for; it is nil where reason says why it could not
// be taken.
type frame struct {
	line   int64
	raw    []byte
	reason string
}

// framer finds where records begin and end.
type framer interface {
	next() (frame, error)
}

// lines takes each line as a record; blank ones are none.
type lines struct {
	in   *bufio.Reader
	line int64
	buf  []byte
	end  error
}

func (l *lines) next() (frame, error) {
	for l.end == nil {
		raw, long, err := l.read()
		if err != nil {
			l.end = err
			if errors.Is(err, errDamaged) {
				l.end = io.EOF
				return frame{line: l.line + 1, reason: reasonDamaged}, nil
			}
			if !errors.Is(err, io.EOF) {
				return frame{}, err
			}
			if len(raw) == 0 && !long {
				break
			}
		}
		l.line++
		switch raw = visible(raw); {
		case long:
			return frame{line: l.line, reason: reasonTooLong}, nil
		case len(raw) > 0:
			return frame{line: l.line, raw: raw}, nil
		}
	}
	return frame{}, l.end
}

// read takes the next line; long is true when it has more than MaxRecord bytes, which are then dropped as they come.
func (l *lines) read() (raw []byte, long bool, err error) {
	l.buf = l.buf[:0]
	for {
		part, err := l.in.ReadSlice('\n')
		if len(l.buf)+len(part) > MaxRecord+2 { // and its line end
			long, l.buf = true, l.buf[:0]
		}
		if !long {
			if err == nil && len(l.buf) == 0 {
				return part, false, nil
			}
			l.buf = append(l.buf, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return l.buf, long, err
		}
	}
}

// visible drops NUL bytes and the space around a line; a byte order mark between joined files goes too.
func visible(raw []byte) []byte {
	if bytes.IndexByte(raw, 0) >= 0 {
		raw = bytes.ReplaceAll(raw, []byte{0}, nil)
	}
	raw = bytes.TrimPrefix(raw, []byte("\uFEFF"))
	raw = bytes.TrimRight(raw, "\r\n")
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil
	}
	return raw
}

// elements takes each element of one array as a record: the whole recording is the array, or it is an object and the array is its member
// "comments" or "items". Commas may be missing or too many. What stands before the array is told to head, as far as it is small.
type elements struct {
	in      *bufio.Reader
	head    func(key string, raw []byte)
	record  int64
	started bool
	buf     []byte
	end     error
}

func (e *elements) next() (frame, error) {
	if e.end == nil && !e.started {
		e.started = true
		e.end = e.open()
		if e.end == nil {
			return e.element()
		}
	} else if e.end == nil {
		return e.element()
	}
	return e.stop(e.end)
}

// stop ends the recording; one that breaks off says so once, as a record of its own.
func (e *elements) stop(err error) (frame, error) {
	e.end = io.EOF
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return frame{line: e.record + 1, reason: reasonCutOff}, nil
	case errors.Is(err, errDamaged):
		return frame{line: e.record + 1, reason: reasonDamaged}, nil
	case !errors.Is(err, io.EOF):
		e.end = err
	}
	return frame{}, e.end
}

func (e *elements) element() (frame, error) {
	c, err := e.token(',')
	if err != nil {
		return e.stop(err)
	}
	if c == ']' || c == '}' {
		return e.stop(io.EOF)
	}
	raw, err := e.value(c, MaxRecord)
	if err != nil {
		return e.stop(err)
	}
	e.record++
	if raw == nil {
		return frame{line: e.record, reason: reasonTooLong}, nil
	}
	return frame{line: e.record, raw: raw}, nil
}

// open goes to the first element.
func (e *elements) open() error {
	c, err := e.token(' ')
	if err != nil || c == '[' {
		return err
	}
	for {
		c, err := e.token(',')
		if err != nil {
			return err
		}
		if c == '}' {
			return io.EOF
		}
		raw, err := e.value(c, MaxRecord)
		if err != nil {
			return err
		}
		key := string(bytes.Trim(raw, `"`))
		if c, err = e.token(':'); err != nil {
			return err
		}
		if c == '[' && (key == "comments" || key == "items") {
			return nil
		}
		if raw, err = e.value(c, MaxRecord); err != nil {
			return err
		}
		if raw != nil {
			e.head(key, raw)
		}
	}
}

// token is the next byte that is neither space nor the separator. The end of the input is unexpected here.
func (e *elements) token(separator byte) (byte, error) {
	for {
		c, err := e.in.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return 0, io.ErrUnexpectedEOF
		case err != nil:
			return 0, err
		case c == ' ', c == '\t', c == '\r', c == '\n', c == separator, c == 0:
		default:
			return c, nil
		}
	}
}

// value takes the value that begins with c. It is nil when it has more than limit bytes, which are passed over as they come.
func (e *elements) value(c byte, limit int) ([]byte, error) {
	e.buf = append(e.buf[:0], c)
	nested := c == '{' || c == '['
	scan := scanner{depth: 0, nested: nested}
	if scan.step(c) {
		return e.buf, nil
	}
	long := false
	for {
		c, err := e.in.ReadByte()
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		if !nested && !scan.text && (c == ',' || c == ']' || c == '}' || c == ':' || c == ' ' || c == '\n' || c == '\r' || c == '\t') {
			err := e.in.UnreadByte()
			return e.took(long), err
		}
		switch {
		case len(e.buf) >= limit:
			long = true
		case c != 0:
			e.buf = append(e.buf, c)
		}
		if scan.step(c) {
			return e.took(long), nil
		}
	}
}

func (e *elements) took(long bool) []byte {
	if long {
		return nil
	}
	return e.buf
}

// scanner finds the end of a value without understanding it.
type scanner struct {
	nested, text, escaped bool
	depth                 int
}

// step takes the next byte and reports whether it was the last of the value.
func (s *scanner) step(c byte) bool {
	switch {
	case s.escaped:
		s.escaped = false
	case s.text && c == '\\':
		s.escaped = true
	case c == '"':
		s.text = !s.text
		return !s.text && !s.nested
	case s.text:
	case c == '{' || c == '[':
		s.depth++
	case c == '}' || c == ']':
		s.depth--
		return s.nested && s.depth == 0
	}
	return false
}
