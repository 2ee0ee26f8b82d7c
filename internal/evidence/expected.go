package evidence

import (
	"regexp"
	"slices"
	"strings"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// The words for what is expected at a field that no form has. Those of the forms
// are listed with them.
const (
	ExpectedRequired = "required"         // a value, where there was none
	ExpectedUnknown  = "unknown_argument" // no such argument
	ExpectedEnum     = "enum"             // one of a list
	ExpectedRange    = "range"            // a number within bounds
	ExpectedLength   = "length"           // a length within bounds
	ExpectedFormat   = "format"           // some other form
)

// form is one form that values have, by the words with which it is asked for.
type form struct {
	label    string
	asked    *regexp.Regexp // over the lower-case format
	keywords []keyword      // of the schema that says so
	written  string         // for a description
	example  string         // JSON
}

// keyword is one member of a schema; value is JSON.
type keyword struct{ name, value string }

// forms are tried in turn: what is more special stands first.
var forms = []form{
	{"array", regexp.MustCompile(`^(?:an? |json |valid )*(?:array|list)\b`), []keyword{{"type", `"array"`}}, "a list", "[]"},
	textForm("time", `^hh:mm|(?:^|rfc ?3339 |valid )time(?: with offset\b|,|$)|time of day`, "time", "RFC 3339 time with offset", "15:00:00Z"),
	textForm("date-time", `yyyy.*hh|rfc ?-?3339|date[ -]?time|timestamp|iso[ -]?8601.*(?:time|hh)`, "date-time", "RFC 3339 with offset", "2026-03-14T09:30:00Z"),
	textForm("duration", `duration`, "duration", "ISO 8601 duration", "PT30M"),
	dateForm("YYYYMMDD", "20260314"), dateForm("YYYY/MM/DD", "2026/03/14"),
	dateForm("DD/MM/YYYY", "14/03/2026"), dateForm("DD.MM.YYYY", "14.03.2026"), dateForm("DD-MM-YYYY", "14-03-2026"),
	dateForm("MM/DD/YYYY", "03/14/2026"), dateForm("MM-DD-YYYY", "03-14-2026"),
	textForm("date", `yyyy-mm-dd|\bdate\b|iso[ -]?8601`, "date", "YYYY-MM-DD", "2026-03-14"),
	textForm("email", `e-?mail|rfc ?5322`, "email", "e-mail address", "a@example.com"),
	textForm("uri", `\bur[il]\b`, "uri", "absolute URI", "https://example.com/a"),
	textForm("uuid", `\b[ug]uid\b`, "uuid", "UUID", "0b8e5a52-7a0a-4c37-9e1b-5d9b0c1f2a3e"),
	textForm("ipv4", `\bipv4\b`, "ipv4", "IPv4 address", "192.0.2.1"),
	textForm("ipv6", `\bipv6\b`, "ipv6", "IPv6 address", "2001:db8::1"),
	patternForm("phone", `e\.164|\bphone\b`, `^\\+[1-9][0-9]{1,14}$`, "E.164, with + and no spaces", "+15550100200"),
	patternForm("currency", `\bcurrency\b|iso[ -]?4217`, `^[A-Z]{3}$`, "ISO 4217, three capital letters", "EUR"),
	patternForm("country", `\bcountry\b|iso[ -]?3166`, `^[A-Z]{2}$`, "ISO 3166, two capital letters", "PT"),
	{"integer", regexp.MustCompile(`integer|whole number|\bint\b`), []keyword{{"type", `"integer"`}}, "a whole number", "3"},
	{"number", regexp.MustCompile(`\bnumber\b|numeric|decimal|\bfloat\b|\bdouble\b`), []keyword{{"type", `"number"`}}, "a number", "3.5"},
	{"boolean", regexp.MustCompile(`\bbool(?:ean)?\b|^true or false$`), []keyword{{"type", `"boolean"`}}, "true or false", "true"},
	{"object", regexp.MustCompile(`\bobject\b|dictionary|\bjson\b`), []keyword{{"type", `"object"`}}, "an object", "{}"},
	{"string", regexp.MustCompile(`\b(?:string|text)\b`), []keyword{{"type", `"string"`}}, "text", `"a"`},
}

func textForm(label, asked, format, written, example string) form {
	return form{label, regexp.MustCompile(asked), []keyword{{"type", `"string"`}, {"format", `"` + format + `"`}}, written, `"` + example + `"`}
}

func patternForm(label, asked, pattern, written, example string) form {
	return form{label, regexp.MustCompile(asked), []keyword{{"type", `"string"`}, {"pattern", `"` + pattern + `"`}}, written, `"` + example + `"`}
}

// dateForm is a date in another order than that of RFC 3339.
func dateForm(order, example string) form {
	digits := regexp.MustCompile(`[YMD]+`).ReplaceAllStringFunc(order, func(part string) string {
		return map[int]string{2: "[0-9]{2}", 4: "[0-9]{4}", 8: "[0-9]{8}"}[len(part)]
	})
	return patternForm(order, `\b`+regexp.QuoteMeta(strings.ToLower(order))+`\b`, "^"+strings.ReplaceAll(digits, ".", `\\.`)+"$", order, example)
}

func formOf(label string) (form, bool) {
	i := slices.IndexFunc(forms, func(f form) bool { return f.label == label })
	if i < 0 {
		return form{}, false
	}
	return forms[i], true
}

// Labels lists every word that Expected says.
func Labels() []string {
	labels := []string{"", ExpectedRequired, ExpectedUnknown, ExpectedEnum, ExpectedRange, ExpectedLength, ExpectedFormat}
	for _, f := range forms {
		labels = append(labels, f.label)
	}
	return labels
}

var (
	absent  = regexp.MustCompile(`\b(?:required|missing|mandatory)\b|must be (?:provided|present|given|specified|supplied|set)|(?:can'?t|can ?not|must not|may not|should not) be (?:blank|empty|null|missing|omitted)|not (?:provided|present|specified|supplied|given)`)
	strange = regexp.MustCompile(`^is no (?:argument of this tool|member of this object)|\b(?:unknown|unrecogni[sz]ed|unexpected|unsupported|extra|additional|no such|undefined) (?:field|parameter|property|properties|argument|key|input|attribute|name|member)|not (?:permitted|allowed|defined|recogni[sz]ed) (?:field|parameter|property|argument|key)|extra (?:fields|inputs) (?:are )?not permitted`)
	bounds  = regexp.MustCompile(`too (?:small|large|big|short|long|low|high|many|few)|multiple of|greater|less|exceed|between|out of range|m(?:ax|in)imum|at (?:most|least)|\bholds\b|must be (?:above|below|over|under|positive)`)
	lengths = regexp.MustCompile(`character|\bchars?\b|\bitems?\b|\bbytes?\b|\bwords?\b|\bmembers?\b`)
)

// Expected says in one word of a closed list (Labels) what is expected at the
// field of a violation; empty where nobody said. sent is the value that the call
// had there, nil: none.
func Expected(v *toolgatev1.Violation, sent []byte) string {
	if v.GetField() == "" {
		return ""
	}
	problem, format := strings.ToLower(v.GetProblem()), strings.ToLower(v.GetFormat())
	switch {
	case sent != nil && strange.MatchString(problem):
		return ExpectedUnknown
	case sent == nil && absent.MatchString(problem):
		return ExpectedRequired
	case len(v.GetAccepted()) > 0:
		return ExpectedEnum
	case format != "" && !bounds.MatchString(problem):
		return formAsked(format)
	case v.GetRange() == "":
		return ""
	case lengths.MatchString(strings.ToLower(v.GetRange())):
		return ExpectedLength
	}
	return ExpectedRange
}

func formAsked(format string) string {
	if strings.HasPrefix(format, "string matching ") {
		return ExpectedFormat
	}
	for _, f := range forms {
		if f.asked.MatchString(format) {
			return f.label
		}
	}
	return ExpectedFormat
}

// SchemaOf is the JSON Schema that says what a form's word says; false for the
// words that no form has.
func SchemaOf(expected string) (schema string, found bool) {
	f, found := formOf(expected)
	if !found {
		return "", false
	}
	return written(f.keywords), true
}

func written(keywords []keyword) string {
	members := make([]string, len(keywords))
	for i, k := range keywords {
		members[i] = `"` + k.name + `":` + k.value
	}
	return "{" + strings.Join(members, ",") + "}"
}
