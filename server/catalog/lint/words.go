package lint

import (
	"slices"
	"strings"
	"unicode"
)

// wordsOf splits a name into lower-case words, at what joins them and where the
// case rises.
func wordsOf(name string) (words []string) {
	var word []rune
	flush := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
		}
		word = word[:0]
	}
	runes := []rune(name)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
			continue
		case unicode.IsUpper(r) && i > 0 && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			flush()
		}
		word = append(word, r)
	}
	flush()
	return words
}

// singular is a noun's, as English mostly makes it.
func singular(word string) string {
	switch {
	case len(word) > 4 && strings.HasSuffix(word, "ies"):
		return word[:len(word)-3] + "y"
	case len(word) > 4 && endsIn(word, "sses", "xes", "ches", "shes", "uses"):
		return word[:len(word)-2]
	case len(word) > 3 && endsIn(word, "s") && !endsIn(word, "ss", "us", "is"):
		return word[:len(word)-1]
	}
	return word
}

func endsIn(word string, ends ...string) bool {
	return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(word, end) })
}

func last(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[len(words)-1]
}

func first(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// setOf makes a set of the words of a text.
func setOf(text string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		set[word] = true
	}
	return set
}

// quoteYAML writes text as a YAML scalar that is read as that text again, within
// flow and block.
func quoteYAML(text string) string {
	plain := text != ""
	for i, r := range text {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_'
		if !letter && (i == 0 || (r < '0' || r > '9') && r != '-' && r != '.') {
			plain = false
		}
	}
	if plain && !reserved[strings.ToLower(text)] {
		return text
	}
	return "\"" + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(text) + "\""
}

// reserved are words that some reader of YAML takes for something else.
var reserved = setOf("true false null yes no on off y n nan inf")
