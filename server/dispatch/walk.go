package dispatch

import (
	"bytes"
	"encoding/json"
	"strings"

	"toolgate.dev/toolgate/interceptors"
)

// span is a JSON array within a text: the offsets of its brackets and of the
// end of each item.
type span struct {
	open, close int
	ends        []int
}

// findList finds the list that an answer is about: where the catalogue says,
// else the answer itself, else the longest array among its members.
func findList(body []byte, shape interceptors.ResultShape) (span, bool) {
	if shape.Items != "" {
		raw, found := pointed(body, shape.Items)
		if !found || len(raw) == 0 || raw[0] != '[' {
			return span{}, false
		}
		return arrayAt(body, offset(body, raw))
	}
	start := firstByte(body)
	switch {
	case start == len(body):
		return span{}, false
	case body[start] == '[':
		return arrayAt(body, start)
	case body[start] == '{':
		return longestMember(body)
	}
	return span{}, false
}

func longestMember(body []byte) (best span, found bool) {
	members(body, func(_ string, raw []byte) {
		if raw[0] != '[' || len(raw) <= best.close-best.open {
			return
		}
		if list, ok := arrayAt(body, offset(body, raw)); ok {
			best, found = list, true
		}
	})
	return best, found
}

// offset tells where part, a slice of whole, begins.
func offset(whole, part []byte) int { return cap(whole) - cap(part) }

func firstByte(body []byte) int {
	for i, c := range body {
		if c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			return i
		}
	}
	return len(body)
}

func arrayAt(body []byte, start int) (span, bool) {
	list := span{open: start}
	w := walker{text: body, at: start + 1}
	for {
		w.space()
		if w.at >= len(body) {
			return span{}, false
		}
		switch body[w.at] {
		case ']':
			list.close = w.at
			return list, true
		case ',':
			w.at++
		default:
			if !w.skip() {
				return span{}, false
			}
			list.ends = append(list.ends, w.at)
		}
	}
}

// members calls yield with each member of the object that body is.
func members(body []byte, yield func(name string, raw []byte)) {
	w := walker{text: body, at: firstByte(body) + 1}
	for {
		w.space()
		if w.at >= len(body) || body[w.at] == '}' {
			return
		}
		if body[w.at] == ',' {
			w.at++
			continue
		}
		start := w.at
		if !w.skip() {
			return
		}
		var name string
		if json.Unmarshal(body[start:w.at], &name) != nil {
			return
		}
		w.space()
		w.at++ // the colon
		w.space()
		start = w.at
		if !w.skip() {
			return
		}
		yield(name, body[start:w.at])
	}
}

// pointed finds the value at a JSON Pointer (RFC 6901) without building a tree.
func pointed(body []byte, pointer string) ([]byte, bool) {
	raw := body[firstByte(body):]
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if len(raw) == 0 || raw[0] != '{' {
			return nil, false
		}
		name := strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		var next []byte
		members(raw, func(member string, value []byte) {
			if member == name {
				next = value
			}
		})
		if next == nil {
			return nil, false
		}
		raw = next
	}
	return raw, true
}

// walker reads JSON text that is known to be valid, or the head of such.
type walker struct {
	text  []byte
	at    int
	limit int

	open    []byte // what would close the containers that are open
	best    int    // where the text may end
	closers []byte // what then closes it
}

func (w *walker) space() {
	w.at += firstByte(w.text[min(w.at, len(w.text)):])
}

// skip moves behind one value; false where the text ends first.
func (w *walker) skip() bool {
	if w.at >= len(w.text) {
		return false
	}
	switch w.text[w.at] {
	case '"':
		return w.skipString()
	case '{', '[':
		return w.skipContainer()
	}
	rest := w.text[w.at:]
	end := bytes.IndexAny(rest, ",]} \t\r\n")
	if end < 0 {
		w.at = len(w.text)
		return true
	}
	w.at += end
	return end > 0
}

func (w *walker) skipString() bool {
	for w.at++; w.at < len(w.text); w.at++ {
		switch w.text[w.at] {
		case '\\':
			w.at++
		case '"':
			w.at++
			return true
		}
	}
	return false
}

func (w *walker) skipContainer() bool {
	depth := 0
	for w.at < len(w.text) {
		switch w.text[w.at] {
		case '"':
			if !w.skipString() {
				return false
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		w.at++
		if depth == 0 {
			return true
		}
	}
	return false
}

// value walks one value and marks each place where the text may end.
func (w *walker) value() {
	if w.at >= len(w.text) {
		return
	}
	switch w.text[w.at] {
	case '{':
		w.container('}')
	case '[':
		w.container(']')
	default:
		start := w.at
		literal := w.text[start] != '"'
		if !w.skip() || (literal && w.at == len(w.text)) { // a number may go on behind the cut
			w.at = len(w.text)
			return
		}
		w.mark()
	}
}

// maxDepth bounds the walk into what a stranger nested.
const maxDepth = 1000

func (w *walker) container(closer byte) {
	if len(w.open) >= maxDepth {
		w.at = len(w.text)
		return
	}
	w.open = append(w.open, closer)
	w.at++
	w.mark()
	for {
		w.space()
		if w.at >= len(w.text) {
			return
		}
		switch c := w.text[w.at]; {
		case c == closer:
			w.at++
			w.open = w.open[:len(w.open)-1]
			w.mark()
			return
		case c == ',':
			w.at++
		case closer == '}':
			if !w.member() {
				return
			}
		default:
			w.value()
		}
	}
}

func (w *walker) member() bool {
	if !w.skip() {
		w.at = len(w.text)
		return false
	}
	w.space()
	w.at++ // the colon
	w.space()
	w.value()
	return w.at < len(w.text)
}

func (w *walker) mark() {
	if w.at+len(w.open) > w.limit {
		return
	}
	w.best = w.at
	w.closers = w.closers[:0]
	for i := len(w.open) - 1; i >= 0; i-- {
		w.closers = append(w.closers, w.open[i])
	}
}
