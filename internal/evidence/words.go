package evidence

import (
	"regexp"
	"slices"
	"strings"
)

// This file reads what a property's own description says of its values. It
// proposes lines to a person and decides nothing.

var (
	listed   = regexp.MustCompile(`(?i)(?:one of|either|any of|values?|options?|choices|must be|can be|allowed|accepted|accepts|e\.g\.|:)\s*(?:are|is|the following|include)?\s*:?\s*[\[({]?\s*((?:["'\x60]?[A-Za-z][\w-]*["'\x60]?(?:\s*(?:,\s*or|,\s*and|,|\||/|\bor\b|\band\b)\s*)){1,19}["'\x60]?[A-Za-z][\w-]*["'\x60]?)`)
	bars     = regexp.MustCompile(`["'\x60]?[A-Za-z][\w-]*["'\x60]?(?:\s*\|\s*["'\x60]?[A-Za-z][\w-]*["'\x60]?){1,19}`)
	between  = regexp.MustCompile(`\s*(?:,\s*or\s|,\s*and\s|,|\||/|\s+or\s+|\s+and\s+)\s*`)
	quoted   = regexp.MustCompile("[\"'`]([A-Za-z][\\w-]*)[\"'`]")
	oneValue = regexp.MustCompile(`^[A-Za-z][\w-]*$`)
)

// valuesIn are the values that a description lists; nil where it lists none.
func valuesIn(description string) []string {
	if found := quoted.FindAllStringSubmatch(description, -1); len(found) > 1 {
		var values []string
		for _, one := range found {
			values = append(values, one[1])
		}
		return distinct(values)
	}
	text := bars.FindString(description)
	if found := listed.FindStringSubmatch(description); text == "" && found != nil {
		text = found[1]
	}
	if text == "" {
		return nil
	}
	var values []string
	for _, part := range between.Split(text, -1) {
		if part = strings.Trim(part, " \"'`"); !oneValue.MatchString(part) {
			return nil
		}
		values = append(values, part)
	}
	return distinct(values)
}

func distinct(values []string) []string {
	var all []string
	for _, value := range values {
		if !slices.Contains(all, value) {
			all = append(all, value)
		}
	}
	if len(all) < 2 {
		return nil
	}
	return all
}

// named are forms that a property's name speaks of.
var named = []struct {
	name *regexp.Regexp
	form string
}{
	{regexp.MustCompile(`(?i)(?:^|_)date$|[a-z]Date$|(?:^|_)(?:birthday|due|day)$|^date_?(?:from|to)$`), "date"},
	{regexp.MustCompile(`(?i)(?:_at|(?:^|_)(?:timestamp|datetime|date_time))$`), "date-time"},
	{regexp.MustCompile(`(?i)(?:^|_)e?mail(?:_address)?$`), "email"},
	{regexp.MustCompile(`(?i)(?:^|_)ur[li]$`), "uri"},
	{regexp.MustCompile(`(?i)(?:^|_)(?:limit|count|quantity|offset|page|page_size|per_page)$`), "integer"},
	{regexp.MustCompile(`(?i)(?:^|_)(?:amount|price|total)$`), "number"},
	{regexp.MustCompile(`(?i)(?:^|_)currency(?:_code)?$`), "currency"},
	{regexp.MustCompile(`(?i)(?:^|_)country(?:_code)?$`), "country"},
	{regexp.MustCompile(`(?i)(?:^|_)phone(?:_number)?$`), "phone"},
	{regexp.MustCompile(`(?i)^(?:is|has)_`), "boolean"},
}

func formNamed(name string) (form, bool) {
	for _, n := range named {
		if n.name.MatchString(name) {
			return formOf(n.form)
		}
	}
	return form{}, false
}

var (
	twoBounds = regexp.MustCompile(`(-?[0-9]+(?:\.[0-9]+)?)\s*(?:to|-|–|\.\.\.?|and)\s*(-?[0-9]+(?:\.[0-9]+)?)`)
	lowBound  = regexp.MustCompile(`(?i)(at least|minimum(?: of)?|>=|≥|more than|greater than|above|>)\s*(-?[0-9]+(?:\.[0-9]+)?)`)
	highBound = regexp.MustCompile(`(?i)(at most|maximum(?: of)?|up to|<=|≤|less than|below|<)\s*(-?[0-9]+(?:\.[0-9]+)?)`)
)

// boundsIn are the keywords of the bounds that a text names.
func boundsIn(text string) (bounds []keyword) {
	if found := twoBounds.FindStringSubmatch(text); found != nil {
		return []keyword{{"minimum", found[1]}, {"maximum", found[2]}}
	}
	for _, side := range []struct {
		form           *regexp.Regexp
		open, keywords string
	}{{lowBound, "more than greater than above >", "inimum"}, {highBound, "less than below <", "aximum"}} {
		found := side.form.FindStringSubmatch(text)
		if found == nil {
			continue
		}
		name := "m" + side.keywords
		if strings.Contains(side.open, strings.ToLower(found[1])) && !strings.ContainsAny(found[1], "=≥≤") {
			name = "exclusiveM" + side.keywords
		}
		bounds = append(bounds, keyword{name, found[2]})
	}
	return bounds
}
