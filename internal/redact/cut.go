package redact

import (
	"strings"
	"unicode/utf8"
)

// cutMark stands where a body was cut.
const cutMark = "\n…\n"

// lookAround is how far HeadTail goes back or ahead for the end of a line or
// member before it settles for the end of a token, in bytes.
const lookAround = 2 << 10

// HeadTail shortens a body to its head and tail, at most max bytes together,
// before anything reads it: the cause stands at one of the ends. It cuts
// between lines or members of JSON where it can, and never inside a token, so
// that no secret is left in two halves that no rule knows. A body of at most
// max bytes comes back as it is.
func HeadTail(b []byte, max int) string {
	if len(b) <= max {
		return string(b)
	}
	half := (max-len(cutMark))/2 - 1 // each piece is read one byte beyond
	if half <= 0 {
		return ""
	}
	head := headOf(string(b[:half+1]))
	tail := tailOf(string(b[len(b)-half-1:]))
	return head + cutMark + tail
}

// headOf drops the last piece of s, which may be a part.
func headOf(s string) string {
	from := max(0, len(s)-lookAround)
	if at := lastBreak(s[from:]); at >= 0 {
		return s[:from+at]
	}
	return strings.TrimRightFunc(s, isTokenPart)
}

// tailOf drops the first piece of s, which may be a part.
func tailOf(s string) string {
	if at := firstBreak(s[:min(len(s), lookAround)]); at >= 0 {
		return s[at:]
	}
	// The name of a secret may have been cut off in front of its value.
	for range nameTokens {
		s = strings.TrimLeftFunc(s, func(r rune) bool { return !isTokenPart(r) })
		s = strings.TrimLeftFunc(s, isTokenPart)
	}
	return s
}

// nameTokens is how many tokens of a tail may belong to a pair whose name is
// missing: `API key provided: Bearer x`.
const nameTokens = 5

// lastBreak and firstBreak find the end of a line, else a comma in front of a
// member's name.
func lastBreak(s string) int {
	if at := strings.LastIndexByte(s, '\n'); at >= 0 {
		return at
	}
	return strings.LastIndex(s, `,"`)
}

func firstBreak(s string) int {
	if at := strings.IndexByte(s, '\n'); at >= 0 {
		return at
	}
	return strings.Index(s, `,"`)
}

// isTokenPart reports what a secret may go on with.
func isTokenPart(r rune) bool {
	return r >= utf8.RuneSelf || isToken(byte(r)) || strings.ContainsRune(`@!#$^*&?|\`, r)
}
