package dispatch

import (
	"bytes"
	"slices"
	"strings"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/rawjson"
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
	start, found := locateList(body, shape)
	if !found {
		return span{}, false
	}
	return arrayAt(body, start)
}

// countList counts the items of the list that findList finds.
func countList(body []byte, shape interceptors.ResultShape) (count uint64) {
	start, found := locateList(body, shape)
	if !found || !eachItem(body, start, func(int) { count++ }).found {
		return 0
	}
	return count
}

// locateList tells where the list begins.
func locateList(body []byte, shape interceptors.ResultShape) (start int, found bool) {
	if shape.Items != "" {
		raw, found := pointed(body, shape.Items)
		if !found || len(raw) == 0 || raw[0] != '[' {
			return 0, false
		}
		return offset(body, raw), true
	}
	start = firstByte(body)
	switch {
	case start == len(body):
		return 0, false
	case body[start] == '[':
		return start, true
	case body[start] == '{':
		return longestMember(body)
	}
	return 0, false
}

func longestMember(body []byte) (start int, found bool) {
	longest := 0
	members(body, func(_, raw []byte) {
		if raw[0] == '[' && len(raw) > longest {
			longest, start, found = len(raw), offset(body, raw), true
		}
	})
	return start, found
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

// arrayAt finds the ends of the items of the array that starts there; false where
// it has no end.
func arrayAt(body []byte, start int) (span, bool) {
	list := span{open: start}
	end := eachItem(body, start, func(end int) { list.ends = append(list.ends, end) })
	list.close = end.at
	return list, end.found
}

// bracket is where an array is closed.
type bracket struct {
	at    int
	found bool
}

// eachItem calls item with the end of each item of the array that starts there.
func eachItem(body []byte, start int, item func(end int)) bracket {
	w := walker{text: body, at: start + 1}
	for {
		w.space()
		if w.at >= len(body) {
			return bracket{}
		}
		switch body[w.at] {
		case ']':
			return bracket{at: w.at, found: true}
		case ',':
			w.at++
		default:
			if !w.skip() {
				return bracket{}
			}
			item(w.at)
		}
	}
}

// members calls yield with each member of the object that body is; key is its
// name as it is written, with its quotes.
func members(body []byte, yield func(key, raw []byte)) {
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
		key := body[start:w.at]
		w.space()
		w.at++ // the colon
		w.space()
		start = w.at
		if !w.skip() {
			return
		}
		yield(key, body[start:w.at])
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
		members(raw, func(key, value []byte) {
			if rawjson.Text(key) == name {
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
	for _, opened := range slices.Backward(w.open) {
		w.closers = append(w.closers, opened)
	}
}
