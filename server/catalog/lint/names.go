package lint

import (
	"fmt"
	"slices"
	"strings"
)

// names finds tools that a model takes for another.
func (c *checker) names() {
	for i, t := range c.tools {
		for _, other := range c.tools[:i] {
			if how := confused(other.Written.GetName(), t.Written.GetName()); how != "" {
				f := c.add(confusingNames, c.doc.content(t.at.at("name")),
					fmt.Sprintf("%s and %s %s", other.Written.GetName(), t.Written.GetName(), how), "give one of them a name that says what is different")
				f.Related = &Related{Place: c.doc.content(other.at.at("name")), Message: "the other one"}
				break
			}
		}
		c.sameDescription(i, t)
	}
}

func (c *checker) sameDescription(i int, t *tool) {
	words := normal(t.Written.GetDescription())
	for _, other := range c.tools[:i] {
		if words != "" && words == normal(other.Written.GetDescription()) {
			f := c.add(sameDescription, c.doc.content(t.at.at("description")),
				fmt.Sprintf("%s and %s have the same description", other.Written.GetName(), t.Written.GetName()), "say of each what the other one does not do")
			f.Related = &Related{Place: c.doc.content(other.at.at("description")), Message: "the other one"}
			return
		}
	}
}

func normal(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }

// synonyms are verbs that say the same of a tool.
var synonyms = map[string]string{
	"fetch": "get", "retrieve": "get", "read": "get", "show": "get", "view": "get",
	"remove": "delete", "erase": "delete", "search": "find", "query": "find", "lookup": "find",
	"edit": "update", "modify": "update", "change": "update", "make": "create", "submit": "send", "enumerate": "list",
}

// confused tells how two names are confused; empty where they are not.
func confused(a, b string) string {
	x, y := wordsOf(a), wordsOf(b)
	if strings.Join(x, "") == strings.Join(y, "") {
		return "differ in case or separators alone"
	}
	if len(x) != len(y) {
		return ""
	}
	if sorted(x) == sorted(y) {
		return "are the same words in another order"
	}
	place, others := -1, 0
	for i := range x {
		if x[i] != y[i] {
			place = i
			others++
		}
	}
	if others != 1 {
		return ""
	}
	return confusedWords(x[place], y[place], place == 0)
}

// confusedWords tells how two names are confused that differ in one word.
func confusedWords(a, b string, isVerb bool) string {
	switch {
	case singular(a) == singular(b):
		return "differ in singular and plural alone"
	case isVerb && meaning(a) == meaning(b):
		return fmt.Sprintf("differ in %s and %s, which mean the same", a, b)
	case min(len(a), len(b)) >= 5 && distance(a, b) == 1 && !differInDigits(a, b):
		return "differ in one letter"
	}
	return ""
}

func meaning(verb string) string {
	if same, ok := synonyms[verb]; ok {
		return same
	}
	return verb
}

func sorted(words []string) string {
	words = slices.Clone(words)
	slices.Sort(words)
	return strings.Join(words, " ")
}

// differInDigits: v1 and v2 are meant to be told apart.
func differInDigits(a, b string) bool {
	strip := func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}
	return strings.Map(strip, a) == strings.Map(strip, b)
}

// distance counts insertions, deletions and substitutions (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(row[j+1]+1, row[j]+1, cost)
		}
	}
	return row[len(b)]
}
