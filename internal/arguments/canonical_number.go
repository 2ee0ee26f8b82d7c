package arguments

import (
	"math/big"
	"strconv"
)

// plainDigits is how long a number may be and still be written without an
// exponent.
const plainDigits = 32

// number reads a number and writes its exact decimal value: -0 is 0, and 1, 1.0
// and 1e0 are 1. It never goes through a float, and an exponent is never
// expanded beyond plainDigits, so that 1e999999999 costs eleven bytes.
func (c *canon) number() *syntaxError {
	start := c.pos
	if c.src[c.pos] == '-' {
		c.pos++
	}
	if err := c.integerPart(); err != nil {
		return err
	}
	plain := true
	if c.pos < len(c.src) && c.src[c.pos] == '.' {
		plain = false
		c.pos++
		if !c.digits() {
			return c.fail("a digit behind the decimal point")
		}
	}
	if c.pos < len(c.src) && (c.src[c.pos] == 'e' || c.src[c.pos] == 'E') {
		plain = false
		c.pos++
		if c.pos < len(c.src) && (c.src[c.pos] == '+' || c.src[c.pos] == '-') {
			c.pos++
		}
		if !c.digits() {
			return c.fail("a digit in the exponent")
		}
	}
	text := c.src[start:c.pos]
	if plain && len(text) <= plainDigits && text != "-0" {
		c.out = append(c.out, text...)
	} else {
		c.out = appendNumber(c.out, text)
	}
	return nil
}

func (c *canon) integerPart() *syntaxError {
	if c.pos < len(c.src) && c.src[c.pos] == '0' {
		c.pos++
		if c.pos < len(c.src) && isDigit(c.src[c.pos]) {
			return c.fail("a number without leading zeros, or a string")
		}
		return nil
	}
	if !c.digits() {
		return c.noValueOr("a digit")
	}
	return nil
}

// noValueOr is for what begins with a minus and is no number.
func (c *canon) noValueOr(expected string) *syntaxError {
	if c.pos < len(c.src) && c.src[c.pos] == 'I' {
		expected = "a number; JSON has no Infinity"
	}
	return c.fail(expected)
}

func (c *canon) digits() bool {
	start := c.pos
	for c.pos < len(c.src) && isDigit(c.src[c.pos]) {
		c.pos++
	}
	return c.pos > start
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// parts are the pieces of a JSON number.
type parts struct {
	negative           bool
	integer, fraction  string
	exponent           string // with its sign, empty where there is none
	exponentIsNegative bool
}

// split takes a valid JSON number apart.
func split(text string) (p parts) {
	if text[0] == '-' {
		p.negative = true
		text = text[1:]
	}
	end := digitsEnd(text, 0)
	p.integer = text[:end]
	if end < len(text) && text[end] == '.' {
		start := end + 1
		end = digitsEnd(text, start)
		p.fraction = text[start:end]
	}
	if end < len(text) { // e or E
		p.exponent = text[end+1:]
		if p.exponent[0] == '+' {
			p.exponent = p.exponent[1:]
		}
		p.exponentIsNegative = p.exponent[0] == '-'
	}
	return p
}

func digitsEnd(text string, at int) int {
	for at < len(text) && isDigit(text[at]) {
		at++
	}
	return at
}

// appendNumber appends the canonical form of a valid JSON number.
func appendNumber(dst []byte, text string) []byte {
	p := split(text)
	begin := len(dst)
	if p.negative {
		dst = append(dst, '-')
	}
	first := len(dst)
	dst = appendSignificant(dst, p)
	if len(dst) == first {
		return append(dst[:begin], '0')
	}
	last := len(dst)
	for dst[last-1] == '0' {
		last--
	}
	shift := len(dst) - last - len(p.fraction) // what the stripped digits add to the exponent
	dst = dst[:last]
	exponent, err := strconv.ParseInt(orZero(p.exponent), 10, 48)
	if err != nil {
		return appendBigExponent(dst, p.exponent, shift)
	}
	return appendScaled(dst, first, exponent+int64(shift))
}

// appendSignificant appends the digits without leading zeros.
func appendSignificant(dst []byte, p parts) []byte {
	begin := len(dst)
	for _, digits := range [...]string{p.integer, p.fraction} {
		for i := range len(digits) {
			if len(dst) > begin || digits[i] != '0' {
				dst = append(dst, digits[i])
			}
		}
	}
	return dst
}

func orZero(s string) string {
	if s == "" {
		return "0"
	}
	return s
}

// appendScaled finishes digits × 10^exponent, where the digits stand in dst from
// first on.
func appendScaled(dst []byte, first int, exponent int64) []byte {
	n := int64(len(dst) - first)
	switch {
	case exponent == 0:
		return dst
	case exponent > 0 && n+exponent <= plainDigits:
		for range exponent {
			dst = append(dst, '0')
		}
		return dst
	case exponent < 0 && -exponent <= plainDigits:
		return insertPoint(dst, first, int(-exponent))
	}
	return strconv.AppendInt(append(dst, 'e'), exponent, 10)
}

// insertPoint puts the decimal point before the last places digits.
func insertPoint(dst []byte, first, places int) []byte {
	for len(dst)-first <= places {
		dst = append(dst, 0)
		copy(dst[first+1:], dst[first:])
		dst[first] = '0'
	}
	dst = append(dst, 0)
	at := len(dst) - 1 - places
	copy(dst[at+1:], dst[at:])
	dst[at] = '.'
	return dst
}

func appendBigExponent(dst []byte, exponent string, shift int) []byte {
	sum, _ := new(big.Int).SetString(exponent, 10)
	sum.Add(sum, big.NewInt(int64(shift)))
	return sum.Append(append(dst, 'e'), 10)
}
