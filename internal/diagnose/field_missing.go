package diagnose

import (
	"regexp"
	"strings"
)

// Sentences that name an argument which was not sent: no argument has the name,
// so nothing else can find it. Each is anchored at the sentence's begin, and the
// name is the group. A bare word counts only where the sentence calls it a
// parameter or where nothing else can stand.
var missingForms = [...]*regexp.Regexp{
	// Missing required parameter: redirect_uri
	regexp.MustCompile(`(?i)^(?:missing|required)(?: or (?:invalid|empty))?(?: (?:a|an|the|mandatory|required|request|body|query|path|url|form|input|json))* ` +
		`(?:param(?:eter)?s?|fields?|arguments?|args?|propert(?:y|ies)|attributes?|keys?|values?|variables?)(?:\(s\))?(?: (?:is |are )?missing| for| of| named| in \w+)?:? ` + missingName + missingEnd),
	// Missing required "name"; Missing 'name' parameter
	regexp.MustCompile(`(?i)^missing(?: (?:the|required|mandatory))*:? ` + quotedName + `(?: (?:param(?:eter)?|field|argument|property|attribute|key))?` + missingEnd),
	regexp.MustCompile(`(?i)^missing(?: (?:the|required|mandatory))*:? ([a-z]\w*[_A-Z]\w*|\w+)(?: (?:param(?:eter)?|field|argument|property|attribute|key))` + missingEnd),
	// Required request parameter 'x' for method parameter type String is not present
	regexp.MustCompile(`(?i)^(?:the |a )?(?:required |mandatory )?(?:request |query |path |body |url |input )?(?:param(?:eter)?|field|argument|property|attribute|key|variable|header) ` +
		missingName + `(?: (?:for|in|of)(?: \w+){1,5})? (?:is|was|must be|should be|needs to be|cannot be|can't be|may not be)(?: a| not)? ` +
		`(?:required|missing|mandatory|provided|present|supplied|specified|given|sent|set|defined|blank|empty|null)\b`),
	// Rails
	regexp.MustCompile(`^param is missing or the value is empty(?: or invalid)?: (\w+)`),
	// "title" wasn't supplied; name is required; field_x must be specified
	regexp.MustCompile(`^["'\x60]?([A-Za-z][\w.\[\]-]*)["'\x60]?(?: (?:param(?:eter)?|field|argument|property|attribute|key))? ` +
		`(?:(?:is|was|are|were) (?:a )?(?:required|missing|mandatory|not (?:provided|supplied|specified|present|set|given|sent))|` +
		`(?:wasn't|isn't|weren't) (?:provided|supplied|specified|present|set|given|sent)|` +
		`must (?:not be (?:blank|empty|null)|be (?:provided|supplied|specified|present|given|set))|(?:can't|cannot|can not|may not|should not|shouldn't) be (?:blank|empty|null|missing)|missing|required)\b`),
	// You must provide a `name`; please specify the name parameter
	regexp.MustCompile(`(?i)^(?:please |you must |you need to |must |you have to )+(?:provide|supply|specify|set|pass|send|include)(?: (?:a|an|the|valid|value|for))* ` +
		`(?:(?:param(?:eter)?|field|argument|property|attribute|key) ` + missingName + `|` + quotedName + `|([A-Za-z]\w*)(?: (?:param(?:eter)?|field|argument|property|attribute)))`),
	// No `name` provided; name not provided
	regexp.MustCompile(`(?i)^no ` + quotedName + ` (?:was )?(?:provided|given|specified|supplied|sent)\b`),
	regexp.MustCompile(`^["'\x60]?([a-z]\w*[_A-Z]\w*)["'\x60]? not (?:provided|given|specified|supplied|sent|set)\b`),
}

const (
	quotedName  = `["'\x60]([A-Za-z$@_][\w.$@\[\]-]*)["'\x60]`
	missingName = `["'\x60(]?([A-Za-z$@_][\w.$@\[\]-]*)["'\x60)]?`
	missingEnd  = `(?:[.!,;:(]| (?:is|was|in|for|when|must|-)\b|$)`
)

// notNames are words that stand where a name could.
var notNames = map[string]bool{
	"param": true, "a": true, "an": true, "the": true, "this": true, "that": true, "it": true, "value": true, "field": true,
	"parameter": true, "argument": true, "request": true, "body": true,
	"authentication": true, "authorization": true, "input": true, "data": true, "payload": true, "object": true, "one": true, "some": true, "is": true, "for": true, "in": true,
	"fields": true, "parameters": true, "arguments": true, "resource": true, "access": true, "login": true, "permission": true, "property": true, "attribute": true, "key": true,
	"header": true, "headers": true, "content": true, "token": true, "credentials": true, "upgrade": true, "payment": true, "values": true,
	"error": true, "errors": true, "at": true, "and": true, "or": true,
}

// missingInProse is the argument that a sentence misses, in the provider's
// spelling; "" where none is named.
func missingInProse(text string) string {
	text = strings.TrimSpace(text[:min(len(text), 512)])
	for rest := text; rest != ""; {
		line, after, _ := strings.Cut(rest, "\n")
		if name := missingIn(line); name != "" {
			return name
		}
		// A lead: `Validation failed: name is required`, `400: Missing parameter x`.
		for range 3 {
			_, tail, found := strings.Cut(line, ": ")
			if !found {
				break
			}
			if name := missingIn(tail); name != "" {
				return name
			}
			line = tail
		}
		rest = strings.TrimSpace(after)
	}
	return ""
}

func missingIn(line string) string {
	if !mayMiss(line) {
		return ""
	}
	for _, form := range &missingForms {
		m := form.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		for _, name := range m[1:] {
			if name = strings.Trim(name, ".-"); name != "" && !notNames[strings.ToLower(name)] && len(name) <= 64 {
				return name
			}
		}
	}
	return ""
}

// mayMiss spares most sentences the expressions.
func mayMiss(line string) bool {
	for _, word := range [...]string{"issing", "equired", "n't be", "not be", "n't ", "not ", "must ", "provided", "supplied", "lease "} {
		if strings.Contains(line, word) {
			return true
		}
	}
	return false
}
