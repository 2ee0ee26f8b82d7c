package observation

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"toolgate.dev/toolgate/interceptors"
)

const ellipsis = "…"

// tidy makes a text one line of valid UTF-8 without control characters and
// bidi overrides, at most max bytes long; 0 sets no bound.
func tidy(s string, max int) string {
	if !isTidy(s) {
		s = rewrite(s)
	}
	if max > 0 {
		return cut(s, max)
	}
	return s
}

func isTidy(s string) bool {
	space := true // a leading space is untidy
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c >= 0x7f || (c == ' ' && space) {
			return c >= utf8.RuneSelf && isTidyWide(s)
		}
		space = c == ' '
	}
	return !space || s == ""
}

// isTidyWide is isTidy for texts beyond ASCII.
func isTidyWide(s string) bool {
	return utf8.ValidString(s) && rewrite(s) == s
}

func rewrite(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	space := false
	for _, r := range strings.ToValidUTF8(s, "") {
		switch {
		case unicode.IsSpace(r):
			space = b.Len() > 0
		case unprintable(r):
		default:
			if space {
				b.WriteByte(' ')
				space = false
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}

// unprintable reports runes that change how a text is read without being read:
// controls, bidi embeddings, overrides and isolates, zero-width spaces, byte
// order marks, language tags.
func unprintable(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) ||
		r == '\u200b' || r == '\u2060' || r == '\ufeff' || (r >= 0xe0000 && r <= 0xe007f)
}

// cut shortens a text to max bytes, between words where one ends near the
// bound, so that no number is shortened into another one.
func cut(s string, max int) string {
	if len(s) <= max {
		return s
	}
	if max <= len(ellipsis) {
		return ""
	}
	end := max - len(ellipsis)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	if space := strings.LastIndexByte(s[:end+1], ' '); space > end-64 && space > 0 {
		end = space
	}
	return strings.TrimRight(s[:end], " ,;:") + ellipsis
}

// cutMiddle shortens a text to max bytes and keeps both its ends: the cause
// stands at one of them.
func cutMiddle(s string, max int) string {
	if len(s) <= max {
		return s
	}
	head := cut(s, max*3/5)
	tail := s[len(s)-(max-len(head)-1):]
	for tail != "" && !utf8.RuneStart(tail[0]) {
		tail = tail[1:]
	}
	if space := strings.IndexByte(tail, ' '); space >= 0 && space < 64 {
		tail = tail[space+1:]
	}
	return head + " " + tail
}

// whole returns s, or nothing where it is over its bound: half a name is not a
// name.
func whole(s string, max int) string {
	if len(s) > max {
		return ""
	}
	return s
}

// fitSentences drops sentences from the end until the rest fits.
func fitSentences(s string, max int) string {
	for len(s) > max {
		last := strings.LastIndex(s, interceptors.NoteSeparator)
		if last < 0 {
			return cut(s, max)
		}
		s = strings.TrimRight(s[:last], " ")
	}
	return s
}

// defaultWait stands in for a wait that nobody set or that is not a number.
const defaultWait = 1.0

// roundUp makes a wait finite, not negative, and rounded up: to 1 ms below
// 10 s, else to whole seconds.
func roundUp(wait *float64) float64 {
	switch {
	case wait == nil, math.IsNaN(*wait), math.IsInf(*wait, 0):
		return defaultWait
	case *wait <= 0:
		return 0
	case *wait >= 10:
		return math.Ceil(*wait)
	}
	// Multiplying may land a hair above the millisecond that the wait already
	// is, so the nearest one is tried first.
	ms := math.Round(*wait * 1000)
	if ms/1000 < *wait {
		ms++
	}
	return ms / 1000
}
