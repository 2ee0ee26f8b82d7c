package arguments

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// The ways in which people write dates, in ASCII digits.
var (
	yearFirst   = regexp.MustCompile(`^(\d{4})([-/.])(\d{1,2})([-/.])(\d{1,2})$`)
	yearLast    = regexp.MustCompile(`^(\d{1,2})([-/.])(\d{1,2})([-/.])(\d{4})$`)
	compactDate = regexp.MustCompile(`^(\d{4})(\d{2})(\d{2})$`)
	midnight    = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2})[Tt ]00:00(:00(\.0+)?)?$`)
	dayMonth    = regexp.MustCompile(`^(\d{1,2})(?:st|nd|rd|th)?(?:[ -]| of )([A-Za-z]{3,9})\.?,?[ -](\d{4})$`)
	monthDay    = regexp.MustCompile(`^([A-Za-z]{3,9})\.?[ -](\d{1,2})(?:st|nd|rd|th)?(?:, ?|[ -])(\d{4})$`)
	yearMonth   = regexp.MustCompile(`^(\d{4})[ -]([A-Za-z]{3,9})[ -](\d{1,2})$`)
	weekday     = regexp.MustCompile(`^([A-Za-z]{3,9})\.?,? +(.+)$`)
)

// fromMidnight is the rule for a date with a time that adds nothing to it.
const fromMidnight = "date_from_midnight"

// readDate returns every date that a text may mean, without those that don't
// exist. Years have four digits: a shorter one has no order.
func readDate(text string) []reading {
	if m := midnight.FindStringSubmatch(text); m != nil && isDate([]byte(m[1])) {
		return []reading{{m[1], fromMidnight}}
	}
	if m := yearFirst.FindStringSubmatch(text); m != nil && m[2] == m[4] {
		return dated("date_year_first", m[1], m[3], m[5])
	}
	if m := compactDate.FindStringSubmatch(text); m != nil {
		return readCompact(text, m)
	}
	if m := yearLast.FindStringSubmatch(text); m != nil && m[2] == m[4] {
		return distinct(append(dated("date_reorder", m[5], m[1], m[3]), dated("date_reorder", m[5], m[3], m[1])...))
	}
	return readMonthName(text)
}

// readCompact takes eight digits as year, month, day (ISO 8601 basic) unless
// they are a date of our time with the year last, too.
func readCompact(text string, ymd []string) []reading {
	year := number([]byte(text[4:]))
	if year >= 1900 && year <= 2100 && (len(dated("", text[4:], text[:2], text[2:4])) > 0 || len(dated("", text[4:], text[2:4], text[:2])) > 0) {
		return nil
	}
	return dated("date_year_first", ymd[1], ymd[2], ymd[3])
}

func readMonthName(text string) []reading {
	named := func(year, month, day string) []reading {
		return dated("date_month_name", year, monthNumber(month), day)
	}
	if m := dayMonth.FindStringSubmatch(text); m != nil {
		return named(m[3], m[2], m[1])
	}
	if m := monthDay.FindStringSubmatch(text); m != nil {
		return named(m[3], m[1], m[2])
	}
	if m := yearMonth.FindStringSubmatch(text); m != nil {
		return named(m[1], m[2], m[3])
	}
	if m := weekday.FindStringSubmatch(text); m != nil && dayNumber(m[1]) >= 0 {
		return onWeekday(readMonthName(m[2]), dayNumber(m[1]))
	}
	return nil
}

// onWeekday keeps the dates that fall on a day of the week: one that doesn't has
// something wrong with it.
func onWeekday(all []reading, day int) (kept []reading) {
	for _, r := range all {
		if at, err := time.Parse(time.DateOnly, r.text); err == nil && int(at.Weekday()) == day {
			kept = append(kept, r)
		}
	}
	return kept
}

// dated makes a date, or nothing where there is none.
func dated(rule, year, month, day string) []reading {
	text := fmt.Sprintf("%s-%02s-%02s", year, month, day)
	if !isDate([]byte(text)) {
		return nil
	}
	return []reading{{text, rule}}
}

// monthNumber takes English names in full and to three letters; "" otherwise.
func monthNumber(name string) string {
	for month := time.January; month <= time.December; month++ {
		if abbreviates(name, month.String()) || (month == time.September && strings.EqualFold(name, "sept")) {
			return fmt.Sprintf("%02d", month)
		}
	}
	return ""
}

func dayNumber(name string) int {
	for day := time.Sunday; day <= time.Saturday; day++ {
		if abbreviates(name, day.String()) {
			return int(day)
		}
	}
	return -1
}

func abbreviates(short, full string) bool {
	return strings.EqualFold(short, full) || strings.EqualFold(short, full[:3])
}
