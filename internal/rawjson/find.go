package rawjson

import (
	"strconv"
	"strings"
)

// Get returns the value of the object's member of that name; where a name
// stands twice the last one counts, as in encoding/json.
func Get(object []byte, name string) (value []byte, found bool) {
	for m := range Members(object) {
		if m.is(name) {
			value, found = m.Value, true
		}
	}
	return value, found
}

// is compares without decoding where the key holds no escape.
func (m Member) is(name string) bool {
	inner := m.Key[1:max(1, len(m.Key)-1)]
	for _, c := range inner {
		if c == '\\' || c >= 0x80 {
			return m.Name() == name
		}
	}
	return string(inner) == name
}

// Item returns the item of the array at that place, from 0.
func Item(array []byte, place int) (value []byte, found bool) {
	for item := range Items(array) {
		if place == 0 {
			return item, true
		}
		place--
	}
	return nil, false
}

// Find returns the value at a JSON Pointer (RFC 6901); the empty pointer is the
// whole text.
func Find(text []byte, pointer string) (value []byte, found bool) {
	value = Trim(text)
	if pointer == "" {
		return value, len(value) > 0
	}
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if value, found = step(value, unescape(token)); !found {
			return nil, false
		}
	}
	return value, true
}

func step(text []byte, token string) ([]byte, bool) {
	switch KindOf(text) {
	case Object:
		return Get(text, token)
	case Array:
		place, err := strconv.Atoi(token)
		if err != nil || place < 0 || token != strconv.Itoa(place) {
			return nil, false
		}
		return Item(text, place)
	}
	return nil, false
}

func unescape(token string) string {
	if !strings.Contains(token, "~") {
		return token
	}
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}

// ValidPointer reports whether the text is a JSON Pointer.
func ValidPointer(pointer string) bool {
	if pointer != "" && pointer[0] != '/' {
		return false
	}
	for i := range len(pointer) {
		if pointer[i] == '~' && (i+1 == len(pointer) || pointer[i+1] != '0' && pointer[i+1] != '1') {
			return false
		}
	}
	return true
}

// Field returns the value at a path as google.rpc.BadRequest writes it,
// `a.b[0].c`; the empty path is the whole text.
func Field(text []byte, path string) (value []byte, found bool) {
	value = Trim(text)
	for path != "" {
		var token string
		token, path = nextField(path)
		if value, found = step(value, token); !found {
			return nil, false
		}
	}
	return value, len(value) > 0
}

func nextField(path string) (token, rest string) {
	if path[0] == '[' {
		if end := strings.IndexByte(path, ']'); end > 0 {
			return path[1:end], strings.TrimPrefix(path[end+1:], ".")
		}
		return path, ""
	}
	end := strings.IndexAny(path, ".[")
	if end <= 0 {
		return path, ""
	}
	return path[:end], strings.TrimPrefix(path[end:], ".")
}
