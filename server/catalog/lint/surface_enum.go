package lint

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// A value in a description: in quotes of some kind, or a bare word.
const (
	inQuotes = "(?:'" + oneValue + "'|\"" + oneValue + "\"|`" + oneValue + "`|“" + oneValue + "”)"
	oneValue = `[A-Za-z0-9][A-Za-z0-9_.:/+-]{0,39}`
	bareWord = `[A-Za-z][A-Za-z0-9_-]{0,31}`
	joint    = `(?:\s*,\s*(?:or\s+|and\s+)?|\s+or\s+|\s+and\s+|\s*\|\s*|\s*/\s*)`
)

var (
	quotedList = regexp.MustCompile(inQuotes + `(?:` + joint + inQuotes + `)+`)
	// leads announce a complete list of bare words.
	ledList   = regexp.MustCompile(`(?i)\b(?:one of|(?:allowed|accepted|possible|valid|supported|permitted|available)(?: values| options)?(?: are| is)?|values are|(?:^|[.;(]\s*)(?:values|options|choices|enum))\s*(?::|=|-)?\s*\(?\[?((?:` + bareWord + `|` + inQuotes + `)(?:` + joint + `(?:` + bareWord + `|` + inQuotes + `))+)\]?\)?\s*(?:$|[.;)\n])`)
	pipedList = regexp.MustCompile(`(?:^|[\s(\["'` + "`" + `])(` + bareWord + `(?:\s?\|\s?` + bareWord + `)+)(?:$|[\s)\].,;"'` + "`" + `])`)
	// endList ends a description, or is all of it: three words at least, the last
	// behind an or.
	endList = regexp.MustCompile(`(?:^|:\s*)(` + bareWord + `(?:\s*,\s*` + bareWord + `)+\s*,?\s+or\s+` + bareWord + `)\s*\.?\s*$`)
	// sortPair is the one pair that everybody writes with a slash.
	sortPair = regexp.MustCompile(`(?i)\b(asc)\s*(?:/|or|,)\s*(desc)\b`)
	// onlySome says that a list is not complete.
	onlySome = regexp.MustCompile(`(?i)\be\.?g\b|\bfor (?:example|instance)\b|\bsuch as\b|\blike\b|\betc\b|\band so on\b|\bamong others\b|…|\.\.\.|\bincluding\b|\bexamples?\b|` +
		`\bor (?:any|a|an|another|other|your|custom|the|some)\b|\bcustom\b|\bcomma[- ]separated\b|\bone or more\b|\bcombination\b|\bprefix|\bsuffix|\bwildcard|\bregex`)
	listed = regexp.MustCompile(inQuotes + `|` + bareWord)
)

// aboutOthers says that the values behind it are those of something else, or are
// not accepted.
var aboutOthers = regexp.MustCompile(`(?i)\b(if|when|whenever|where|unless|except|not|cannot|without|instead|prohibited|forbidden|than|between|requires?|overrides|ignored|parameters?|arguments?|fields?|property|properties|default(s|ed)?|added|removed|introduced)\b|n't\b`)

// isSentence tells "City, town, or village" from values: they are all written
// alike.
func isSentence(values []string) bool {
	return len(values) > 1 && unicode.IsUpper(rune(values[0][0])) && unicode.IsLower(rune(values[1][0]))
}

// sentence is what stands before a place in the same sentence.
func sentence(words string, end int) string {
	start := strings.LastIndexAny(words[:end], ".;!?\n")
	return words[start+1 : end]
}

// enumClue finds a free string that is meant as one of a few values.
func enumClue(p *property) clue {
	words := p.texts()
	found := clue{rule: enumAsText, strength: inWords, adds: true}
	if !onlySome.MatchString(words) {
		if said, values := listIn(words); len(values) > 1 && !allNumbers(values) && !isTruth(values) && !slices.Contains(values, p.name) {
			found.evidence, found.lines = saidByDescription(said), []string{enumLine(values)}
			return found
		}
	}
	return enumByName(p, words)
}

// listIn finds the values that a description lists; none where it lists twice.
func listIn(words string) (said string, values []string) {
	if all := quotedList.FindAllStringIndex(words, -1); len(all) == 1 {
		said := words[all[0][0]:all[0][1]]
		if len(quotesIn(words)) == len(quotesIn(said)) && !aboutOthers.MatchString(sentence(words, all[0][0])) {
			return said, valuesIn(said)
		}
		return "", nil
	}
	for _, list := range []*regexp.Regexp{ledList, pipedList, endList} {
		if all := list.FindAllStringSubmatchIndex(words, -1); len(all) == 1 && !aboutOthers.MatchString(sentence(words, all[0][2])) {
			said := strings.TrimSpace(words[all[0][2]:all[0][3]])
			if values := valuesIn(said); !isSentence(values) {
				return said, values
			}
		}
	}
	if pair := sortPair.FindStringSubmatch(words); pair != nil {
		return pair[0], pair[1:3]
	}
	return "", nil
}

var oneQuoted = regexp.MustCompile(inQuotes)

func quotesIn(words string) []string { return oneQuoted.FindAllString(words, -1) }

func valuesIn(list string) (values []string) {
	for _, value := range listed.FindAllString(list, -1) {
		value = strings.Trim(value, "'\"`“”")
		if (value == "or" || value == "and") && !strings.Contains(list, "\""+value) {
			continue
		}
		if !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	return values
}

var (
	fewValues = setOf("severity visibility weekday")
	ofOrder   = setOf("order direction dir")
	freeWords = regexp.MustCompile(`(?i)\b(free|text|message|custom|any|sentence|name|note|comment|id|identifier|emoji)\b`)
)

// enumByName reads names alone: status, sort_order.
func enumByName(p *property, words string) clue {
	name := wordsOf(p.name)
	end, before := last(name), ""
	if len(name) > 1 {
		before = name[len(name)-2]
	}
	few := end == "status" || fewValues[end] || ofOrder[end] && before == "sort" || end == "direction" && before == "order" ||
		end == "level" && before == "log"
	if !few || p.list || freeWords.MatchString(words) {
		return clue{}
	}
	line := "enum: […]"
	if samples := p.samples(); len(samples) > 1 && !allNumbers(samples) {
		line = enumLine(samples)
	}
	return clue{rule: enumAsText, strength: byName, evidence: "its name speaks of a few values", lines: []string{line}, adds: true}
}
