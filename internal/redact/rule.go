package redact

import (
	"regexp"
	"slices"
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

// text is a text under redaction.
type text struct {
	s    string
	keep Keep
	set  *ruleSet
	has  feature
	hits []hit
	hit  uint64 // the rules that have hits
	read string // the text that has, hits and hit are of
}

func (t *text) run() {
	for i := range t.set.rules {
		t.scan()
		r := &t.set.rules[i]
		if t.has&r.needs != r.needs || (r.any != 0 && t.has&r.any == 0) || (len(r.words) > 0 && t.hit>>i&1 == 0) {
			continue
		}
		places := t.places(i, r.sign)
		switch {
		case r.by != nil:
			r.by(t, places)
		case r.starts:
			t.s = t.startingAt(r, places)
		case r.reach == 0:
			t.s = replace(t.s, r.re, t.keep, r.with)
		default:
			t.s = t.near(r, places)
		}
	}
}

// scan reads the text again where a rule has changed it.
func (t *text) scan() {
	if t.read == t.s && (t.read != "" || t.has != 0) {
		return
	}
	t.read, t.has = t.s, featuresOf(t.s)
	t.hits, t.hit = t.set.find(t.s, t.hits[:0])
}

// places lists where the words, or the sign, of a rule stand.
func (t *text) places(rule int, sign byte) (places []int) {
	for i := 0; sign != 0 && i < len(t.s); i++ {
		if t.s[i] == sign {
			places = append(places, i)
		}
	}
	for _, h := range t.hits {
		if h.rule == rule {
			places = append(places, h.at)
		}
	}
	return places
}

// near runs a rule around its words alone.
func (t *text) near(r *rule, places []int) string {
	var b strings.Builder
	done, s := 0, t.s
	for i := 0; i < len(places); {
		from, to := window(s, places[i], r)
		for i++; i < len(places) && places[i]-r.back <= to; i++ {
			_, to = window(s, places[i], r)
		}
		from = max(from, done)
		b.WriteString(s[done:from])
		b.WriteString(replace(s[from:to], r.re, t.keep, r.with))
		done = to
	}
	b.WriteString(s[done:])
	return b.String()
}

// startingAt runs an anchored rule at its words.
func (t *text) startingAt(r *rule, places []int) string {
	var b strings.Builder
	done, s := 0, t.s
	for _, at := range places {
		if at < done || (at > 0 && isWord(s[at-1])) {
			continue
		}
		_, to := window(s, at, r)
		found := r.re.FindStringSubmatchIndex(s[at:to])
		if found == nil {
			continue
		}
		for i := range found {
			if found[i] >= 0 {
				found[i] += at
			}
		}
		b.WriteString(s[done:at])
		b.WriteString(r.with(match{text: s, at: found, keep: t.keep}))
		done = found[1]
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

// splice replaces what find finds at the places: with takes the place of
// s[from:to]; an empty range is nothing. It serves rules whose expressions would
// read the same bytes again and again where a stranger wants them to.
func (t *text) splice(places []int, find func(s string, at int) (from, to int, with string)) {
	var b strings.Builder
	done, s := 0, t.s
	for _, at := range places {
		if at < done {
			continue
		}
		from, to, with := find(s, at)
		if to <= from || from < done {
			continue
		}
		b.WriteString(s[done:from])
		b.WriteString(with)
		done = to
	}
	if done > 0 {
		t.s = b.String() + s[done:]
	}
}

// window is what lies within reach of a place, whole tokens.
func window(s string, at int, r *rule) (from, to int) {
	from, to = max(0, at-r.back), min(len(s), at+r.reach)
	for from > 0 && s[from-1] != ' ' {
		from--
	}
	for to < len(s) && s[to] != ' ' {
		to++
	}
	return from, to
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

// closeGaps takes out what was removed without a placeholder, with the brackets
// or quotes around it and the punctuation in front.
func closeGaps(s string) string {
	at := strings.Index(s, gap)
	if at < 0 {
		return s
	}
	var b strings.Builder
	for ; at >= 0; at = strings.Index(s, gap) {
		before := s[:at]
		if unquoted, quoted := strings.CutSuffix(before, "\x01"); quoted {
			before = strings.TrimRight(strings.TrimRight(unquoted, `"'`), `\`)
		}
		before = strings.TrimRight(before, " ,;")
		after := strings.TrimLeft(s[at:], gap+" ,;")
		switch {
		case before != "" && after != "" && encloses(before[len(before)-1], after[0]):
			before, after = strings.TrimRight(before[:len(before)-1], " "), after[1:]
		case before == "" && b.Len() == 0:
			after = strings.TrimLeft(after, " ,;:")
		default:
			after = strings.TrimLeft(s[at:], gap)
		}
		b.WriteString(before)
		s = after
	}
	b.WriteString(s)
	return b.String()
}

func encloses(open, closing byte) bool {
	switch open {
	case '(':
		return closing == ')'
	case '[':
		return closing == ']'
	case '{':
		return closing == '}'
	case '<':
		return closing == '>'
	}
	return false
}

// ruleSet is rules in their order, with all their words in one index.
type ruleSet struct {
	rules   []rule
	filter  [1 << 7]uint64
	byStart map[uint32][]trigger
}

type trigger struct {
	word string
	rule int
}

type hit struct{ rule, at int }

// newRuleSet takes at most 64 rules.
func newRuleSet(parts ...[]rule) *ruleSet {
	set := &ruleSet{rules: slices.Concat(parts...), byStart: map[uint32][]trigger{}}
	for i, r := range set.rules {
		for _, word := range r.words {
			start := uint32(word[0]) | uint32(word[1])<<8 | uint32(word[2])<<16
			at, bit := slot(start)
			set.filter[at] |= bit
			set.byStart[start] = append(set.byStart[start], trigger{word, i})
		}
	}
	return set
}

// find returns the places of all words of all rules, in any case, in order.
func (set *ruleSet) find(s string, hits []hit) (_ []hit, rules uint64) {
	var start uint32
	for i := 0; i < len(s); i++ {
		start = start>>8 | uint32(lowerByte(s[i]))<<16
		if at, bit := slot(start); i < 2 || set.filter[at]&bit == 0 {
			continue
		}
		for _, t := range set.byStart[start] {
			if hasPrefixFold(s[i-2:], t.word) {
				hits = append(hits, hit{t.rule, i - 2})
				rules |= 1 << t.rule
			}
		}
	}
	return hits, rules
}

func lowerByte(c byte) byte {
	if isUpper(c) {
		return c + 'a' - 'A'
	}
	return c
}

// hasPrefixFold is strings.HasPrefix in any case; word is in lower case.
func hasPrefixFold(s, word string) bool {
	if len(s) < len(word) {
		return false
	}
	for i := 0; i < len(word); i++ {
		if lowerByte(s[i]) != word[i] {
			return false
		}
	}
	return true
}
