package mcpbackend

import (
	"bytes"
	"io"
	"strconv"
	"time"
)

// event is one server-sent event (HTML Living Standard, section 9.2).
type event struct {
	id    string
	name  string
	retry time.Duration // below zero: not said
	data  []byte        // the head of it, where it is cut
	cut   bool
}

// eventReader reads a stream of events in bounded memory.
type eventReader struct {
	lines *lineReader
	limit int
}

func newEventReader(from io.Reader, limit int) *eventReader {
	return &eventReader{lines: newLineReader(from), limit: limit}
}

const maxFieldBytes = 64 // beyond the data: the name of a field, and its space

// next reads the next event that says anything. An event that the stream ended in
// is dropped, as the standard wants it.
func (r *eventReader) next() (event, error) {
	e, said := event{retry: -1}, false
	for {
		l, err := r.lines.next(r.limit + maxFieldBytes)
		if err != nil {
			return event{}, err
		}
		text := bytes.TrimPrefix(l.text, []byte("\ufeff"))
		if len(text) == 0 {
			if said {
				return e, nil
			}
			continue
		}
		said = r.take(&e, text, l.cut) || said
	}
}

// take reads one field and reports whether it says anything.
func (r *eventReader) take(e *event, text []byte, cut bool) bool {
	name, value, _ := bytes.Cut(text, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "data":
		if len(e.data) > 0 {
			e.data = append(e.data, '\n')
		}
		room := min(len(value), max(0, r.limit-len(e.data)))
		e.data = append(e.data, value[:room]...)
		e.cut = e.cut || cut || room < len(value)
	case "id":
		e.id = string(value)
	case "event":
		e.name = string(value)
	case "retry":
		if ms, err := strconv.Atoi(string(value)); err == nil && ms >= 0 {
			e.retry = time.Duration(ms) * time.Millisecond
		}
	default:
		return false
	}
	return true
}
