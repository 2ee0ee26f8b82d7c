package arguments

import (
	"regexp"
	"strings"
	"time"
)

// clock is a time of day with whatever stands behind it: the offset.
var clock = regexp.MustCompile(`^(\d{1,2}:\d{2})(:\d{2}(?:[.,]\d+)?)? ?([Zz]|UTC|GMT|[+-]\d{2}(?::?\d{2})?)$`)

// compactInstant is the basic form of ISO 8601.
var compactInstant = regexp.MustCompile(`^(\d{4})(\d{2})(\d{2})[Tt](\d{2})(\d{2})(\d{2})?([Zz]|[+-]\d{4})$`)

// dateAndClock parts a date-time at its T or blank.
var dateAndClock = regexp.MustCompile(`^(.*?)([Tt]|[Tt]? )(\d{1,2}:.*)$`)

// readDateTime returns the instants that a text may mean. The offset must be
// there: UTC and local time can differ by a day, so none is assumed.
func readDateTime(text string) []reading {
	if m := compactInstant.FindStringSubmatch(text); m != nil {
		instant := m[1] + "-" + m[2] + "-" + m[3] + "T" + m[4] + ":" + m[5] + ":" + orZeros(m[6]) + withColon(m[7])
		if !isDateTime([]byte(instant)) {
			return nil
		}
		return []reading{{instant, "datetime_form"}}
	}
	m := dateAndClock.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	day, separator := m[1], m[2]
	full, rule, ok := completeTime(m[3])
	if !ok {
		return nil
	}
	if len(separator) > 1 || separator == " " {
		rule = "datetime_separator"
	}
	if isDate([]byte(day)) {
		return []reading{{day + "T" + full, rule}}
	}
	all := readDate(strings.TrimSuffix(day, ","))
	for i := range all {
		all[i] = reading{all[i].text + "T" + full, "datetime_" + all[i].rule}
	}
	return all
}

// completeTime brings a time of day with an offset into the form of RFC 3339:
// two-digit hours, seconds, a point, a colon in the offset. Digits stay.
func completeTime(text string) (full, rule string, ok bool) {
	m := clock.FindStringSubmatch(text)
	if m == nil {
		return "", "", false
	}
	hours, seconds, offset := m[1], strings.Replace(m[2], ",", ".", 1), m[3]
	rule = "datetime_form"
	if len(hours) == len("9:00") {
		hours = "0" + hours
	}
	if seconds == "" {
		seconds, rule = ":00", "datetime_seconds"
	}
	if colon := withColon(offset); colon != offset {
		offset, rule = colon, "datetime_offset"
	}
	full = hours + seconds + offset
	return full, rule, isTime([]byte(full))
}

func orZeros(seconds string) string {
	if seconds == "" {
		return "00"
	}
	return seconds
}

func withColon(offset string) string {
	switch {
	case offset == "UTC" || offset == "GMT":
		return "Z"
	case len(offset) == len("+01"):
		return offset + ":00"
	case len(offset) == len("+0100"):
		return offset[:3] + ":" + offset[3:]
	}
	return offset
}

// withoutOffset returns a date-time to which nothing but the offset is missing,
// in UTC as an example; empty where the text is none.
func withoutOffset(text string) string {
	for _, zone := range readDateTime(text + "Z") {
		if _, err := time.Parse(time.RFC3339, zone.text); err == nil {
			return zone.text
		}
	}
	return ""
}
