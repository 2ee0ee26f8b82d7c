package redact

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// clean makes s valid UTF-8 without terminal sequences, control characters and
// runes that turn or hide what is read (bidi controls, zero-width characters).
// Line breaks and tabs stay: traces are read by lines.
func clean(s string) string {
	s = unescapeJSON(unescapeTrace(s))
	if isPlain(s) {
		return s
	}
	s = terminalSequences.ReplaceAllString(strings.ToValidUTF8(s, ""), "")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || (r > ' ' && r < 0x7f):
			return r
		case r == '\r' || r == '\u0085' || r == '\u2028' || r == '\u2029':
			return '\n'
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Bidi_Control, r), r == utf8.RuneError:
			return -1
		}
		return r
	}, s)
}

// unescapeJSON resolves what encoders of JSON write for characters that need no
// escape: they stand between a name and its secret (`?a=1\u0026token=…`) and
// inside URLs (`https:\/\/…`).
func unescapeJSON(s string) string {
	if strings.Contains(s, `\u00`) {
		s = plainEscapes.Replace(s)
	}
	if strings.Contains(s, `:\/\/`) {
		s = strings.ReplaceAll(s, `\/`, "/")
	}
	return s
}

var plainEscapes = strings.NewReplacer(
	`\u0026`, "&", `\u003c`, "<", `\u003C`, "<", `\u003e`, ">", `\u003E`, ">", `\u003d`, "=", `\u003D`, "=", `\u0027`, "'",
	`\u003a`, ":", `\u003A`, ":", `\u002f`, "/", `\u002F`, "/", `\u0040`, "@", `\u002b`, "+", `\u002B`, "+",
)

// terminalSequences are ECMA-48 control and operating system sequences, raw or
// written out by an encoder.
var terminalSequences = regexp.MustCompile(
	`(?:\x1b|\x{9b}|\\u001[bB]|\\x1[bB]|\\033|\\e)(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)|\x1b[@-_]?`)

func isPlain(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < ' ' && c != '\n' && c != '\t') || c >= 0x7f {
			return false
		}
		if c == '\\' && i+1 < len(s) && strings.IndexByte("ux0e", s[i+1]) >= 0 && terminalSequences.MatchString(s[i:min(len(s), i+16)]) {
			return false
		}
	}
	return true
}

// squeeze makes one line of s with single spaces.
func squeeze(s string) string {
	space := true
	for i := range len(s) {
		c := s[i]
		if c == '\n' || c == '\t' || (c == ' ' && space) {
			return strings.Join(strings.Fields(s), " ")
		}
		space = c == ' '
	}
	return strings.TrimSuffix(s, " ")
}
