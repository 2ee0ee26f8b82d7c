package lint

import (
	"regexp"
	"strings"
	"time"
)

// forms are the ways in which dates are described, most telling first.
var forms = []struct {
	words *regexp.Regexp
	line  string
}{
	{regexp.MustCompile(`(?i)\byyyy-mm-dd[t ]\s?['"]?hh:mm(:ss)?`), dateTime},
	{regexp.MustCompile(`(?i)\byyyy-mm-dd\b`), date},
	{regexp.MustCompile(`(?i)\b(mm|dd)/(dd|mm)/yyyy\b`), `pattern: "^[0-9]{2}/[0-9]{2}/[0-9]{4}$"`},
	{regexp.MustCompile(`(?i)\bdd\.mm\.yyyy\b`), `pattern: "^[0-9]{2}[.][0-9]{2}[.][0-9]{4}$"`},
	{regexp.MustCompile(`(?i)\b(mm|dd)-(dd|mm)-yyyy\b`), `pattern: "^[0-9]{2}-[0-9]{2}-[0-9]{4}$"`},
	{regexp.MustCompile(`(?i)\byyyy/mm/dd\b`), `pattern: "^[0-9]{4}/[0-9]{2}/[0-9]{2}$"`},
	{regexp.MustCompile(`(?i)\byyyymmdd\b`), `pattern: "^[0-9]{8}$"`},
	{regexp.MustCompile(`(?i)\byyyy-mm\b`), `pattern: "^[0-9]{4}-[0-9]{2}$"`},
	{regexp.MustCompile(`(?i)\bhh:mm:ss\b`), `pattern: "^[0-9]{2}:[0-9]{2}:[0-9]{2}$"`},
	{regexp.MustCompile(`(?i)\bhh:mm\b`), `pattern: "^[0-9]{2}:[0-9]{2}$"`},
	{regexp.MustCompile(`(?i)\brfc[ -]?3339\b`), standard},
	{regexp.MustCompile(`(?i)\biso[ -]?8601\b`), standard},
	{regexp.MustCompile(`(?i)\biso[ -](format(ted)? )?(date|timestamp)`), standard},
}

const (
	date     = "format: date"
	dateTime = "format: date-time"
	duration = "format: duration"
	standard = "" // date or date-time, as the rest says
)

var (
	// manyForms says that a text may be something else as well, so that no one
	// format is right.
	manyForms = regexp.MustCompile(`(?i)\brelative\b|natural language|any (date )?format|free[- ]?form|\bcron\b|\brange\b|\binterval\b|` +
		`\bor\b.{0,24}(["'` + "`" + `]|\b(now|today|tomorrow|yesterday|latest|never|null|none|empty|all|unix|epoch|a? ?number|timestamp)\b|[-+]?\d+ ?[dhmsw]\b)`)
	aTime = regexp.MustCompile(`(?i)\b(date[- ]?time|timestamp|time|utc|hour|instant|moment)\b`)
	// aDate is a description that begins by saying that it is one.
	aDate = regexp.MustCompile(`(?i)^\W*(the |an? )?([a-z-]+ ){0,2}?(dates?( and time)?|timestamps?|date-?times?)(\W*$|[,.;(:]| (of|on|at|from|to|in|when|after|before|until|since|by|for|that|which|and)\b)`)
	// aboutDates are words behind "date" that make something else of it.
	aboutDates = setOf("format range field column key type preset style label name mode part unit order sort filter pattern expression string text math grouping group interval precision histogram id ids")
)

// dateClue finds a free string that is meant as a date or a time.
func dateClue(p *property) clue {
	words := p.texts()
	if manyForms.MatchString(words) || aboutDates[last(wordsOf(p.name))] {
		return clue{}
	}
	if found := formOfDate(words, p.name); found.strength > none {
		found.evidence = saidByDescription(found.evidence)
		return found
	}
	if found := dateBySamples(p.samples()); found.strength > none {
		return found
	}
	if said := aDate.FindString(words); said != "" && !isCount(words) {
		line := date
		if aTime.MatchString(said) {
			line = dateTime
		}
		return clue{rule: dateAsText, strength: byName, evidence: saidByDescription(strings.TrimRight(said, " ,.;(:")), lines: []string{line}, adds: true}
	}
	return dateByName(p, words)
}

