package payments

import (
	"fmt"
	"strconv"
	"strings"
)

// cents is an amount of money in hundredths. It is read and written as a JSON
// number with two decimals, never through a float.
type cents int64

// parseCents reads up to two decimals; ok is false for anything else.
func parseCents(text string) (amount cents, ok bool) {
	whole, fraction, _ := strings.Cut(text, ".")
	if len(fraction) > 2 && strings.Trim(fraction[2:], "0") != "" || len(whole) > 12 {
		return 0, false
	}
	fraction = (fraction + "00")[:2]
	n, err := strconv.ParseInt(whole+fraction, 10, 64)
	return cents(n), err == nil
}

func (c cents) String() string { return fmt.Sprintf("%d.%02d", c/100, c%100) }

// MarshalJSON writes a number, 42.10 with both its decimals.
func (c cents) MarshalJSON() ([]byte, error) { return []byte(c.String()), nil }
