package redact

import "strings"

const (
	keyBegin = "-----BEGIN "
	keyEnd   = "-----END "
	keyDash  = "-----"
)

// keys removes PEM blocks (RFC 7468), also where the body was cut before their
// end or after their beginning.
func (t *text) keys(places []int) {
	open := true // an end may still come
	t.splice(places, func(s string, at int) (from, to int, with string) {
		if strings.HasPrefix(s[at:], keyEnd) {
			return beforeEnd(s, at), labelEnd(s, at+len(keyEnd)), secretMark
		}
		to = labelEnd(s, at+len(keyBegin))
		if !strings.HasPrefix(s[at:], keyBegin) || to == 0 {
			return 0, 0, ""
		}
		if open {
			if end := strings.Index(s[to:], keyEnd); end >= 0 {
				if last := labelEnd(s, to+end+len(keyEnd)); last > 0 {
					return at, last, secretMark
				}
			}
			open = false
		}
		return at, afterBegin(s, to), secretMark
	})
}

// labelEnd returns the end of the label that begins at a place, with its dashes;
// 0: it is none.
func labelEnd(s string, at int) int {
	for i := at; i < len(s) && i < at+64; i++ {
		if !isUpper(s[i]) && !isDigit(s[i]) && s[i] != ' ' {
			if strings.HasPrefix(s[i:], keyDash) {
				return i + len(keyDash)
			}
			return 0
		}
	}
	return 0
}

// minKeyLine is the length from which a run of base64 in front of an end, or
// behind a beginning, belongs to the key and not to the sentence, in bytes.
const minKeyLine = 16

// beforeEnd goes back over the lines of a key whose beginning is missing.
func beforeEnd(s string, at int) int {
	from := at
	for first := true; ; first = false {
		end := len(strings.TrimRight(s[:from], " \\nr…"))
		start := end
		for start > 0 && (isBase64(s[start-1]) || s[start-1] == '=') {
			start--
		}
		if n := end - start; n == 0 || (!first && n < minKeyLine) {
			return from
		}
		from = start
	}
}

// afterBegin goes over the lines of a key whose end is missing.
func afterBegin(s string, at int) int {
	to := at
	for {
		start := len(s) - len(strings.TrimLeft(s[to:], " \\…"))
		end := start
		for end < len(s) && (isBase64(s[end]) || s[end] == '=') {
			end++
		}
		if end-start < minKeyLine {
			return to
		}
		to = end
	}
}
