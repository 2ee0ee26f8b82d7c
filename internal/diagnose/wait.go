package diagnose

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// maxWait is the longest wait that is believed: a year.
const maxWait = 366 * 24 * 3600.0

// hint is the wait that binds this call: the first that was offered wins.
type hint struct {
	seconds float64
	found   bool   // something named a time to come back
	from    string // where it stood, for people
}

// wait is one reading of one place.
type wait struct {
	seconds float64
	kind    waitKind
}

type waitKind uint8

const (
	noWait     waitKind = iota // nothing there, or nothing that can be read
	goodWait                   // seconds ≥ 0
	absurdWait                 // negative, not finite, over a year: ignored and counted
)

// offer takes w unless an earlier one stands.
func (h *hint) offer(w wait, from string) {
	if w.kind == goodWait && !h.found {
		h.seconds, h.found, h.from = w.seconds, true, from
	}
}

// waitUnit is how a wait is written.
type waitUnit uint8

const (
	unitAuto waitUnit = iota
	unitSeconds
	unitMillis
	unitMinutes
	unitEpoch
	unitEpochMillis
	unitInstant
	unitDuration
)

var waitUnits = map[string]waitUnit{
	"": unitAuto, "s": unitSeconds, "ms": unitMillis, "min": unitMinutes, "epoch_s": unitEpoch,
	"epoch_ms": unitEpochMillis, "instant": unitInstant, "duration": unitDuration,
}

// parseWait reads a wait in any form. now is the moment that instants are
// counted from; where it is zero they can't be read.
func parseWait(s string, unit waitUnit, now time.Time) wait {
	s = strings.Trim(strings.TrimSpace(s), `"'`)
	if s == "" || len(s) > 64 {
		return wait{}
	}
	if v, ok := plainNumber(s); ok {
		return numberWait(v, unit, now)
	}
	if unit == unitAuto || unit == unitInstant || unit == unitEpoch || unit == unitEpochMillis {
		if at, ok := parseInstant(s); ok {
			return untilWait(at, now)
		}
	}
	if v, ok := parseDuration(s); ok {
		return goodOrAbsurd(v)
	}
	return wait{}
}

// plainNumber reads a decimal number; NaN and infinities are numbers here, so
// that they are seen as absurd.
func plainNumber(s string) (float64, bool) {
	switch strings.ToLower(strings.TrimLeft(s, "+-")) {
	case "inf", "infinity", "nan":
		return math.NaN(), true
	}
	if strings.Trim(s, "+-.0123456789eE") != "" || digits(strings.TrimLeft(s, "+-.")) == 0 {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil && !math.IsInf(v, 0) {
		return 0, false
	}
	return v, true
}

// numberWait applies the unit, else the magnitude: nobody asks for thirty years
// in seconds, and epochs of this century have ten digits, in milliseconds
// thirteen.
func numberWait(v float64, unit waitUnit, now time.Time) wait {
	if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
		return wait{kind: absurdWait}
	}
	switch unit {
	case unitMillis:
		return goodOrAbsurd(v / 1000)
	case unitMinutes:
		return goodOrAbsurd(v * 60)
	case unitSeconds, unitDuration:
		return goodOrAbsurd(v)
	}
	millis := unit == unitEpochMillis || unit != unitEpoch && v >= 1e12 || unit == unitEpoch && v >= 1e12
	switch {
	case millis && v < 1e14:
		return untilWait(time.UnixMilli(int64(v)), now)
	case unit == unitEpoch || v >= 1e9 && v < 1e11:
		if v >= 1e11 {
			return wait{kind: absurdWait}
		}
		whole, part := math.Modf(v)
		return untilWait(time.Unix(int64(whole), int64(part*1e9)), now)
	}
	return goodOrAbsurd(v)
}

func untilWait(at, now time.Time) wait {
	if now.IsZero() {
		return wait{}
	}
	return goodOrAbsurd(math.Round(at.Sub(now).Seconds()*1e6) / 1e6)
}

func goodOrAbsurd(v float64) wait {
	if math.IsNaN(v) || v < 0 || v > maxWait {
		return wait{kind: absurdWait}
	}
	return wait{seconds: v, kind: goodWait}
}

// roundUp is how retry_after is written: up to 1 ms below 10 s, else up to
// whole seconds.
func roundUp(v float64) float64 {
	if v < 10 {
		if ms := math.Ceil(math.Round(v*1e6) / 1e3); ms < 10_000 {
			return ms / 1000
		}
	}
	return math.Ceil(math.Round(v*1e6) / 1e6)
}

// formatSeconds writes a wait for people.
func formatSeconds(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
