package arguments

import (
	"strings"
	"unicode/utf16"
)

// tree reads JSON text that canon has read before: it checks nothing.
func tree(text string) *node {
	r := reader{src: text}
	r.space()
	if r.pos == len(r.src) {
		return &node{kind: isObject, raw: "{}"}
	}
	return r.value()
}

type reader struct {
	src string
	pos int
}

func (r *reader) space() {
	for r.pos < len(r.src) && strings.IndexByte(" \n\t\r", r.src[r.pos]) >= 0 {
		r.pos++
	}
}

func (r *reader) value() *node {
	start := r.pos
	n := &node{}
	switch b := r.src[r.pos]; b {
	case '{':
		n.kind = isObject
		r.members(n)
	case '[':
		n.kind = isArray
		r.items(n)
	case '"':
		n.kind = isString
		n.text = r.str()
	case 't':
		n.kind = isBoolean
		r.pos += len("true")
	case 'f':
		n.kind = isBoolean
		r.pos += len("false")
	case 'n':
		n.kind = isNull
		r.pos += len("null")
	default:
		n.kind = r.number()
	}
	n.raw = r.src[start:r.pos]
	return n
}

func (r *reader) number() kinds {
	start := r.pos
	for r.pos < len(r.src) && strings.IndexByte("+-.eE0123456789", r.src[r.pos]) >= 0 {
		r.pos++
	}
	if whole(r.src[start:r.pos]) {
		return isInteger
	}
	return isFraction
}

func (r *reader) members(n *node) {
	for r.next('}') {
		start := r.pos
		m := field{name: r.str()}
		m.rawName = r.src[start:r.pos]
		r.space()
		r.pos++ // the colon
		r.space()
		m.value = r.value()
		n.members = append(n.members, m)
	}
}

func (r *reader) items(n *node) {
	for r.next(']') {
		n.items = append(n.items, r.value())
	}
}

// next moves behind the opening bracket or the comma, or behind the closing
// bracket.
func (r *reader) next(closing byte) bool {
	r.space()
	if r.src[r.pos] == closing {
		r.pos++
		return false
	}
	r.pos++
	r.space()
	if r.src[r.pos] == closing { // an empty container
		r.pos++
		return false
	}
	return true
}

func (r *reader) str() string {
	r.pos++
	start := r.pos
	end := start + strings.IndexAny(r.src[start:], `"\`)
	if r.src[end] == '"' {
		r.pos = end + 1
		return r.src[start:end]
	}
	var b strings.Builder
	for r.pos = start; r.src[r.pos] != '"'; {
		if r.src[r.pos] != '\\' {
			b.WriteByte(r.src[r.pos])
			r.pos++
			continue
		}
		b.WriteRune(r.escaped())
	}
	r.pos++
	return b.String()
}

func (r *reader) escaped() rune {
	b := r.src[r.pos+1]
	r.pos += 2
	if b != 'u' {
		if at := strings.IndexByte(shortEscapes, b); at >= 0 {
			return rune(shortEscaped[at])
		}
		return rune(b)
	}
	first := r.hex()
	if !utf16.IsSurrogate(first) {
		return first
	}
	r.pos += len(`\u`)
	return utf16.DecodeRune(first, r.hex())
}

func (r *reader) hex() (v rune) {
	for range 4 {
		digit, _ := hexValue(r.src[r.pos])
		v = v<<4 | digit
		r.pos++
	}
	return v
}

// parse reads text strictly and returns its tree. inside is for text that a
// string holds.
func parse(text string) (*node, *syntaxError) {
	c := borrow(nil, text)
	defer c.release()
	if err := c.document(); err != nil {
		return nil, err
	}
	return tree(text), nil
}

// parseWhole is parse for text inside of a string, where nothing is worth saying
// about what is wrong with it. A key that is named twice is wrong, too.
func parseWhole(text string) *node {
	c := borrow(nil, text)
	defer c.release()
	if c.document() != nil || c.duplicate {
		return nil
	}
	return tree(text)
}
