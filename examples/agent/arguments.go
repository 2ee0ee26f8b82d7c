package agent

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// arguments are a call's arguments, one raw JSON value each, so that no digit
// is lost.
type arguments map[string]json.RawMessage

func parse(text string) (arguments, error) {
	args := arguments{}
	err := json.Unmarshal([]byte(text), &args)
	return args, err
}

// text writes them with their keys sorted.
func (a arguments) text() string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(a) // raw values that were read as JSON
	return strings.TrimSuffix(text.String(), "\n")
}

func (a arguments) only(names []string) arguments {
	kept := arguments{}
	for _, name := range names {
		if value, has := a[name]; has {
			kept[name] = value
		}
	}
	return kept
}

// mend changes the argument that a violation names into one that is accepted,
// read from the violation's fields: a listed value, a format, a range.
func mend(args arguments, violation *toolgatev1.Violation) bool {
	field := violation.GetField()
	value, has := args[field]
	if !has {
		return false
	}
	mended, ok := json.RawMessage(nil), false
	switch {
	case len(violation.GetAccepted()) > 0:
		mended, ok = quote(violation.GetAccepted()[0]), true
	case violation.GetFormat() != "":
		mended, ok = reformatDate(value, violation.GetFormat())
	case violation.GetRange() != "":
		mended, ok = clamp(value, violation.GetRange())
	}
	if ok {
		args[field] = mended
	}
	return ok
}

func quote(text string) json.RawMessage {
	quoted, err := json.Marshal(text)
	if err != nil {
		return json.RawMessage(`""`) // unreachable: a string always has a JSON form
	}
	return quoted
}

// writtenAs are the ways in which the agent may have written a date. Day and
// month are told apart by the first layout that fits.
var writtenAs = []string{"01/02/2006", "02/01/2006", "2006/01/02", "02.01.2006", "January 2, 2006", time.RFC3339, time.DateOnly}

// reformatDate writes a date in a format such as YYYY-MM-DD.
func reformatDate(value json.RawMessage, format string) (json.RawMessage, bool) {
	layout := strings.NewReplacer("YYYY", "2006", "MM", "01", "DD", "02").Replace(format)
	var text string
	if layout == format || json.Unmarshal(value, &text) != nil {
		return nil, false
	}
	for _, known := range writtenAs {
		if date, err := time.Parse(known, text); err == nil {
			return quote(date.Format(layout)), true
		}
	}
	return nil, false
}

// clamp moves a number into a range such as `0.01 to 500.00`, to the nearer end,
// with that end's own digits.
func clamp(value json.RawMessage, bounds string) (json.RawMessage, bool) {
	low, high, found := strings.Cut(bounds, " to ")
	number, least, most := json.Number(value), json.Number(low), json.Number(high)
	n, err := number.Float64()
	from, errLow := least.Float64()
	to, errHigh := most.Float64()
	switch {
	case !found || err != nil || errLow != nil || errHigh != nil:
		return nil, false
	case n > to:
		return json.RawMessage(high), true
	case n < from:
		return json.RawMessage(low), true
	}
	return nil, false
}
