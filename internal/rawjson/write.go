package rawjson

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

const hex = "0123456789abcdef"

// AppendString appends text as a JSON string. Bytes that are no UTF-8 become
// U+FFFD; nothing is escaped that needn't be.
func AppendString(dst []byte, text string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(text); {
		c := text[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(text[i:])
			dst = utf8.AppendRune(dst, r)
			i += size
			continue
		}
		i++
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c == '\t':
			dst = append(dst, '\\', 't')
		case c < 0x20:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

// AppendMember appends a member to an object that is being written: dst holds
// its opening brace and what stands before.
func AppendMember(dst []byte, name string, value []byte) []byte {
	dst = comma(dst)
	dst = AppendString(dst, name)
	dst = append(dst, ':')
	return AppendCompact(dst, value)
}

// AppendCompact appends a value without the space between its tokens.
func AppendCompact(dst, value []byte) []byte {
	if bytes.ContainsAny(value, " \t\r\n") {
		buffer := bytes.NewBuffer(dst)
		if json.Compact(buffer, value) == nil {
			return buffer.Bytes()
		}
	}
	return append(dst, value...)
}

func comma(dst []byte) []byte {
	if last := dst[len(dst)-1]; last != '{' && last != '[' {
		return append(dst, ',')
	}
	return dst
}

// Merge returns the object with the members of other put in place of its own of
// the same name, and the new ones at its end. Of a name that stands twice the
// last value counts.
func Merge(object, other []byte) []byte {
	values := map[string][]byte{}
	var order []string
	for _, text := range [][]byte{object, other} {
		for m := range Members(text) {
			name := m.Name()
			if _, known := values[name]; !known {
				order = append(order, name)
			}
			values[name] = m.Value
		}
	}
	merged := []byte{'{'}
	for _, name := range order {
		merged = AppendMember(merged, name, values[name])
	}
	return append(merged, '}')
}
