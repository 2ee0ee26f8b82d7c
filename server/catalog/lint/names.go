package lint

import (
	"fmt"
	"slices"
	"strings"
)

// names finds tools that a model takes for another.
func (c *checker) names() {
	described := map[string]*tool{} // by description
	for i, t := range c.tools {
		for _, other := range c.tools[:i] {
			if how := confused(other.name, t.name); how != "" {
				c.twin(confusingNames, "name", other, t, how)
				break
			}
		}
		words := normal(t.Written.GetDescription())
		if other := described[words]; other != nil && words != "" {
			c.twin(sameDescription, "description", other, t, "have the same description")
			continue
		}
		described[words] = t
	}
}

// twin reports that a field of a tool is too much like that of another.
func (c *checker) twin(rule, field string, other, t *tool, how string) {
	f := c.add(rule, c.doc.content(t.at.at(field)), fmt.Sprintf("%s and %s %s", other.Written.GetName(), t.Written.GetName(), how), "say what is different: models see nothing else of a tool that they have not called")
	f.Related = &Related{Place: c.doc.content(other.at.at(field)), Message: "the other one"}
}

func normal(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }

// synonyms are verbs that say the same of a tool.
var synonyms = map[string]string{
	"fetch": "get", "retrieve": "get", "read": "get", "show": "get", "view": "get",
	"remove": "delete", "erase": "delete", "search": "find", "query": "find", "lookup": "find",
	"edit": "update", "modify": "update", "change": "update", "make": "create", "submit": "send", "enumerate": "list",
}

// name is a tool's, prepared to be compared with all others.
type name struct {
	words          []string
	joined, sorted string
}

func newName(text string) name {
	words := wordsOf(text)
	return name{words: words, joined: strings.Join(words, ""), sorted: sorted(words)}
}

// confused tells how two names are confused; empty where they are not.
func confused(a, b name) string {
	switch {
	case a.joined == b.joined:
		return "differ in case or separators alone"
	case len(a.words) != len(b.words):
		return ""
	case a.sorted == b.sorted:
		return "are the same words in another order"
	}
	place, others := -1, 0
	for i := range a.words {
		if a.words[i] != b.words[i] {
			place = i
			others++
		}
	}
	if others != 1 {
		return ""
	}
	return confusedWords(a.words[place], b.words[place], place == 0)
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
