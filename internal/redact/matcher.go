package redact

import "strings"

// matcher finds any of many needles in one pass: results are searched on the
// way out of every call.
type matcher struct {
	byStart map[uint32][]needle // by the first four bytes, longest first
	filter  *[1 << 7]uint64     // a bit per hash of those bytes
	// words leaves needles alone that stand inside of longer words: values that
	// a caller chose may be ordinary words.
	words bool
}

// newMatcher takes needles of at least four bytes, longest first.
func newMatcher(all []needle) matcher {
	if len(all) == 0 {
		return matcher{}
	}
	m := matcher{byStart: map[uint32][]needle{}, filter: new([1 << 7]uint64)}
	for _, n := range all {
		start := startOf(n.form, 0)
		m.byStart[start] = append(m.byStart[start], n)
		word, bit := slot(start)
		m.filter[word] |= bit
	}
	return m
}

func startOf(s string, i int) uint32 {
	return uint32(s[i]) | uint32(s[i+1])<<8 | uint32(s[i+2])<<16 | uint32(s[i+3])<<24
}

// slot is where a start stands in the filter (Fibonacci hashing).
func slot(start uint32) (word uint32, bit uint64) {
	h := start * 2654435769
	return h >> 25, 1 << (h >> 19 & 63)
}

func (m matcher) remove(s string) string {
	if m.filter == nil || len(s) < minSecret {
		return s
	}
	var b strings.Builder
	done, filter := 0, m.filter
	start := startOf(s, 0) << 8
	for i := minSecret - 1; i < len(s); i++ {
		start = start>>8 | uint32(s[i])<<24
		if word, bit := slot(start); filter[word]&bit == 0 {
			continue
		}
		from, to := m.at(s, i-minSecret+1, start)
		if to <= done {
			continue
		}
		b.WriteString(s[done:max(from, done)])
		b.WriteString(secretMark)
		done = to
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

// at returns the range of the needle that begins at i with this start; to is 0
// where none does.
func (m matcher) at(s string, i int, start uint32) (from, to int) {
	for _, n := range m.byStart[start] {
		if !strings.HasPrefix(s[i:], n.form) {
			continue
		}
		from, to = i, i+len(n.form)
		switch {
		case n.inside:
			return widen(s, from, to)
		case m.words && (joined(s, from) || joined(s, to)):
			continue
		}
		return from, to
	}
	return 0, 0
}

// widen covers the whole encoded text that a form is a part of.
func widen(s string, from, to int) (int, int) {
	for from > 0 && isBase64(s[from-1]) {
		from--
	}
	for to < len(s) && (isBase64(s[to]) || s[to] == '=') {
		to++
	}
	return from, to
}

// joined reports a place inside of a word.
func joined(s string, at int) bool {
	return at > 0 && at < len(s) && isWord(s[at-1]) && isWord(s[at])
}
