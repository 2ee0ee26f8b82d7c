package diagnose

import (
	"regexp"
	"strings"
)

// readAccepted fills what is accepted from the fault's own sentence. It fills
// fields of a fault that is known already; it never decides anything.
func readAccepted(v *violation, text string) {
	text = text[:min(len(text), 600)]
	lower := strings.ToLower(text)
	if len(lower) != len(text) {
		return // letters whose case has another length: offsets would lie
	}
	if len(v.accepted) == 0 {
		v.accepted = acceptedList(text, lower)
	}
	if v.span == "" && strings.ContainsAny(text, "0123456789") {
		v.span = acceptedRange(text, lower)
	}
	if v.format == "" {
		v.format = acceptedFormat(text, lower)
	}
}

// listWords are what stands before a list of accepted values, the most telling
// first.
var listWords = [...]string{
	"one of", "either", "must be in", "not in", "allowed values", "valid values", "accepted values", "supported values",
	"possible values", "permitted values", "available values", "valid options", "available options", "valid types", "valid choices",
	"are exposed", "are supported", "are allowed", "are available", "are valid", "are accepted",
	"enumeration member", "choose from", "use any of", "any of",
}

// weakWords stand before a list only where quotes, a bracket or a colon follow.
var weakWords = [...]string{"should be", "must be", "valid", "allowed", "supported", "available", "expected", "options"}

// fillers may stand between the words and the list.
var fillers = [...]string{"the following", "these", "values", "value", "options", "types", "choices", "members", "are", "is", "include", "be", ":", "=", "[", "(", "{", "to", "as", "a", "from", "enumeration member", "or"}

// meantWords are what stands before the one value that was meant.
var meantWords = [...]string{"did you mean", "perhaps you meant", "maybe you meant", "closest match is", "closest match:", "expecting", "use instead", "please use"}

func acceptedList(text, lower string) []string {
	if strings.ContainsAny(text, ",|;") || strings.Contains(lower, " or ") || strings.Contains(lower, " and ") {
		if values := severalAccepted(text, lower); values != nil {
			return values
		}
	}
	for _, word := range meantWords {
		if i := strings.Index(lower, word); i >= 0 {
			if value := valueAfter(text[i+len(word):]); value != "" {
				return []string{value}
			}
		}
	}
	return nil
}

// severalAccepted is the list that follows one of the words, nil where none has
// more than one value.
func severalAccepted(text, lower string) []string {
	for _, word := range listWords {
		if rest, found := behind(text, lower, word); found {
			if values := listAfter(rest); len(values) > 1 {
				return values
			}
		}
	}
	for _, word := range weakWords {
		rest, _ := behind(text, lower, word)
		at := strings.IndexAny(rest[:min(len(rest), 24)], ":[('\"`")
		if at < 0 {
			continue
		}
		if values := listAfter(rest[at:]); len(values) > 1 {
			return values
		}
	}
	return nil
}

// behind is what stands in text behind a word of lower, its lower case.
func behind(text, lower, word string) (string, bool) {
	i := strings.Index(lower, word)
	if i < 0 {
		return "", false
	}
	return text[i+len(word):], true
}

// listAfter reads values separated by commas, bars, `or` and `and`; a sentence's
// end or a closing bracket ends them.
func listAfter(s string) []string {
	s = skipFillers(s)
	var out []string
	for len(out) < 64 {
		value, rest := nextValue(s)
		if value == "" {
			break
		}
		out = append(out, value)
		next, more := afterSeparator(rest)
		if !more {
			break
		}
		s = next
	}
	return out
}

func skipFillers(s string) string {
	for again := true; again; {
		again = false
		s = strings.TrimLeft(s, " \t\n")
		for _, f := range fillers {
			if len(s) > len(f) && strings.EqualFold(s[:len(f)], f) && (!isWordByte(f[len(f)-1]) || !isWordByte(s[len(f)]) && s[len(f)] != ',') {
				s, again = s[len(f):], true
			}
		}
	}
	return s
}

// nextValue reads one value, quoted or a word.
func nextValue(s string) (value, rest string) {
	s = strings.TrimLeft(s, " \t\n")
	if s == "" {
		return "", ""
	}
	for _, quote := range [...]string{`"`, "'", "`"} {
		if inner, found := strings.CutPrefix(s, quote); found {
			value, rest, closed := strings.Cut(inner, quote)
			if !closed || len(value) > 64 {
				return "", ""
			}
			return value, rest
		}
	}
	end := 0
	for end < len(s) && (isWordByte(s[end]) || strings.IndexByte("+-./#:%@", s[end]) >= 0) {
		end++
	}
	word := strings.TrimRight(s[:end], ".:")
	if len(word) > 48 {
		return "", ""
	}
	return word, s[len(word):]
}

// afterSeparator skips what stands between two values.
func afterSeparator(s string) (rest string, more bool) {
	s = strings.TrimLeft(s, " ")
	for _, separator := range [...]string{",", "|", ";"} {
		if after, found := strings.CutPrefix(s, separator); found {
			s, more = strings.TrimLeft(after, " \n"), true
		}
	}
	for _, word := range [...]string{"or ", "and "} {
		if after, found := strings.CutPrefix(s, word); found {
			s, more = after, true
		}
	}
	return s, more
}

