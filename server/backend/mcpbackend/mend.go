package mcpbackend

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// mend makes valid JSON of the head of a JSON text: what is open is closed, also
// a text in the middle, and what can't be finished is left out.
func mend(head []byte) []byte {
	m := mender{inText: -1}
	for i := 0; i < len(head); i++ {
		i = m.step(head, i)
	}
	if m.inText >= 0 && !m.key {
		text := bytes.Clone(cutEscape(head, m.inText))
		return append(append(text, '"'), m.closers()...)
	}
	return append(bytes.Clone(head[:m.safe]), m.closersAt...)
}

// mender walks a head and remembers the last place where it could be closed.
type mender struct {
	open      []byte // brackets
	key       bool   // an object's name comes next, or is being read
	inText    int    // where the text under way begins; below zero: none is
	safe      int
	closersAt []byte
}

func (m *mender) step(head []byte, i int) int {
	switch c := head[i]; c {
	case '"':
		return m.text(head, i)
	case '{', '[':
		m.open = append(m.open, c)
		m.key = c == '{'
		m.mark(i + 1)
	case '}', ']':
		if len(m.open) > 0 {
			m.open = m.open[:len(m.open)-1]
		}
		m.key = false
		m.mark(i + 1)
	case ',':
		m.mark(i)
		m.key = len(m.open) > 0 && m.open[len(m.open)-1] == '{'
	case ':':
		m.key = false
	}
	return i
}

// text passes over a text and returns where its end is.
func (m *mender) text(head []byte, i int) int {
	m.inText = i
	for at := i + 1; at < len(head); at++ {
		switch head[at] {
		case '\\':
			at++
		case '"':
			m.inText = -1
			if !m.key {
				m.mark(at + 1)
			}
			return at
		}
	}
	return len(head)
}

func (m *mender) mark(at int) { m.safe, m.closersAt = at, m.closers() }

func (m *mender) closers() []byte {
	closing := make([]byte, 0, len(m.open))
	for _, bracket := range slices.Backward(m.open) {
		closing = append(closing, bracket+2) // in ASCII } and ] stand two behind their openings
	}
	return closing
}

// maxEscape is the longest escape, `\uD83D\uDE00`: half of it means nothing.
const maxEscape = 12

// cutEscape ends a text that began at start before an escape or a rune that is
// not whole.
func cutEscape(head []byte, start int) []byte {
	from := max(start+1, len(head)-maxEscape)
	if at := bytes.LastIndexByte(head[from:], '\\'); at >= 0 {
		at += from
		backslashes := 0
		for at-backslashes > start && head[at-backslashes] == '\\' {
			backslashes++
		}
		whole := backslashes%2 == 0 || at+1 < len(head) && head[at+1] != 'u'
		if !whole {
			head = head[:at]
		}
	}
	for i := 1; i <= min(utf8.UTFMax, len(head)-start-1); i++ {
		if last := len(head) - i; utf8.RuneStart(head[last]) {
			if !utf8.FullRune(head[last:]) {
				head = head[:last]
			}
			break
		}
	}
	return head
}
