package openapi

import (
	"html"
	"regexp"
	"strings"
	"unicode/utf8"
)

var (
	codeFence   = regexp.MustCompile("(?s)```.*?(?:```|$)")
	htmlComment = regexp.MustCompile(`(?s)<!--.*?(?:-->|$)`)
	htmlTag     = regexp.MustCompile(`</?[A-Za-z][^<>]*>`)
	blockTag    = regexp.MustCompile(`(?i)</?(?:p|br|li|ul|ol|div|h[1-6]|tr|table|blockquote)\b[^<>]*>`)
	mdImage     = regexp.MustCompile(`!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])`)
	mdLink      = regexp.MustCompile(`\[([^\[\]]+)\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\]]*\])`)
	mdHeading   = regexp.MustCompile(`(?m)^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|(?:[-*_][ \t]*){3,}$)`)
	mdStrong    = regexp.MustCompile(`(\*\*|__)([^*_\n]+)(\*\*|__)`)
	mdEmphasis  = regexp.MustCompile(`(^|[\s(])[*_]([^*_\s][^*_\n]*)[*_]($|[\s).,;:])`)
	admonition  = regexp.MustCompile(`\[!(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]`)
)

// maxPlainBytes is how much of a text is looked at.
const maxPlainBytes = 8 << 10

// Plain is the beginning of a text, at most 8 KiB, without the marks of HTML and
// Markdown, on one line.
func Plain(text string) string {
	text = text[:min(len(text), maxPlainBytes)]
	if strings.ContainsAny(text, "<") {
		text = htmlComment.ReplaceAllString(text, " ")
		text = blockTag.ReplaceAllString(text, "\n")
		text = htmlTag.ReplaceAllString(text, "")
	}
	if strings.ContainsAny(text, "&") {
		text = html.UnescapeString(text)
	}
	if strings.ContainsAny(text, "*_`#[>-") {
		text = withoutMarkdown(text)
	}
	return strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
}

func withoutMarkdown(text string) string {
	text = codeFence.ReplaceAllString(text, " ")
	text = admonition.ReplaceAllString(text, "")
	text = mdHeading.ReplaceAllString(text, "\n")
	text = mdImage.ReplaceAllString(text, "")
	text = mdLink.ReplaceAllString(text, "$1")
	text = mdStrong.ReplaceAllString(text, "$2")
	text = mdEmphasis.ReplaceAllString(text, "$1$2$3")
	return strings.ReplaceAll(text, "`", "")
}

// firstSentence is the text up to its first full stop that ends a sentence.
func firstSentence(text string) string {
	for i := range len(text) {
		if c := text[i]; c != '.' && c != '!' && c != '?' {
			continue
		}
		if i+1 == len(text) || text[i+1] == ' ' && !abbreviates(text[:i]) && startsSentence(text[i+2:]) {
			return text[:i+1]
		}
	}
	return text
}

// abbreviates reports that the stop behind the text ends no sentence.
func abbreviates(text string) bool {
	word := strings.ToLower(text[strings.LastIndexAny(text, " (")+1:])
	switch word {
	case "e.g", "i.e", "eg", "ie", "etc", "vs", "no", "cf", "approx", "incl", "resp":
		return true
	}
	return false
}

func startsSentence(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return first < 'a' || first > 'z'
}

// cut shortens text to at most size bytes: at the end of a sentence where that
// keeps half of it, else between words.
func cut(text string, size int) string {
	if len(text) <= size {
		return text
	}
	if size < len("…") {
		return ""
	}
	kept := text[:size]
	for i := len(kept) - 1; i > size/2; i-- {
		if kept[i] == ' ' && strings.IndexByte(".!?", kept[i-1]) >= 0 && !abbreviates(kept[:i-1]) {
			return kept[:i]
		}
	}
	kept = strings.ToValidUTF8(kept[:size-len("…")], "")
	if i := strings.LastIndexByte(kept, ' '); i > len(kept)/2 {
		kept = kept[:i]
	}
	return strings.TrimRight(kept, " ,;:-") + "…"
}

const (
	maxDescriptionBytes = 1024
	// An operation's first sentence is put behind its summary where both are short.
	maxJoinedBytes = 300
)

// describes makes the description of a tool of what its operation says.
func describe(summary, description string) string {
	summary, description = Plain(summary), Plain(description)
	sentence := firstSentence(description)
	switch {
	case summary == "":
		return cut(sentence, maxDescriptionBytes)
	case sentence == "" || len(summary)+len(sentence) > maxJoinedBytes || saysNoMore(summary, sentence):
		return cut(summary, maxDescriptionBytes)
	}
	if strings.IndexByte(".!?:", summary[len(summary)-1]) < 0 {
		summary += "."
	}
	return summary + " " + sentence
}

// saysNoMore reports that nearly every word of the sentence stands in the summary.
func saysNoMore(summary, sentence string) bool {
	said := map[string]bool{}
	for _, word := range stems(summary) {
		said[word] = true
	}
	words := stems(sentence)
	more := 0
	for _, word := range words {
		if !said[word] {
			more++
		}
	}
	return more <= len(words)/5
}

// stems are the words that carry meaning, without their endings.
func stems(text string) (all []string) {
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(c rune) bool { return (c < 'a' || c > 'z') && c < utf8.RuneSelf }) {
		switch word {
		case "a", "an", "all", "the", "of", "to", "in", "for", "this", "and", "or", "your", "with", "by", "on", "endpoint", "api":
			continue
		}
		for _, ending := range []string{"ing", "es", "ed", "s", "e"} {
			if len(word) > len(ending)+2 && strings.HasSuffix(word, ending) {
				word = word[:len(word)-len(ending)]
				break
			}
		}
		all = append(all, word)
	}
	return all
}
