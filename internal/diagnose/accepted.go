package diagnose

import (
	"regexp"
	"strings"
)

// Forms in which providers write what is accepted. They fill fields of a fault
// that is known already; they never decide anything.
var (
	listForm    = regexp.MustCompile(`(?i)(?:one of(?: the following(?: values)?)?|(?:valid|allowed|accepted|supported|permitted|possible|available|expected|legal) (?:values|options|types|choices|schemas|fields|formats)(?: are| is| include)?|(?:are|is) (?:exposed|supported|allowed|available)|enumeration member|expected values?|must be either|must be in|not in|expected)\s*[:=]?\s*[\[({]?\s*((?:["'\x60][^"'\x60\n]{1,60}["'\x60]|[\w.+/-]{1,60})(?:\s*(?:,|\||;| or | and |, or )\s*(?:or |and )?(?:["'\x60][^"'\x60\n]{1,60}["'\x60]|[\w.+/-]{1,60}))+)`)
	meantForm   = regexp.MustCompile(`(?i)(?:did you mean|perhaps you meant|maybe you meant|closest match(?: is)?|expecting|please use|use instead)[:,]?\s*(?:the \w+ )?["'\x60]?([\w.+/-]+(?: [\w.+/-]+)?)["'\x60]?\s*[?.;]?$`)
	rangeForm   = regexp.MustCompile(`(?i)(?:in the range (?:of |from )?|ranging from |in |between |from |within )?([\[(]?-?\d[\d,.]*(?:\s*(?:and|to|\.\.\.?|-|–)\s*)-?\d[\d,.]*[\])]?)`)
	boundForm   = regexp.MustCompile(`(?i)((?:(?:strictly )?(?:less|greater|smaller|larger|higher|lower|more|fewer)(?: than)?(?: or equal)?(?: to| than)?|at (?:most|least)|no (?:more|less|fewer|longer) than|not exceed|exceeds?(?: the)?(?: maximum| limit)?(?: of)?|up to|>=?|<=?|≥|≤|(?:max(?:imum)?|min(?:imum)?)(?: (?:allowed|value|length|size|number))*(?: is| of|:| =)?)\s*-?\d[\d,.]*(?:\s*(?:and|or)\s*(?:(?:less|greater) than(?: or equal to)?|<=?|>=?|at (?:most|least))\s*-?\d[\d,.]*)?(?: (?:characters|chars|bytes|items|elements|digits|words|KB|MB|GB))?)`)
	formatForm  = regexp.MustCompile(`(?i)\b(YYYY[-/]?MM[-/]?DD(?:[T ]HH:mm(?::ss)?(?:\.\w+)?(?:Z|XXX)?)?|(?:DD|MM)[-/](?:MM|DD)[-/]YYYY|RFC ?\d{4}|ISO[ -]?8601|E\.?164|UUID(?: ?v\d)?|ULID|base64|hex(?:adecimal)?|valid (?:integer|number|boolean|string|date(?:time)?|date-time|email(?: address)?|URL|URI|UUID|JSON|phone number|timestamp|array|list|dictionary|object|decimal|time zone|IP address|currency code|country code))\b`)
	patternForm = regexp.MustCompile(`(?i)(?:match(?:es)?(?: the)? (?:pattern|regex(?:p)?|regular expression|format)|in the (?:format|form)(?: of)?|expected format(?: is)?|format should be|format must be|use the format)[:=]?\s*["'\x60/]?([^"'\x60\s][^"'\x60\n]{1,58}?)["'\x60/]?\.?$`)
)

// readAccepted fills what is accepted from the fault's own sentence.
func readAccepted(v *violation, text string) {
	text = text[:min(len(text), 600)]
	if len(v.accepted) == 0 {
		v.accepted = acceptedList(text)
	}
	if v.span == "" && strings.ContainsAny(text, "0123456789") {
		v.span = acceptedRange(text)
	}
	if v.format == "" {
		if m := formatForm.FindString(text); m != "" {
			v.format = m
		} else if m := patternForm.FindStringSubmatch(text); m != nil {
			v.format = m[1]
		}
	}
}

func acceptedList(text string) []string {
	if m := listForm.FindStringSubmatch(text); m != nil {
		if values := splitValues(m[1]); len(values) > 1 {
			return values
		}
	}
	if m := meantForm.FindStringSubmatch(text); m != nil {
		return []string{m[1]}
	}
	return nil
}

func acceptedRange(text string) string {
	lower := strings.ToLower(text)
	if strings.Contains(lower, "between") || strings.Contains(lower, "range") || strings.Contains(lower, "from") {
		if i := strings.Index(lower, "between"); i >= 0 {
			if m := rangeForm.FindString(text[i:]); m != "" {
				return strings.TrimRight(m, "., ")
			}
		}
		if m := rangeForm.FindString(text); m != "" {
			return strings.TrimRight(m, "., ")
		}
	}
	return strings.TrimRight(boundForm.FindString(text), "., ")
}

// splitValues takes a written list apart.
func splitValues(s string) []string {
	var out []string
	for _, part := range strings.FieldsFunc(s, func(c rune) bool { return c == ',' || c == '|' || c == ';' }) {
		for _, piece := range splitWord(splitWord([]string{part}, " or "), " and ") {
			piece = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(piece), "or "), "and ")
			if piece = strings.Trim(piece, " \"'`[](){}."); piece != "" && len(out) < 64 {
				out = append(out, piece)
			}
		}
	}
	return out
}

func splitWord(parts []string, word string) []string {
	var out []string
	for _, part := range parts {
		out = append(out, strings.Split(part, word)...)
	}
	return out
}
