package diagnose

import (
	"math"
	"testing"
	"time"
)

var noon = time.Date(2026, 2, 2, 12, 0, 0, 0, time.UTC)

func TestWaitsAreReadInEveryForm(t *testing.T) {
	for _, c := range []struct {
		text string
		unit waitUnit
		want float64
	}{
		{"30", unitAuto, 30},
		{" 30 ", unitAuto, 30},
		{`"30"`, unitAuto, 30},
		{"0.25", unitAuto, 0.25},
		{"1e2", unitAuto, 100},
		{"0", unitAuto, 0},
		{"2500", unitMillis, 2.5},
		{"2", unitMinutes, 120},
		{"1770033630", unitAuto, 30},     // epoch seconds
		{"1770033630.5", unitAuto, 30.5}, // with a fraction
		{"1770033630000", unitAuto, 30},  // epoch milliseconds
		{"1770033630", unitEpoch, 30},
		{"1770033630000", unitEpoch, 30}, // milliseconds whatever the unit says
		{"1770033630000", unitEpochMillis, 30},
		{"Mon, 02 Feb 2026 12:00:30 GMT", unitAuto, 30},
		{"Mon, 2 Feb 2026 12:00:30 GMT", unitAuto, 30},
		{"Monday, 02-Feb-26 12:00:30 GMT", unitAuto, 30},
		{"Mon Feb  2 12:00:30 2026", unitAuto, 30},
		{"2026-02-02T12:00:30Z", unitAuto, 30},
		{"2026-02-02T12:00:30.250Z", unitAuto, 30.25},
		{"2026-02-02T14:00:30+02:00", unitAuto, 30},
		{"2026-02-02T12:00:30", unitAuto, 30},
		{"2026-02-02 12:00:30 UTC", unitAuto, 30},
		{"2026-02-02 12:00:30", unitInstant, 30},
		{"6m0s", unitAuto, 360},
		{"1h30m", unitAuto, 5400},
		{"20ms", unitAuto, 0.02},
		{"9.816s", unitAuto, 9.816},
		{"36.429760048s", unitDuration, 36.429760048},
		{"20 seconds", unitAuto, 20},
		{"1 minute and 5 seconds", unitAuto, 65},
		{"2 hours, 3 minutes", unitAuto, 7380},
		{"1d", unitAuto, 86400},
		{"PT30S", unitAuto, 30},
		{"PT1H5M", unitAuto, 3900},
		{"P1DT1S", unitAuto, 86401},
		{"00:01:30", unitAuto, 90},
	} {
		t.Run(c.text, func(t *testing.T) {
			got := parseWait(c.text, c.unit, noon)
			if got.kind != goodWait || math.Abs(got.seconds-c.want) > 1e-6 {
				t.Errorf("got %+v, want %v s", got, c.want)
			}
		})
	}
}

func TestAbsurdWaitsAreSeenAsSuch(t *testing.T) {
	for _, text := range []string{"-1", "-0.5", "1e12", "1e300", "NaN", "Inf", "-Infinity", "99999999", "Mon, 02 Feb 2026 11:00:00 GMT", "1970-01-01T00:00:00Z", "9999999999999999"} {
		if got := parseWait(text, unitAuto, noon); got.kind != absurdWait {
			t.Errorf("%s: got %+v, want absurd", text, got)
		}
	}
}

func TestWhatIsNoWaitIsNone(t *testing.T) {
	for _, text := range []string{"", "soon", "30 apples", "2026-13-45T00:00:00Z", "later today", "1.2.3", "s", "PT", "P", "--5", "12:30", "Mon, 02 Feb 2026 12:00:30 PST"} {
		if got := parseWait(text, unitAuto, noon); got.kind != noWait {
			t.Errorf("%s: got %+v, want none", text, got)
		}
	}
}

func TestInstantsNeedAMoment(t *testing.T) {
	if got := parseWait("2026-02-02T12:00:30Z", unitAuto, time.Time{}); got.kind != noWait {
		t.Errorf("got %+v without a clock", got)
	}
}

func TestWaitsAreRoundedUp(t *testing.T) {
	for in, want := range map[float64]float64{0: 0, 0.25: 0.25, 9.8161: 9.817, 9.9999: 10, 10.2: 11, 577.3751831: 578, 5.083: 5.083} {
		if got := roundUp(in); got != want {
			t.Errorf("%v: got %v, want %v", in, got, want)
		}
	}
}

func FuzzWaits(f *testing.F) {
	for _, seed := range []string{"30", "6m0s", "PT1H", "1e9", "-1", "Mon, 02 Feb 2026 12:00:30 GMT", "2026-02-02T12:00:30Z", "1 hour and 3 minutes", "00:00:01", "١٢"} {
		f.Add(seed, uint8(0))
	}
	f.Fuzz(func(t *testing.T, text string, unit uint8) {
		got := parseWait(text, waitUnit(unit%8), noon)
		if got.kind == goodWait && (math.IsNaN(got.seconds) || got.seconds < 0 || got.seconds > maxWait) {
			t.Errorf("%q gives %v", text, got.seconds)
		}
		if up := roundUp(got.seconds); got.kind == goodWait && up < got.seconds-1e-6 {
			t.Errorf("%v was rounded down to %v", got.seconds, up)
		}
	})
}
