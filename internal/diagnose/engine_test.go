package diagnose_test

import (
	"strings"
	"testing"

	"toolgate.dev/toolgate/internal/diagnose"
)

func TestTheTrailShowsEveryRung(t *testing.T) {
	var trail diagnose.Trail
	engine(t).Diagnose(diagnose.Input{Tool: toolOf(reads), Reply: answered(409, `{"code":"lock_timeout","message":"m"}`), Trail: &trail})
	var rungs []string
	decided := ""
	for _, step := range trail.Steps {
		rungs = append(rungs, step.Rung)
		if step.Decided {
			decided += step.Rung
		}
	}
	if got := strings.Join(rungs, " "); got != "upstream rules verdict_header provider envelope hint status" || decided != "envelope" {
		t.Errorf("rungs %s, decided by %s", got, decided)
	}
}

func TestOnlyKnownCodesLabelMetrics(t *testing.T) {
	e := engine(t)
	for code, want := range map[string]bool{"circuit_open": true, "not_found": true, "card_declined": true, "ThrottlingException": true, "RESOURCE_EXHAUSTED": true, "": false, "cus_8812": false, "x": false} {
		if e.KnownCode(code) != want {
			t.Errorf("%q: known %v", code, !want)
		}
	}
}

func TestASuccessCostsNoAllocation(t *testing.T) {
	e := engine(t)
	in := httpInput("api.example.com", 200, "application/json", `{"data":[{"id":"inv_1","total":"12.50"}],"has_more":false}`)
	if n := testing.AllocsPerRun(100, func() { e.Diagnose(in) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestAbsurdWaitsAreCounted(t *testing.T) {
	e := engine(t)
	reply := answered(503, "")
	reply.Header = map[string][]string{"Retry-After": {"-5"}}
	got, verdict := e.Diagnose(diagnose.Input{Tool: toolOf(reads), Reply: reply})
	if got.RetryAfter != nil || verdict.Hinted || e.IgnoredWaits() != 1 {
		t.Errorf("retry_after %v, ignored %d", got.RetryAfter, e.IgnoredWaits())
	}
}
