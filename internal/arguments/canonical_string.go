package arguments

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// str reads a string and writes it with the escapes that JSON demands and no
// others: \" and \\, and \u00xx for control characters.
func (c *canon) str() *syntaxError {
	c.pos++
	c.out = append(c.out, '"')
	start := c.pos
	for {
		c.pos = plainEnd(c.src, c.pos)
		if c.pos == len(c.src) {
			return c.fail("a closing double quote; the text seems to be cut off")
		}
		switch b := c.src[c.pos]; {
		case b == '"':
			c.out = append(append(c.out, c.src[start:c.pos]...), '"')
			c.pos++
			return nil
		case b == '\\':
			c.out = append(c.out, c.src[start:c.pos]...)
			if err := c.escape(); err != nil {
				return err
			}
			start = c.pos
		case b < ' ':
			return c.fail("an escape such as \\n inside a string")
		default:
			r, size := utf8.DecodeRuneInString(c.src[c.pos:])
			if r == utf8.RuneError && size == 1 {
				return c.fail("UTF-8")
			}
			c.pos += size
		}
	}
}

// plainEnd returns where ASCII that stands for itself in a string ends.
func plainEnd(src string, at int) int {
	for at < len(src) && plain[src[at]] {
		at++
	}
	return at
}

var plain = func() (table [256]bool) {
	for b := ' '; b < utf8.RuneSelf; b++ {
		table[b] = b != '"' && b != '\\'
	}
	return table
}()

// escape reads the escape at pos.
func (c *canon) escape() *syntaxError {
	c.pos++
	if c.pos == len(c.src) {
		return c.fail("the rest of an escape; the text seems to be cut off")
	}
	switch b := c.src[c.pos]; b {
	case '"', '\\', '/':
		c.pos++
		c.rune(rune(b))
	case 'u':
		return c.unicode()
	default:
		at := strings.IndexByte(shortEscapes, b)
		if at < 0 {
			return c.fail(`one of "\/bfnrtu behind a backslash`)
		}
		c.pos++
		c.rune(rune(shortEscaped[at]))
	}
	return nil
}

const shortEscapes, shortEscaped = "bfnrt", "\b\f\n\r\t"

// unicode reads uXXXX, and its other half where it is half of a pair. A lone
// half stands for no character (RFC 7493 section 2.1).
func (c *canon) unicode() *syntaxError {
	at := c.pos - 1
	r, err := c.hex()
	if err != nil {
		return err
	}
	if !utf16.IsSurrogate(r) {
		c.rune(r)
		return nil
	}
	if c.pos+1 < len(c.src) && c.src[c.pos] == '\\' && c.src[c.pos+1] == 'u' {
		c.pos++
		low, err := c.hex()
		if err != nil {
			return err
		}
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			c.rune(pair)
			return nil
		}
	}
	c.pos = at
	return &syntaxError{at: at, found: "half of a surrogate pair", expected: "both halves, or the character itself"}
}

func (c *canon) hex() (r rune, err *syntaxError) {
	c.pos++ // the u
	for range 4 {
		if c.pos == len(c.src) {
			return 0, c.fail("four hexadecimal digits; the text seems to be cut off")
		}
		digit, ok := hexValue(c.src[c.pos])
		if !ok {
			return 0, c.fail("four hexadecimal digits behind \\u")
		}
		r = r<<4 | digit
		c.pos++
	}
	return r, nil
}

func hexValue(b byte) (rune, bool) {
	switch {
	case b >= '0' && b <= '9':
		return rune(b - '0'), true
	case b >= 'a' && b <= 'f':
		return rune(b-'a') + 10, true
	case b >= 'A' && b <= 'F':
		return rune(b-'A') + 10, true
	}
	return 0, false
}

func (c *canon) rune(r rune) { c.out = appendRune(c.out, r) }

func appendRune(dst []byte, r rune) []byte {
	switch {
	case r == '"' || r == '\\':
		return append(dst, '\\', byte(r))
	case r < ' ':
		return append(dst, '\\', 'u', '0', '0', hexDigits[r>>4], hexDigits[r&15])
	}
	return utf8.AppendRune(dst, r)
}

// quote writes a string as the canonical form does. s must be UTF-8.
func quote(s string) string {
	dst := make([]byte, 0, len(s)+2)
	dst = append(dst, '"')
	for _, r := range s {
		dst = appendRune(dst, r)
	}
	return string(append(dst, '"'))
}
