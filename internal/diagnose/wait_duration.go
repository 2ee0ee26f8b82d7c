package diagnose

import (
	"strconv"
	"strings"
)

// durationUnits are the words for units, in seconds.
var durationUnits = map[string]float64{
	"ns": 1e-9, "us": 1e-6, "µs": 1e-6,
	"ms": 1e-3, "msec": 1e-3, "msecs": 1e-3, "millis": 1e-3, "millisecond": 1e-3, "milliseconds": 1e-3,
	"s": 1, "sec": 1, "secs": 1, "second": 1, "seconds": 1,
	"m": 60, "min": 60, "mins": 60, "minute": 60, "minutes": 60,
	"h": 3600, "hr": 3600, "hrs": 3600, "hour": 3600, "hours": 3600,
	"d": 86400, "day": 86400, "days": 86400,
	"w": 604800, "week": 604800, "weeks": 604800,
}

// parseDuration reads `6m0s`, `1h 30m`, `20 seconds`, `1 minute and 5 seconds`,
// `PT30S` and `00:01:30` into seconds.
func parseDuration(s string) (float64, bool) {
	s = strings.ToLower(strings.TrimRight(strings.TrimSpace(s), "."))
	if strings.HasPrefix(s, "p") {
		return isoDuration(s[1:])
	}
	if strings.Count(s, ":") == 2 {
		return clockDuration(s)
	}
	total, any := 0.0, false
	for s = strings.TrimSpace(s); s != ""; {
		n := numberPrefix(s)
		if n == 0 {
			return 0, false
		}
		value, err := strconv.ParseFloat(s[:n], 64)
		if err != nil {
			return 0, false
		}
		s = strings.TrimLeft(s[n:], " ")
		word := s[:letters(s)]
		unit, known := durationUnits[word]
		if !known {
			return 0, false
		}
		total, any = total+value*unit, true
		s = strings.TrimLeft(strings.TrimPrefix(strings.TrimLeft(s[len(word):], " ,"), "and "), " ,")
	}
	return total, any
}

func numberPrefix(s string) int {
	n := 0
	for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] == '.') {
		n++
	}
	return n
}

func letters(s string) int {
	n := 0
	for n < len(s) && (s[n] >= 'a' && s[n] <= 'z' || s[n] >= 0x80) {
		n++
	}
	return n
}

// isoDuration reads what follows the P of an ISO 8601 duration.
func isoDuration(s string) (float64, bool) {
	days, clock, timed := strings.Cut(s, "t")
	total, any := 0.0, false
	for _, part := range [...]struct {
		text  string
		units string
		sizes []float64
	}{{days, "wd", []float64{604800, 86400}}, {clock, "hms", []float64{3600, 60, 1}}} {
		for rest := part.text; rest != ""; {
			n := numberPrefix(rest)
			if n == 0 || n >= len(rest) {
				return 0, false
			}
			value, err := strconv.ParseFloat(rest[:n], 64)
			unit := strings.IndexByte(part.units, rest[n])
			if err != nil || unit < 0 {
				return 0, false
			}
			total, any = total+value*part.sizes[unit], true
			rest = rest[n+1:]
		}
	}
	return total, any && (!timed || clock != "")
}

// clockDuration reads hours:minutes:seconds.
func clockDuration(s string) (float64, bool) {
	total := 0.0
	for part := range strings.SplitSeq(s, ":") {
		if numberPrefix(part) != len(part) || part == "" {
			return 0, false
		}
		v, err := strconv.ParseFloat(part, 64)
		if err != nil {
			return 0, false
		}
		total = total*60 + v
	}
	return total, true
}
