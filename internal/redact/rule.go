package redact

import "regexp"

// The placeholders. None of them is matched by a rule.
const (
	secretMark = "[secret]"
	idMark     = "[id]"
	hostMark   = "[host]"
	pathMark   = "[path]"
	emailMark  = "[email]"
	phoneMark  = "[phone]"
	cardMark   = "[card]"
	sqlMark    = "[sql]"

	// gap marks what is removed without a placeholder, so that brackets which it
	// leaves empty can go too. No cleaned text holds it.
	gap = "\x00"
	// quotedGap is a gap whose opening quote is still there.
	quotedGap = "\x01\x00"
)

// rule is one kind of thing to remove.
type rule struct {
	needs feature // all of them
	any   feature // one of them; 0: no condition
	// words are literals, in lower case and of at least 3 bytes, one of which a
	// match holds. None: no condition.
	words []string
	// sign stands for the words where one byte is enough. 0: none.
	sign byte
	// back and reach are how far in front of and behind the beginning of a word a
	// match may extend, in bytes, up to the next blank; the expression reads only
	// that. No reach: the whole text.
	back, reach int
	// starts: every match begins with one of the words, and the expression is
	// anchored; it is tried there and nowhere else.
	starts bool
	re     *regexp.Regexp
	with   func(m match) string
	// by does the work where an expression can't; places are those of the words.
	by func(t *text, places []int)
}

// match is one place where a rule's expression matched.
type match struct {
	text string
	at   []int
	keep Keep
}

// group returns the i-th group, empty where it did not take part.
func (m match) group(i int) string {
	if m.at[2*i] < 0 {
		return ""
	}
	return m.text[m.at[2*i]:m.at[2*i+1]]
}

// before returns up to n bytes in front of the match.
func (m match) before(n int) string { return m.text[max(0, m.at[0]-n):m.at[0]] }

// after returns up to n bytes behind the match.
func (m match) after(n int) string { return m.text[m.at[1]:min(len(m.text), m.at[1]+n)] }

// always replaces every match by the same text.
func always(with string) func(match) string {
	return func(match) string { return with }
}

// unlessSent replaces a match that the caller did not send.
func unlessSent(with string) func(match) string {
	return func(m match) string {
		if m.keep.Has(m.group(0)) {
			return m.group(0)
		}
		return with
	}
}
