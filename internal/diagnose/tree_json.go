package diagnose

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Bounds of a parsed tree: what lies beyond is read over.
const (
	maxTreeDepth = 48
	maxTreeNodes = 20_000
)

// parseJSON reads s leniently: a cut text gives what stood before the cut, junk
// after the value is ignored. whole reports that a complete value was read. A
// text that begins with no JSON value gives nil.
func parseJSON(s string) (root *node, whole bool) {
	p := jsonParser{s: s}
	root = p.value(0)
	return root, root != nil && !p.broken
}

// parseLeading reads the value that s begins with, whole, and returns what
// stands behind it.
func parseLeading(s string) (root *node, rest string, whole bool) {
	p := jsonParser{s: s}
	root = p.value(0)
	return root, s[p.at:], root != nil && !p.broken
}

type jsonParser struct {
	s      string
	at     int
	nodes  int
	broken bool
}

func (p *jsonParser) space() {
	for p.at < len(p.s) {
		switch p.s[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

// take consumes c after spaces.
func (p *jsonParser) take(c byte) bool {
	p.space()
	if p.at < len(p.s) && p.s[p.at] == c {
		p.at++
		return true
	}
	return false
}

func (p *jsonParser) fail() *node {
	p.broken = true
	return nil
}

func (p *jsonParser) value(depth int) *node {
	p.space()
	if p.at >= len(p.s) || p.nodes >= maxTreeNodes || depth > maxTreeDepth {
		return p.fail()
	}
	p.nodes++
	switch c := p.s[p.at]; {
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.list(depth)
	case c == '"':
		return p.text()
	case c == '-' || c >= '0' && c <= '9':
		return p.number()
	}
	return p.word()
}

func (p *jsonParser) object(depth int) *node {
	n := &node{kind: objectNode}
	p.at++
	for !p.take('}') {
		p.space()
		if p.at >= len(p.s) || p.s[p.at] != '"' {
			p.broken = true
			return n
		}
		key := p.text()
		if key == nil || !p.take(':') {
			p.broken = true
			return n
		}
		value := p.value(depth + 1)
		if value != nil {
			n.items = append(n.items, member{name: key.str(), node: value})
		}
		if p.broken || !p.more('}') {
			return n
		}
	}
	return n
}

func (p *jsonParser) list(depth int) *node {
	n := &node{kind: listNode}
	p.at++
	for !p.take(']') {
		value := p.value(depth + 1)
		if value != nil {
			n.items = append(n.items, member{node: value})
		}
		if p.broken || !p.more(']') {
			return n
		}
	}
	return n
}

// more is true after a comma and before the end; a container that ends in
// neither is broken.
func (p *jsonParser) more(end byte) bool {
	if p.take(',') {
		return true
	}
	p.space()
	if p.at < len(p.s) && p.s[p.at] == end {
		return true
	}
	p.broken = true
	return false
}

func (p *jsonParser) text() *node {
	p.at++
	start, escaped := p.at, false
	for p.at < len(p.s) {
		switch p.s[p.at] {
		case '"':
			n := &node{kind: stringNode, text: p.s[start:p.at], escaped: escaped}
			p.at++
			return n
		case '\\':
			escaped = true
			p.at++
		}
		p.at++
	}
	p.broken = true // a cut string keeps what came
	p.at = len(p.s)
	return &node{kind: stringNode, text: p.s[start:], escaped: escaped}
}

func (p *jsonParser) number() *node {
	start := p.at
	for p.at < len(p.s) && strings.IndexByte("+-.0123456789eE", p.s[p.at]) >= 0 {
		p.at++
	}
	text := p.s[start:p.at]
	if !isJSONNumber(text) {
		return p.fail()
	}
	return &node{kind: numberNode, text: text}
}

func (p *jsonParser) word() *node {
	rest := p.s[p.at:]
	for _, w := range [...]struct {
		text string
		kind nodeKind
	}{{"true", boolNode}, {"false", boolNode}, {"null", nullNode}} {
		if strings.HasPrefix(rest, w.text) {
			p.at += len(w.text)
			return &node{kind: w.kind, text: w.text}
		}
	}
	return p.fail()
}

// isJSONNumber holds RFC 8259's grammar, so that digits can be passed on.
func isJSONNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	whole := digits(s)
	if whole == 0 || whole > 1 && s[0] == '0' {
		return false
	}
	s = s[whole:]
	if strings.HasPrefix(s, ".") {
		n := digits(s[1:])
		if n == 0 {
			return false
		}
		s = s[1+n:]
	}
	if s != "" && (s[0] == 'e' || s[0] == 'E') {
		s = strings.TrimPrefix(strings.TrimPrefix(s[1:], "+"), "-")
		n := digits(s)
		return n > 0 && n == len(s)
	}
	return s == ""
}

func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// unescapeJSON resolves escapes; broken ones become U+FFFD.
func unescapeJSON(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 >= len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if s[i] == 'u' {
			r, used := unicodeEscape(s[i-1:])
			b.WriteRune(r)
			i += used - 2
			continue
		}
		b.WriteByte(simpleEscape(s[i]))
	}
	return b.String()
}

func simpleEscape(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	case 'b', 'f':
		return ' '
	}
	return c
}

// unicodeEscape reads `\uXXXX` or a surrogate pair at the start of s, and
// returns the rune and the bytes used.
func unicodeEscape(s string) (rune, int) {
	high, ok := hex4(s)
	if !ok {
		return utf8.RuneError, min(len(s), 2)
	}
	if utf16.IsSurrogate(high) {
		if low, ok := hex4(s[6:]); ok {
			if r := utf16.DecodeRune(high, low); r != utf8.RuneError {
				return r, 12
			}
		}
		return utf8.RuneError, 6
	}
	return high, 6
}

func hex4(s string) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(s[2:6], 16, 32)
	return rune(v), err == nil
}
