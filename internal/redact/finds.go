package redact

import (
	"slices"
	"strings"
	"sync"
)

// finds are the values that redaction removed from the texts of one failure. A
// value shows by its surroundings in one field (`password=x`) and stands bare in
// another: what went from one must not survive in the other.
type finds struct {
	mu      sync.Mutex
	values  []string
	known   int // how many of them the matcher knows
	matcher matcher
}

// The bounds of what is remembered: shorter values turn up by chance, and more
// are no failure but a dump.
const (
	minFind  = 6
	maxFind  = 1 << 10
	maxFinds = 128
)

// marks are the placeholders of values. Paths and statements say nothing that
// stands elsewhere on its own.
var marks = []string{secretMark, idMark, emailMark, phoneMark, cardMark, hostMark}

// note remembers the value that a placeholder in with stands for in matched.
func (k Keep) note(matched, with string) {
	if k.found == nil || matched == with {
		return
	}
	for _, mark := range marks {
		before, after, ok := strings.Cut(with, mark)
		if !ok || !strings.HasPrefix(matched, before) || !strings.HasSuffix(matched[len(before):], after) {
			continue
		}
		k.found.add(strings.Trim(matched[len(before):len(matched)-len(after)], "\"'`\\ "))
		return
	}
}

// notePairs remembers the values of `name=value` pairs, between any of the
// separators, whose name is a secret's or one of others.
func (k Keep) notePairs(s, separators string, others map[string]bool) {
	if k.found == nil {
		return
	}
	for pair := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
		name, value, found := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		if found && (SecretName(name) || others[strings.ToLower(name)]) {
			k.found.add(strings.Trim(value, "\"' "))
		}
	}
}

// add remembers a value, unless it reads like an ordinary word.
func (f *finds) add(value string) {
	if len(value) < minFind || len(value) > maxFind || (len(value) < 8 && !looksRandom(value)) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if slices.Contains(f.values, value) {
		return
	}
	if len(f.values) < maxFinds {
		f.values = append(f.values, value)
	}
}

// find returns a matcher of all values.
func (f *finds) find() matcher {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.known < len(f.values) {
		all := make([]needle, len(f.values))
		for i, value := range f.values {
			all[i] = needle{form: value}
		}
		slices.SortStableFunc(all, func(a, b needle) int { return len(b.form) - len(a.form) })
		f.matcher, f.known = newMatcher(all), len(f.values)
		f.matcher.words = true
	}
	return f.matcher
}

// Sweep removes from s what redaction has removed so far from texts under the
// same Keep. Run over all texts of a failure once the last of them has been
// redacted, it makes sure that nothing which went from one survives in another.
func (k Keep) Sweep(s string) string {
	if k.found == nil {
		return s
	}
	return k.found.find().remove(s)
}

// SweepJSON is Sweep for valid JSON, which stays valid.
func (k Keep) SweepJSON(text string) string {
	if k.Sweep(text) == text {
		return text
	}
	return string(rewrite([]byte(text), k.Sweep))
}
