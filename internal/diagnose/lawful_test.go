package diagnose_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/observation"
)

func holdsInvariants(t *testing.T, e *toolgatev1.ToolError, verdict interceptors.Verdict) {
	t.Helper()
	switch {
	case e.GetErrorClass() < 1 || e.GetErrorClass() > 3:
		t.Errorf("class %v", e.GetErrorClass())
	case e.GetCode() == "" || e.GetMessage() == "" && len(e.GetViolations()) == 0 && !strings.Contains(e.String(), "[") && e.GetCode() == "":
		t.Errorf("no code: %v", e)
	case e.RetryAfter != nil && (e.GetErrorClass() != interceptors.Transient || math.IsNaN(*e.RetryAfter) || *e.RetryAfter <= 0 || *e.RetryAfter > 366*86400):
		t.Errorf("retry_after %v on %v", *e.RetryAfter, e.GetErrorClass())
	case e.GetErrorClass() == interceptors.InvalidRequest && len(e.GetViolations()) == 0:
		t.Errorf("nothing named: %v", e)
	case e.GetUnblockWith() != "" && e.GetBlockedBy() == "":
		t.Errorf("unblock_with alone: %v", e)
	case e.GetClassifiedBy() == 0:
		t.Errorf("nobody decided: %v", e)
	case verdict.Executed == interceptors.ExecutedUnknown:
		t.Error("executed is not settled")
	case verdict.Hinted != (e.RetryAfter != nil):
		t.Errorf("hinted %v, retry_after %v", verdict.Hinted, e.RetryAfter)
	case strings.Contains(e.String(), secret):
		t.Errorf("the secret came out: %v", e)
	}
	observation.Finish("tool", e)
	first := e.GetObservation()
	observation.Finish("tool", e)
	if len(first) > 1024 || first != e.GetObservation() || !json.Valid([]byte(first)) {
		t.Errorf("the observation is not stable or too long: %s, then %s", first, e.GetObservation())
	}
}
