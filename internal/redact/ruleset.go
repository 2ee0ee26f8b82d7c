package redact

import "slices"

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
	for i := range len(s) {
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
	for i := range len(word) {
		if lowerByte(s[i]) != word[i] {
			return false
		}
	}
	return true
}
