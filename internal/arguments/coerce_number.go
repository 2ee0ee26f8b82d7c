package arguments

import (
	"strings"
)

// asciiSpace is the white space that carries no meaning around a number, a date
// or a member of a list.
const asciiSpace = " \t\n\r\v\f"

// numeral reads text as a number in JSON's own syntax: no separators, no leading
// zeros, no signs but a minus, no other digits than 0-9. It returns the JSON text
// and the rule, or nothing.
func numeral(text string, accepted kinds) (raw, rule string) {
	if accepted&isNumber == 0 || !isNumeral(text) {
		return "", ""
	}
	if accepted&isFraction == 0 {
		return wholeNumeral(text), "string_to_integer"
	}
	if !finite(text) {
		return "", ""
	}
	return text, "string_to_number"
}

func isNumeral(text string) bool {
	if text == "" || (text[0] != '-' && !isDigit(text[0])) {
		return false
	}
	c := borrow(nil, text)
	defer c.release()
	return c.number() == nil && c.pos == len(text)
}

// wholeNumeral keeps plain digits as they are. 1e3 and 5.0 are whole as well,
// but beyond 2^53 such a spelling has probably been through a float.
func wholeNumeral(text string) string {
	if !strings.ContainsAny(text, ".eE") {
		return text
	}
	canonical := string(appendNumber(nil, text))
	if !exactInteger(canonical) {
		return ""
	}
	return canonical
}

// finite reports whether a float can hold the size of a number.
func finite(text string) bool {
	canonical := strings.TrimPrefix(string(appendNumber(nil, text)), "-")
	digits, exponent, _ := strings.Cut(canonical, "e")
	if len(exponent) > len("-308") {
		return false
	}
	whole, _, _ := strings.Cut(digits, ".")
	magnitude := len(whole) + saturated(exponent)
	return magnitude > -307 && magnitude <= 308
}