// valueAfter is the one value that a hint names: "the table 'x'", "x?".
func valueAfter(s string) string {
	s = strings.TrimLeft(s, " :,")
	if open := strings.IndexAny(s[:min(len(s), 32)], "'\"`"); open >= 0 {
		value, _ := nextValue(s[open:])
		return value
	}
	value, rest := nextValue(strings.TrimPrefix(strings.TrimPrefix(s, "to "), "the "))
	if rest = strings.TrimSpace(rest); len(rest) > 2 {
		return ""
	}
	return value
}

// splitValues takes a written list apart.
func splitValues(s string) []string {
	if values := listAfter(s); len(values) > 0 {
		return values
	}
	return valuesOf(stringOf(s))
}

var (
	rangeForm = regexp.MustCompile(`(?:between |ranging from |range (?:of |from )?|from )?[\[(]?-?\d[\d,.]*(?: and | to |\.\.\.?| ?- ?|, ?)-?\d[\d,.]*[\])]?`)
	boundForm = regexp.MustCompile(`(?:(?:strictly |be )?(?:less|greater|smaller|larger|higher|lower|more|fewer|longer|shorter)(?: than)?(?: or equal)?(?: to| than)?|at (?:most|least)|(?:not |exceeds? )(?:exceed )?(?:the )?(?:maximum |limit )?(?:of )?|up to|>=?|<=?|≥|≤|(?:max(?:imum)?|min(?:imum)?)(?: \w+){0,2}?(?: is| of|:| =)?) ?-?\d[\d,.]*(?: (?:and|or) (?:(?:less|greater) than(?: or equal to)?|<=?|>=?|at (?:most|least)) ?-?\d[\d,.]*)?(?: (?:characters|chars|bytes|items|elements|digits|words|kb|mb|gb))?`)
)

// rangeSigns say that a number in the sentence is a bound.
var rangeSigns = [...]string{"between", "range", "from ", "less ", "greater ", "smaller ", "larger ", "higher ", "lower ", "more than", "fewer ", "longer ", "shorter ", "at most", "at least", "exceed", "up to", ">", "<", "≥", "≤", "max", "min"}

func acceptedRange(text, lower string) string {
	first := -1
	for _, sign := range rangeSigns {
		if i := strings.Index(lower, sign); i >= 0 && (first < 0 || i < first) {
			first = i
		}
	}
	if first < 0 {
		return ""
	}
	text, lower = text[first:], lower[first:]
	for _, sign := range [...]string{"between", "range", "from "} {
		if i := strings.Index(lower, sign); i >= 0 {
			if at := rangeForm.FindStringIndex(lower[i:]); at != nil && at[1]-at[0] > 2 {
				return strings.Trim(text[i+at[0]:i+at[1]], "., ")
			}
		}
	}
	if at := boundForm.FindStringIndex(lower); at != nil {
		return strings.Trim(text[at[0]:at[1]], "., ")
	}
	return ""
}

var (
	dateForm    = regexp.MustCompile(`(?i)\b(?:yyyy|dd|mm)[-/.]?(?:mm|dd)[-/.]?(?:dd|mm|yyyy)(?:[T ]?'?T?'?hh:mm(?::ss)?(?:\.\w+)?(?:z|xxx)?)?`)
	patternForm = regexp.MustCompile(`(?i)(?:pattern|regex(?:p)?|regular expression|in the (?:format|form)(?: of)?|expected format(?: is)?|format (?:should|must) be|use the format)[:=]?\s*["'\x60/]?([^"'\x60\s][^"'\x60\n]{1,58}?)["'\x60/]?\.?$`)
)

// formatWords are names of formats.
var formatWords = [...]string{
	"rfc3339", "rfc 3339", "rfc 5322", "rfc5322", "iso8601", "iso 8601", "iso-8601", "e.164", "uuid", "ulid", "base64",
	"valid integer", "valid number", "valid boolean", "valid string", "valid date-time", "valid datetime", "valid date", "valid email address", "valid email",
	"valid url", "valid uri", "valid json", "valid phone number", "valid timestamp", "valid array", "valid list", "valid dictionary",
	"valid object", "valid decimal", "valid time zone", "valid timezone", "valid ip address", "valid currency", "valid country",
	"an integer", "a number", "a boolean", "a string", "an array", "an object", "numeric",
}

func acceptedFormat(text, lower string) string {
	if strings.Contains(lower, "yy") {
		if m := dateForm.FindString(text); m != "" {
			return m
		}
	}
	for _, word := range formatWords {
		if i := strings.Index(lower, word); i >= 0 {
			return text[i : i+len(word)]
		}
	}
	if strings.Contains(lower, "format") || strings.Contains(lower, "pattern") || strings.Contains(lower, "reg") || strings.Contains(lower, "form ") {
		if m := patternForm.FindStringSubmatch(text); m != nil {
			return m[1]
		}
	}
	return ""
}
