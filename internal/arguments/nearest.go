package arguments

import (
	"slices"
	"strings"
	"unicode"
)

// Nearest returns at most n of the candidates, those that are most like name
// first; equally like ones keep their order. Letter case and the marks between
// words don't count, and neither does the order of the words for much. Every
// candidate is near enough to be returned: a bad guess comes last, not never.
func Nearest(name string, candidates []string, n int) []string {
	type scored struct {
		name     string
		distance int
	}
	wanted := wordsOf(name)
	all := make([]scored, len(candidates))
	for i, c := range candidates {
		all[i] = scored{c, wanted.distance(wordsOf(c))}
	}
	slices.SortStableFunc(all, func(a, b scored) int { return a.distance - b.distance })
	names := make([]string, 0, min(n, len(all)))
	for _, s := range all[:min(n, len(all))] {
		names = append(names, s.name)
	}
	return names
}

// closest returns the candidate that name was probably meant to be: one that is
// spelt nearly the same, and closer than any other.
func closest(name string, candidates []string) (string, bool) {
	wanted := wordsOf(name)
	best, bestDistance, tied := "", 0, false
	for _, c := range candidates {
		distance := wanted.distance(wordsOf(c))
		switch {
		case best == "" || distance < bestDistance:
			best, bestDistance, tied = c, distance, false
		case distance == bestDistance:
			tied = true
		}
	}
	limit := unit * ((len(wanted.joined) + 1) / 4) // one slip in three letters, two in seven
	return best, best != "" && !tied && bestDistance <= limit
}

// longestName is how much of a name is compared. Names come from strangers.
const longestName = 96

// words are the words of a name in lower case.
type words struct {
	joined []rune // in order
	sorted []rune // in alphabetical order
	parts  []string
}

func wordsOf(name string) words {
	if runes := []rune(name); len(runes) > longestName {
		name = string(runes[:longestName])
	}
	parts := strings.FieldsFunc(parted(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	w := words{parts: parts, joined: []rune(strings.Join(parts, ""))}
	ordered := slices.Sorted(slices.Values(parts))
	w.sorted = []rune(strings.Join(ordered, ""))
	return w
}

// parted lowers a name and parts camelCase.
func parted(name string) string {
	var b strings.Builder
	wasLower := false
	for _, r := range name {
		if unicode.IsUpper(r) && wasLower {
			b.WriteByte(' ')
		}
		wasLower = unicode.IsLower(r) || unicode.IsDigit(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// unit is the cost of one slip of the pen, so that smaller differences can be
// told apart.
const unit = 4

// distance is 0 for the same words in the same order. Words of one name that
// stand whole in the other bring names together that letters keep apart
// (invoices and list_invoices).
func (w words) distance(other words) int {
	straight := unit * slips(w.joined, other.joined)
	turned := unit*slips(w.sorted, other.sorted) + unit/2
	nearest := min(straight, turned)
	if shared := w.sharedRunes(other); shared > 0 {
		missing := len(w.joined) + len(other.joined) - 2*shared
		nearest = min(nearest, unit/2*missing+unit/2)
	}
	return nearest
}

func (w words) sharedRunes(other words) (shared int) {
	for _, part := range w.parts {
		if slices.Contains(other.parts, part) {
			shared += len([]rune(part))
		}
	}
	return shared
}

// slips counts insertions, deletions, replacements and swaps of neighbours
// (optimal string alignment).
func slips(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replace := last[j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			row[j] = min(replace, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
