package lint

import (
	"regexp"
	"slices"
	"strings"
)

// A value in a description: in quotes of some kind, or a bare word.
const (
	inQuotes = "(?:'[^'\\s]{1,40}'|\"[^\"\\s]{1,40}\"|`[^`\\s]{1,40}`|“[^”\\s]{1,40}”)"
	bareWord = `[A-Za-z][A-Za-z0-9_-]{0,31}`
	joint    = `(?:\s*,\s*(?:or\s+|and\s+)?|\s+or\s+|\s+and\s+|\s*\|\s*|\s*/\s*)`
)

var (
	quotedList = regexp.MustCompile(inQuotes + `(?:` + joint + inQuotes + `)+`)
	// leads announce a complete list of bare words.
	ledList   = regexp.MustCompile(`(?i)\b(?:one of|(?:allowed|accepted|possible|valid|supported|permitted|available)(?: values| options)?(?: are| is)?|values are|(?:^|[.;(]\s*)(?:values|options|choices|enum))\s*(?::|=|-)?\s*\(?\[?((?:` + bareWord + `|` + inQuotes + `)(?:` + joint + `(?:` + bareWord + `|` + inQuotes + `))+)\]?\)?\s*(?:$|[.;)\n])`)
	pipedList = regexp.MustCompile(`(?:^|[\s(\["'` + "`" + `])(` + bareWord + `(?:\s?\|\s?` + bareWord + `)+)(?:$|[\s)\].,;"'` + "`" + `])`)
	// sortPair is the one pair that everybody writes with a slash.
	sortPair = regexp.MustCompile(`(?i)\b(asc)\s*(?:/|or|,)\s*(desc)\b`)
	// onlySome says that a list is not complete.
	onlySome = regexp.MustCompile(`(?i)\be\.?g\b|\bfor (?:example|instance)\b|\bsuch as\b|\blike\b|\betc\b|\band so on\b|\bamong others\b|…|\.\.\.|\bincluding\b|\bexamples?\b|` +
		`\bor (?:any|a|an|another|other|your|custom|the|some)\b|\bcustom\b|\bcomma[- ]separated\b|\bone or more\b|\bcombination\b|\bprefix|\bsuffix|\bwildcard|\bregex`)
	listed = regexp.MustCompile(inQuotes + `|` + bareWord)
)

// enumClue finds a free string that is meant as one of a few values.
func enumClue(p *property) clue {
	words := p.texts()
	found := clue{rule: enumAsText, strength: inWords, adds: true}
	if !onlySome.MatchString(words) {
		if said, values := listIn(words); len(values) > 1 && !allNumbers(values) && !isTruth(values) {
			found.evidence, found.lines = saidByDescription(said), []string{enumLine(values)}
			return found
		}
	}
	return enumByName(p, words)
}

// listIn finds the values that a description lists; none where it lists twice.
func listIn(words string) (said string, values []string) {
	if all := quotedList.FindAllString(words, -1); len(all) == 1 && len(quotesIn(words)) == len(quotesIn(all[0])) {
		return all[0], valuesIn(all[0])
	}
	for _, list := range []*regexp.Regexp{ledList, pipedList} {
		if all := list.FindAllStringSubmatch(words, -1); len(all) == 1 {
			return strings.TrimSpace(all[0][1]), valuesIn(all[0][1])
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
	fewValues = setOf("severity visibility weekday gender")
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
