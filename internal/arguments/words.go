package arguments

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
)

// kindWords names kinds as a sentence does: "an integer or a string".
func kindWords(k kinds) string {
	var words []string
	for _, w := range []struct {
		kind kinds
		word string
	}{
		{isString, "a string"}, {isBoolean, "a boolean"}, {isArray, "an array"}, {isObject, "an object"}, {isNull, "null"},
	} {
		if k&w.kind != 0 {
			words = append(words, w.word)
		}
	}
	if noun := kindNoun(k & isNumber); noun != "" {
		words = append([]string{map[string]string{"integer": "an integer", "fraction": "a fraction", "number": "a number"}[noun]}, words...)
	}
	if len(words) == 0 {
		return "nothing"
	}
	return strings.Join(words, " or ")
}

func kindNoun(k kinds) string {
	switch k {
	case isInteger:
		return "integer"
	case isFraction:
		return "fraction"
	case isNumber:
		return "number"
	}
	return ""
}

// formatNoun names a format as a sentence does.
func formatNoun(format string) string {
	switch format {
	case "date", "time", "date-time", "duration", "uuid", "regex":
		return "a valid " + format
	case "email", "idn-email":
		return "an e-mail address"
	case "uri", "iri":
		return "an absolute URI with a scheme"
	case "ipv4":
		return "an IPv4 address"
	case "ipv6":
		return "an IPv6 address"
	}
	return "of the format " + format
}

// formatForm shows a format's form.
func formatForm(format string) string {
	forms := map[string]string{
		"date":      "YYYY-MM-DD",
		"time":      "RFC 3339 time with offset, for example 15:00:00Z",
		"date-time": "RFC 3339 date-time with offset, for example 2026-03-14T09:30:00Z",
		"duration":  "ISO 8601 duration, for example PT30M (minutes) or P30M (months)",
		"uuid":      "UUID of 32 hexadecimal digits in groups of 8-4-4-4-12",
		"uri":       "absolute URI with scheme",
		"iri":       "absolute IRI with scheme",
		"email":     "e-mail address",
		"idn-email": "e-mail address",
		"ipv4":      "IPv4 address, for example 192.0.2.1",
		"ipv6":      "IPv6 address, for example 2001:db8::1",
	}
	if form, known := forms[format]; known {
		return form
	}
	return format
}

func between(low, high *int, noun string) string {
	switch {
	case low != nil && high != nil && *low == *high:
		return "exactly " + count(*low, noun)
	case low != nil && high != nil:
		return fmt.Sprintf("%d to %s", *low, count(*high, noun))
	case low != nil:
		return "at least " + count(*low, noun)
	}
	return "at most " + count(*high, noun)
}

// spanOf says which numbers are accepted.
func spanOf(flat []*schema) string {
	var low, high, above, below, step *big.Rat
	for _, s := range flat {
		low, above = greatest(low, s.Minimum), greatest(above, s.ExclusiveMinimum)
		high, below = least(high, s.Maximum), least(below, s.ExclusiveMaximum)
		if s.MultipleOf != nil {
			step = s.MultipleOf
		}
	}
	var words []string
	if low != nil && high != nil && above == nil && below == nil {
		words = append(words, decimalText(low)+" to "+decimalText(high))
	} else {
		words = appendBound(words, "at least ", low)
		words = appendBound(words, "more than ", above)
		words = appendBound(words, "at most ", high)
		words = appendBound(words, "less than ", below)
	}
	return strings.Join(appendBound(words, "a multiple of ", step), ", ")
}

func appendBound(words []string, word string, bound *big.Rat) []string {
	if bound == nil {
		return words
	}
	return append(words, word+decimalText(bound))
}

func greatest(a, b *big.Rat) *big.Rat {
	if a == nil || (b != nil && b.Cmp(a) > 0) {
		return b
	}
	return a
}

func least(a, b *big.Rat) *big.Rat {
	if a == nil || (b != nil && b.Cmp(a) < 0) {
		return b
	}
	return a
}

// decimalText writes a schema's number, exactly where that takes few digits.
func decimalText(r *big.Rat) string {
	const most = 24
	if digits, exact := r.FloatPrec(); exact && digits <= most {
		if text := r.FloatString(digits); len(text) <= most {
			return text
		}
	}
	f, _ := r.Float64()
	return fmt.Sprintf("%g", f)
}

// jsonText writes a schema's value as JSON, digits as they are.
func jsonText(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return ""
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// plainText writes a schema's value as people do: text without quotes.
func plainText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return jsonText(v)
}