// formOfDate finds the one form of a date that a text describes. Of two forms
// neither is right.
func formOfDate(words, name string) clue {
	found := clue{rule: dateAsText, strength: inWords, adds: true}
	if words == "date" || words == "date-time" { // of an error rule
		found.evidence, found.lines = words, []string{"format: " + words}
		return found
	}
	rest := words
	for _, form := range forms {
		said := form.words.FindString(rest)
		if said == "" {
			continue
		}
		rest = form.words.ReplaceAllString(rest, " ")
		line := form.line
		if line == standard {
			line = standardForm(words, name)
		}
		if len(found.lines) > 0 && found.lines[0] != line {
			if form.line == standard {
				continue // ISO 8601 in front of the form itself
			}
			return clue{}
		}
		if len(found.lines) == 0 {
			found.evidence, found.lines = said, []string{line}
		}
	}
	if len(found.lines) == 0 {
		return clue{}
	}
	return found
}

// standardForm tells which form of the standard is meant.
func standardForm(words, name string) string {
	named := strings.Join(wordsOf(name), " ")
	switch {
	case strings.Contains(strings.ToLower(words), "duration") || strings.Contains(named, "duration"):
		return duration
	case aTime.MatchString(words), aTime.MatchString(named), strings.HasSuffix(named, " at"):
		return dateTime
	case strings.Contains(strings.ToLower(words), "date") || strings.Contains(named, "date"):
		return date
	}
	return dateTime
}

// layouts are how examples of dates look.
var layouts = []struct{ layout, line string }{
	{time.DateOnly, date},
	{time.RFC3339, dateTime},
	{"01/02/2006", `pattern: "^[0-9]{2}/[0-9]{2}/[0-9]{4}$"`},
	{"02/01/2006", `pattern: "^[0-9]{2}/[0-9]{2}/[0-9]{4}$"`},
	{"02.01.2006", `pattern: "^[0-9]{2}[.][0-9]{2}[.][0-9]{4}$"`},
	{"2006/01/02", `pattern: "^[0-9]{4}/[0-9]{2}/[0-9]{2}$"`},
	{"15:04", `pattern: "^[0-9]{2}:[0-9]{2}$"`},
	{"2006-01-02 15:04:05", `pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$"`},
}

func dateBySamples(samples []string) clue {
	for _, form := range layouts {
		all := len(samples) > 0
		for _, sample := range samples {
			_, err := time.Parse(form.layout, sample)
			all = all && err == nil
		}
		if all {
			return clue{
				rule: dateAsText, strength: inWords, evidence: "its examples are dates or times, " + quoteWords(samples[0]), lines: []string{form.line}, adds: true,
			}
		}
	}
	return clue{}
}

var (
	dateNouns     = setOf("date day birthday birthdate dob duedate startdate enddate")
	dateTimeNouns = setOf("datetime timestamp")
	// before "at" in the name of a moment
	happenings = setOf("start starts begin begins end ends sent paid run runs due sold made seen built begun read left met held")
)

// dateByName reads names alone: start_date, createdAt.
func dateByName(p *property, words string) clue {
	name := wordsOf(p.name)
	end := last(name)
	if p.list {
		end = singular(end)
	}
	found := clue{rule: dateAsText, strength: byName, evidence: "its name speaks of a date", adds: true}
	switch before := first(name[max(0, len(name)-2):]); {
	case isCount(words):
		return clue{}
	case dateNouns[end] && (end != "day" || len(name) > 1 && !isWeekday(words)):
		found.lines = []string{date}
	case dateTimeNouns[end]:
		found.lines = []string{dateTime}
	case end == "at" && len(name) > 1 && (happenings[before] || strings.HasSuffix(before, "ed")):
		found.lines = []string{dateTime}
	case first(name) == "date" && len(name) == 2 && setOf("from to start end since until of after before min max gte lte gt lt")[end]:
		found.lines = []string{date}
	default:
		return clue{}
	}
	return found
}

var counting = regexp.MustCompile(`(?i)\b(unix|epoch|milliseconds|seconds since|number of|how many)\b`)

// isCount reports that a moment or a day is written as a number.
func isCount(words string) bool { return counting.MatchString(words) }

func isWeekday(words string) bool {
	return strings.Contains(strings.ToLower(words), "week") || strings.Contains(strings.ToLower(words), "monday")
}
