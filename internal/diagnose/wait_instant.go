package diagnose

import (
	"strings"
	"time"
)

// instantForms are the three dates of RFC 9110 §5.6.7, their common slips, and
// ISO 8601 instants.
var instantForms = [...]string{
	"Mon, 02 Jan 2006 15:04:05 GMT",
	"Mon, 2 Jan 2006 15:04:05 GMT",
	"Monday, 02-Jan-06 15:04:05 GMT",
	"Monday, 02-Jan-2006 15:04:05 GMT",
	"Mon, 02-Jan-2006 15:04:05 GMT",
	"Mon Jan _2 15:04:05 2006",
	"Mon Jan _2 15:04:05 MST 2006",
	"Mon, 02 Jan 2006 15:04:05 MST",
	"Mon, 02 Jan 2006 15:04:05 -0700",
	time.RFC3339Nano,
	"2006-01-02T15:04:05.999999999Z0700",
	"2006-01-02T15:04:05.999999999",
	"2006-01-02T15:04Z07:00",
	"2006-01-02 15:04:05.999999999Z07:00",
	"2006-01-02 15:04:05.999999999 Z07:00",
	"2006-01-02 15:04:05.999999999 -0700",
	"2006-01-02 15:04:05.999999999 -0700 MST",
	"2006-01-02 15:04:05.999999999 MST",
	"2006-01-02 15:04:05.999999999",
	"2006-01-02 15:04 MST",
	"20060102T150405Z",
}

// parseInstant reads a date and time. One without a zone is UTC; a zone name
// other than UTC and GMT is refused, since Go would make its offset up.
func parseInstant(s string) (time.Time, bool) {
	if len(s) < 12 || digits(s) < 4 && (s[0] < 'A' || s[0] > 'z') {
		return time.Time{}, false
	}
	for _, form := range instantForms {
		at, err := time.Parse(form, s)
		if err != nil {
			continue
		}
		if name, offset := at.Zone(); strings.Contains(form, "MST") && !strings.Contains(form, "0700") &&
			offset == 0 && name != "UTC" && name != "GMT" {
			return time.Time{}, false
		}
		return at, true
	}
	return time.Time{}, false
}
