package lint

import (
	"regexp"
	"slices"
	"strings"
)

var (
	aNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

	// identifiers are nouns of what is written in digits and is no number.
	identifiers = setOf(`id ids identifier code codes number no phone mobile fax tel zip zipcode postcode postal plz version account iban bic sku ean upc isbn issn ssn vat
		pin otp ref reference key token hash cursor number serial extension ext year tag name label uuid guid ts thread channel`)
	// textual says that a number is to be text.
	textual = regexp.MustCompile(`(?i)\bstring\b|\bdecimal\b|\btext\b|\bdigits?\b|\bleading zero|\bidentifier\b|\bid\b|\bcode\b|\bunlimited\b|\bpercent(age)? sign\b|` +
		`\bor\b.{0,16}(["'` + "`" + `]|\b(all|none|unlimited|auto|max|min|null)\b)|\bwith (its|the|a) (unit|currency)|\be\.?g\.? ['"` + "`" + `]?\$?\d+ ?[a-z%]`)

	whole  = regexp.MustCompile(`(?i)\bintegers?\b|^\W*(the |an? )?([a-z-]+ ){0,2}?(number of (?:[a-z-]+ )?[a-z]+s\b|counts? of\b)|\bhow many\b|\b(unix|epoch) (time|timestamp|seconds|milliseconds)|\b(milli)?seconds since\b|\bin cents\b|\bpage number\b|\bstarting (?:at|from|with) [01]\b`)
	scalar = regexp.MustCompile(`(?i)^\W*(the |an? )?([a-z-]+ ){0,2}?(amount|quantity|percentage|price|sum|temperature|latitude|longitude|weight|height|distance|duration) (in|of|between|from)\b|` +
		`\bin (seconds|minutes|hours|days|milliseconds|kilograms|kg|meters|metres|km|kilometers|miles|percent|degrees|bytes|megabytes)\b|\b(a|as a) number\b|\bnumeric(al)? (value|amount)\b|\bnumber between\b`)

	wholeNouns = setOf(`count quantity qty limit offset seconds minutes hours days weeks months millis milliseconds ms bytes cents attempts retries guests nights age`)
	realNouns  = setOf(`amount total subtotal balance percent percentage ratio latitude longitude lat lng lon temperature weight height width length depth radius distance`)
	// These are nouns behind a bound: max_results.
	boundedCounts = setOf("results items rows records entries tokens length size age retries attempts pages")
	boundedReals  = setOf("price cost fee rate")
	bounds        = setOf("max maximum min minimum")
	// sizes are "size" behind what is counted.
	sizes = setOf("page batch chunk window sample file buffer party group")
)

// numberClue finds a free string that is meant as a number.
func numberClue(p *property) clue {
	words, name := p.texts(), wordsOf(p.name)
	end := last(name)
	if p.list {
		end = singular(end)
	}
	if identifiers[end] || textual.MatchString(words) {
		return clue{}
	}
	found := clue{rule: numberAsText, strength: inWords}
	switch said := whole.FindString(words); {
	case said != "":
		found.evidence, found.lines = saidByDescription(said), []string{"type: integer"}
		return found
	case scalar.MatchString(words):
		found.evidence, found.lines = saidByDescription(scalar.FindString(words)), []string{"type: number"}
		return found
	}
	if samples := p.samples(); len(samples) > 0 && allNumbers(samples) {
		found.evidence, found.lines = "its examples are numbers, "+quoteWords(samples[0]), []string{numberLine(samples)}
		return found
	}
	found.strength, found.evidence = byName, "its name speaks of a number"
	switch {
	case wholeNouns[end] || end == "size" && len(name) > 1 && sizes[name[len(name)-2]]:
		found.lines = []string{"type: integer"}
	case boundedCounts[end] && bounds[first(name)]:
		found.lines = []string{"type: integer"}
	case boundedReals[end] && bounds[first(name)]:
		found.lines = []string{"type: number"}
	case realNouns[end]:
		found.lines = []string{"type: number"}
	default:
		return clue{}
	}
	return found
}

func numberLine(samples []string) string {
	if slices.ContainsFunc(samples, func(sample string) bool { return strings.Contains(sample, ".") }) {
		return "type: number"
	}
	return "type: integer"
}

func allNumbers(values []string) bool {
	return !slices.ContainsFunc(values, func(value string) bool { return !aNumber.MatchString(value) })
}

var (
	truth       = regexp.MustCompile(`(?i)\b(true)['"` + "`" + `]?\s*(?:/|\||,|or|and)\s*['"` + "`" + `]?(false)\b|\bboolean\b`)
	askingWords = setOf("enabled disabled")
)

// booleanClue finds a free string that is meant as true or false.
func booleanClue(p *property) clue {
	found := clue{rule: booleanAsText, strength: inWords, lines: []string{"type: boolean"}}
	words, name := p.texts(), wordsOf(p.name)
	samples := p.samples()
	switch said := truth.FindString(words); {
	case said != "":
		found.evidence = saidByDescription(said)
	case len(samples) > 0 && isTruth(samples):
		found.evidence = "its examples are true or false"
	case len(name) > 1 && (first(name) == "is" || first(name) == "has") || askingWords[last(name)] && len(samples) == 0:
		found.strength, found.evidence = byName, "its name speaks of yes or no"
	default:
		return clue{}
	}
	return found
}

func isTruth(values []string) bool {
	return !slices.ContainsFunc(values, func(value string) bool {
		return !strings.EqualFold(value, "true") && !strings.EqualFold(value, "false")
	})
}
