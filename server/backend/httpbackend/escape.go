package httpbackend

import (
	"fmt"
	"strings"
)

const upperHex = "0123456789ABCDEF"

// appendEscaped percent-encodes all but the unreserved characters of RFC 3986,
// which is safe in a path segment, in a query and in a form.
func appendEscaped(dst []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; unreserved(c) {
			dst = append(dst, c)
		} else {
			dst = append(dst, '%', upperHex[c>>4], upperHex[c&15])
		}
	}
	return dst
}

// appendLiteral copies what may stand in a URL and encodes the rest (RFC 6570
// section 3.1).
func appendLiteral(dst []byte, text string) ([]byte, error) {
	for i := range len(text) {
		c := text[i]
		switch {
		case c == '%':
			if i+2 >= len(text) || !isHex(text[i+1]) || !isHex(text[i+2]) {
				return nil, fmt.Errorf("%q is no percent-encoding", text[i:min(len(text), i+3)])
			}
			dst = append(dst, c)
		case c < 0x20 || c == 0x7f || c == '\\':
			return nil, fmt.Errorf("%q may not stand in a URL", c)
		case unreserved(c) || strings.IndexByte(":/?@!$&'()*+,;=", c) >= 0:
			dst = append(dst, c)
		default:
			dst = append(dst, '%', upperHex[c>>4], upperHex[c&15])
		}
	}
	return dst, nil
}

func unreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '.' || c == '_' || c == '~'
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func unhex(c byte) byte {
	switch {
	case c <= '9':
		return c - '0'
	case c >= 'a':
		return c - 'a' + 10
	}
	return c - 'A' + 10
}
