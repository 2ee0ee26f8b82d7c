package redact

import (
	"regexp"
	"strings"
)

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
)

// feature is a byte that a rule can't do without.
type feature uint32

const (
	hasAt feature = 1 << iota
	hasDigit
	hasSlash
	hasColon
	hasEquals
	hasBackslash
	hasDot
	hasUpper
	hasDash
	hasStar
	hasPlus
	hasBracket
	hasHash
	hasPercent
)

var byteFeatures = func() (table [256]feature) {
	for c, f := range map[byte]feature{
		'@': hasAt, '/': hasSlash, ':': hasColon, '=': hasEquals, '\\': hasBackslash, '.': hasDot, '-': hasDash,
		'*': hasStar, '+': hasPlus, '(': hasBracket, '[': hasBracket, '#': hasHash, '%': hasPercent,
	} {
		table[c] = f
	}
	for c := '0'; c <= '9'; c++ {
		table[c] = hasDigit
	}
	for c := 'A'; c <= 'Z'; c++ {
		table[c] = hasUpper
	}
	return table
}()

func featuresOf(s string) (has feature) {
	for i := 0; i < len(s); i++ {
		has |= byteFeatures[s[i]]
	}
	return has
}

// rule is one kind of thing to remove.
type rule struct {
	needs feature  // bytes that must all occur
	words []string // lower case; one of them must occur; none: no condition
	re    *regexp.Regexp
	with  func(m match) string
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

// text is a text under redaction. lower and has are of the text as it was when
// the pass began: a rule may run in vain, never be missed.
type text struct {
	s, lower string
	has      feature
	keep     Keep
}

func (t *text) run(rules []rule) {
	for i := range rules {
		if t.wants(&rules[i]) {
			t.s = replace(t.s, rules[i].re, t.keep, rules[i].with)
		}
	}
}

func (t *text) wants(r *rule) bool {
	if t.has&r.needs != r.needs {
		return false
	}
	if len(r.words) == 0 {
		return true
	}
	for _, w := range r.words {
		if strings.Contains(t.lower, w) {
			return true
		}
	}
	return false
}

func replace(s string, re *regexp.Regexp, keep Keep, with func(match) string) string {
	all := re.FindAllStringSubmatchIndex(s, -1)
	if all == nil {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	end := 0
	for _, at := range all {
		b.WriteString(s[end:at[0]])
		b.WriteString(with(match{text: s, at: at, keep: keep}))
		end = at[1]
	}
	b.WriteString(s[end:])
	return b.String()
}

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

var gaps = regexp.MustCompile(`\s*[(\[{<"'][\s,;]*(?:\x00[\s,;]*)+[)\]}>"']|[ ,;]*\x00`)

// closeGaps takes out what was removed without a placeholder, with the brackets
// around it.
func closeGaps(s string) string {
	if !strings.Contains(s, gap) {
		return s
	}
	return gaps.ReplaceAllString(s, "")
}
