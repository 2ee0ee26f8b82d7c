package arguments

import (
	"bytes"
	"slices"
	"strings"
	"sync"
)

// maxDepth is how deep arrays and objects may be nested.
const maxDepth = 128

// canon reads a JSON text strictly (RFC 8259: grammar, UTF-8, escapes, whole
// surrogate pairs, depth) and writes its canonical form: no white space, keys
// sorted, one spelling for each string and each number. Two texts are the same
// arguments exactly if their canonical forms are equal.
type canon struct {
	src       string
	pos       int
	out       []byte
	members   []member // of all objects that are open
	moved     []byte
	depth     int
	duplicate bool // some object names a key twice
}

// member is where one member of an object stands in out.
type member struct{ key, colon, end int }

var scratch = sync.Pool{New: func() any { return new(canon) }}

// largest buffer that is kept for the next call
const maxKept = 1 << 20

// borrow prepares a canon for text, its output starting with prefix.
func borrow(prefix []byte, text string) *canon {
	c := scratch.Get().(*canon)
	*c = canon{src: text, out: append(c.out[:0], prefix...), members: c.members[:0], moved: c.moved[:0]}
	return c
}

func (c *canon) release() {
	if cap(c.out) <= maxKept && cap(c.moved) <= maxKept {
		c.src = ""
		scratch.Put(c)
	}
}

// document reads the whole text. A text of white space alone is no arguments:
// the empty object.
func (c *canon) document() *syntaxError {
	c.space()
	if c.pos == len(c.src) {
		c.out = append(c.out, "{}"...)
		return nil
	}
	if err := c.value(); err != nil {
		return err
	}
	c.space()
	if c.pos < len(c.src) {
		return c.fail("nothing behind the JSON value")
	}
	return nil
}

func (c *canon) space() {
	for c.pos < len(c.src) {
		switch c.src[c.pos] {
		case ' ', '\n', '\t', '\r':
			c.pos++
		default:
			return
		}
	}
}

func (c *canon) value() *syntaxError {
	if c.pos == len(c.src) {
		return c.fail("a JSON value; the text seems to be cut off")
	}
	switch b := c.src[c.pos]; b {
	case '{':
		return c.nested(c.object)
	case '[':
		return c.nested(c.array)
	case '"':
		return c.str()
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return c.number()
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if strings.HasPrefix(c.src[c.pos:], word) {
			c.pos += len(word)
			c.out = append(c.out, word...)
			return nil
		}
	}
	return c.noValue()
}

func (c *canon) nested(read func() *syntaxError) *syntaxError {
	if c.depth == maxDepth {
		return c.fail("at most 128 levels of nesting")
	}
	c.depth++
	err := read()
	c.depth--
	return err
}

func (c *canon) array() *syntaxError {
	c.open('[')
	if c.closes(']') {
		return nil
	}
	for {
		c.space()
		if err := c.value(); err != nil {
			return err
		}
		c.space()
		if c.closes(']') {
			return nil
		}
		if !c.comma() {
			return c.fail("',' or ']'" + c.cut())
		}
	}
}

func (c *canon) object() *syntaxError {
	first, begin := len(c.members), len(c.out)
	c.open('{')
	if c.closes('}') {
		return nil
	}
	for {
		m, err := c.member(len(c.members) > first)
		if err != nil {
			return err
		}
		c.members = append(c.members, m)
		c.space()
		if c.closes('}') {
			c.sort(first, begin)
			c.members = c.members[:first]
			return nil
		}
		if !c.comma() {
			return c.fail("',' or '}'" + c.cut())
		}
	}
}

func (c *canon) member(further bool) (m member, err *syntaxError) {
	c.space()
	m.key = len(c.out)
	if c.pos == len(c.src) || c.src[c.pos] != '"' {
		if further && c.pos < len(c.src) && c.src[c.pos] == '}' {
			return m, c.fail("a member; JSON has no trailing commas")
		}
		return m, c.fail("a member's name in double quotes" + c.cut())
	}
	if err = c.str(); err != nil {
		return m, err
	}
	m.colon = len(c.out)
	c.space()
	if c.pos == len(c.src) || c.src[c.pos] != ':' {
		return m, c.fail("':' behind the member's name" + c.cut())
	}
	c.pos++
	c.out = append(c.out, ':')
	c.space()
	err = c.value()
	m.end = len(c.out)
	return m, err
}

func (c *canon) open(bracket byte) {
	c.pos++
	c.out = append(c.out, bracket)
	c.space()
}

func (c *canon) closes(bracket byte) bool {
	if c.pos == len(c.src) || c.src[c.pos] != bracket {
		return false
	}
	c.pos++
	c.out = append(c.out, bracket)
	return true
}

func (c *canon) comma() bool {
	if c.pos == len(c.src) || c.src[c.pos] != ',' {
		return false
	}
	c.pos++
	c.out = append(c.out, ',')
	return true
}

// cut adds the likeliest reason of a text that just ends.
func (c *canon) cut() string {
	if c.pos == len(c.src) {
		return "; the text seems to be cut off"
	}
	return ""
}

// sort brings the members from first on, whose object begins at begin, into the
// order of their keys. Most arguments need no move.
func (c *canon) sort(first, begin int) {
	members := c.members[first:]
	byKey := func(a, b member) int { return bytes.Compare(c.out[a.key:a.colon], c.out[b.key:b.colon]) }
	sorted := true
	for i := 1; i < len(members) && sorted; i++ {
		sorted = byKey(members[i-1], members[i]) < 0
	}
	if sorted {
		return
	}
	slices.SortStableFunc(members, byKey)
	c.moved = append(c.moved[:0], c.out[begin:]...)
	c.out = c.out[:begin+1]
	for i, m := range members {
		if i > 0 {
			c.duplicate = c.duplicate || bytes.Equal(c.moved[m.key-begin:m.colon-begin], c.moved[members[i-1].key-begin:members[i-1].colon-begin])
			c.out = append(c.out, ',')
		}
		c.out = append(c.out, c.moved[m.key-begin:m.end-begin]...)
	}
	c.out = append(c.out, '}')
}
