package mcpbackend

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

const (
	bufferBytes = 32 << 10
	tailBytes   = 4 << 10 // of a line that is cut: many servers write the id last
)

// line is one line, without its end.
type line struct {
	text []byte // the head of it, where it is cut; good until the next line
	tail []byte // the end of a line that is cut
	cut  bool
}

// lineReader reads lines of any length in bounded memory.
type lineReader struct {
	from *bufio.Reader
	text []byte
	tail []byte
}

func newLineReader(from io.Reader) *lineReader {
	return &lineReader{from: bufio.NewReaderSize(from, bufferBytes)}
}

// next reads a line and keeps at most limit bytes of its head. An error may come
// with a last line.
func (r *lineReader) next(limit int) (line, error) {
	r.text, r.tail = r.text[:0], r.tail[:0]
	cut := false
	for {
		piece, err := r.from.ReadSlice('\n')
		more := errors.Is(err, bufio.ErrBufferFull)
		if !more {
			piece = bytes.TrimRight(piece, "\r\n")
		}
		room := min(len(piece), max(0, limit-len(r.text)))
		r.text = append(r.text, piece[:room]...)
		if room < len(piece) {
			cut = true
			r.keepTail(piece[room:])
		}
		if more {
			continue
		}
		return line{text: r.text, tail: r.tail, cut: cut}, err
	}
}

func (r *lineReader) keepTail(piece []byte) {
	r.tail = append(r.tail, piece[max(0, len(piece)-tailBytes):]...)
	if extra := len(r.tail) - tailBytes; extra > 0 {
		r.tail = append(r.tail[:0], r.tail[extra:]...)
	}
}
