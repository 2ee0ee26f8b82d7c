package rawjson

import (
	"bytes"
	"encoding/json"
	"iter"
	"unicode/utf8"
)

// Kind is the first byte that tells what a value is.
type Kind byte

// The kinds of values; Absent is no value at all.
const (
	Absent Kind = 0
	Object Kind = '{'
	Array  Kind = '['
	String Kind = '"'
	Number Kind = '0'
	True   Kind = 't'
	False  Kind = 'f'
	Null   Kind = 'n'
)

// KindOf tells what the text is.
func KindOf(text []byte) Kind {
	at := space(text, 0)
	if at == len(text) {
		return Absent
	}
	switch c := text[at]; c {
	case '{', '[', '"', 't', 'f', 'n':
		return Kind(c)
	default:
		return Number
	}
}

// Scalar reports whether the kind is a string, a number or a boolean.
func (k Kind) Scalar() bool { return k == String || k == Number || k == True || k == False }

// Member is one member of an object.
type Member struct {
	// Key is the name as it is written, with its quotes.
	Key []byte
	// Value is the value's text without surrounding space.
	Value []byte
	// Start is the offset of the key, End the offset behind the value.
	Start, End int
}

// Name is the decoded name.
func (m Member) Name() string { return Text(m.Key) }

// Members walks the members of an object in the order of the text; of anything
// else it yields nothing.
func Members(object []byte) iter.Seq[Member] {
	return func(yield func(Member) bool) {
		at, ok := enter(object, '{')
		for ok {
			at = separator(object, at)
			if at >= len(object) || object[at] != '"' {
				return
			}
			m := Member{Start: at}
			at = skip(object, at)
			m.Key = object[m.Start:at]
			if at = space(object, at); at >= len(object) || object[at] != ':' {
				return
			}
			value := space(object, at+1)
			at = skip(object, value)
			if at == value {
				return
			}
			m.Value, m.End = object[value:at], at
			ok = yield(m)
		}
	}
}

// Items walks the items of an array; of anything else it yields nothing.
func Items(array []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		at, ok := enter(array, '[')
		for ok {
			at = separator(array, at)
			end := skip(array, at)
			if end == at {
				return
			}
			ok = yield(array[at:end])
			at = end
		}
	}
}

// Text decodes a string; of anything else it returns the text itself, which is
// how a scalar is written outside of JSON.
func Text(value []byte) string {
	value = Trim(value)
	if len(value) < 2 || value[0] != '"' {
		return string(value)
	}
	inner := value[1 : len(value)-1]
	if bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner)
	}
	var decoded string
	if json.Unmarshal(value, &decoded) != nil {
		return string(inner)
	}
	return decoded
}

// Trim cuts the space around a text.
func Trim(text []byte) []byte {
	text = text[space(text, 0):]
	return bytes.TrimRight(text, " \t\r\n")
}

func space(text []byte, at int) int {
	for at < len(text) {
		switch text[at] {
		case ' ', '\t', '\r', '\n':
			at++
		default:
			return at
		}
	}
	return at
}

func enter(text []byte, open byte) (at int, ok bool) {
	at = space(text, 0)
	return at + 1, at < len(text) && text[at] == open
}

// separator moves over space and a comma to the next member or item.
func separator(text []byte, at int) int {
	if at = space(text, at); at < len(text) && text[at] == ',' {
		at = space(text, at+1)
	}
	return at
}

// skip returns the offset behind the value that starts at at; at itself where
// none does.
func skip(text []byte, at int) int {
	if at >= len(text) {
		return at
	}
	switch text[at] {
	case '"':
		return skipString(text, at)
	case '{', '[':
		return skipContainer(text, at)
	}
	for end := at; end < len(text); end++ {
		switch text[end] {
		case ',', ']', '}', ':', ' ', '\t', '\r', '\n':
			return end
		}
	}
	return len(text)
}

func skipString(text []byte, at int) int {
	for at++; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return len(text)
}

func skipContainer(text []byte, at int) int {
	depth := 0
	for at < len(text) {
		switch text[at] {
		case '"':
			at = skipString(text, at)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		at++
		if depth == 0 {
			return at
		}
	}
	return len(text)
}
