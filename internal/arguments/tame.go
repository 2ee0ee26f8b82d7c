package arguments

import (
	"strconv"
	"strings"
)

// tameDigits is how many digits the judge, which computes with fractions of big
// integers, is given of one number.
const tameDigits = 400

// tamed returns a number that the judge can compute with at little cost. A
// number that is longer, or larger or smaller by far, keeps its sign, its
// wholeness and whether it is huge or tiny: all that a schema asks of such a
// number, divisors apart.
func tamed(raw string) string {
	if len(raw) <= tameDigits && !strings.ContainsAny(raw, "eE") {
		return raw
	}
	canonical := string(appendNumber(nil, raw))
	s := scan(canonical)
	if s.sign == 0 {
		return "0"
	}
	digits := strings.Replace(canonical[s.first:s.last], ".", "", 1)
	isWhole := s.magnitude >= len(digits)
	if len(digits) > tameDigits { // the last one is no zero
		digits = digits[:tameDigits-1] + digits[len(digits)-1:]
	}
	magnitude := max(-2*tameDigits, min(s.magnitude, 2*tameDigits))
	if !isWhole {
		magnitude = min(magnitude, len(digits)-1)
	}
	sign := ""
	if s.sign < 0 {
		sign = "-"
	}
	return sign + "0." + digits + "e" + strconv.Itoa(magnitude)
}
