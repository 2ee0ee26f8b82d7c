package expression_test

import (
	"testing"

	"google.golang.org/protobuf/proto"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/expression"
)

func found(json string) *interceptors.Outcome {
	return &interceptors.Outcome{Result: &toolgatev1.ToolResult{StructuredJson: json}}
}

func failedWith(class toolgatev1.ErrorClass, code string, by toolgatev1.ClassifiedBy) *interceptors.Outcome {
	return &interceptors.Outcome{Error: &toolgatev1.ToolError{ErrorClass: class, Code: code, ClassifiedBy: by, UpstreamStatus: 404}}
}

func TestAnUnknownOutcomeIsSettledByWhatTheVerifyingCallSaw(t *testing.T) {
	v, err := compiler(t).Verification("pay", &catalogv1.Verification{
		Tool:        "list_payments",
		NotExecuted: `error == null ? !result.data.exists(p, p.reference == unknown.reference) && arguments.since == "today" : error.code == "no_such_customer" && error.upstream_status == 404 && error.class == "terminal"`,
		Executed:    `error == null && result.data.exists(p, p.reference == unknown.reference)`,
	})
	if err != nil {
		t.Fatal(err)
	}
	cut := found(`{"data":[]}`)
	cut.Result.Truncated = true
	page := found(`{"data":[]}`)
	page.Result.Matched = proto.Uint64(40)
	rule := toolgatev1.ClassifiedBy_CLASSIFIED_BY_RULE
	for name, c := range map[string]struct {
		outcome   *interceptors.Outcome
		arguments string
		want      interceptors.Settlement
	}{
		"it is there":                {found(`{"data":[{"reference":9007199254740993}]}`), `{"since":"today"}`, interceptors.DidExecute},
		"another one is there":       {found(`{"data":[{"reference":9007199254740992}]}`), `{"since":"today"}`, interceptors.DidNotExecute},
		"other arguments":            {found(`{"data":[]}`), `{"since":"monday"}`, interceptors.StillUnknown},
		"the answer was cut":         {cut, `{"since":"today"}`, interceptors.StillUnknown},
		"only a page":                {page, `{"since":"today"}`, interceptors.StillUnknown},
		"the error tells":            {failedWith(interceptors.Terminal, "no_such_customer", rule), `{}`, interceptors.DidNotExecute},
		"another error":              {failedWith(interceptors.Terminal, "forbidden", rule), `{}`, interceptors.StillUnknown},
		"the moment was wrong":       {failedWith(interceptors.Transient, "no_such_customer", rule), `{}`, interceptors.StillUnknown},
		"the gateway refused":        {failedWith(interceptors.Terminal, "no_such_customer", toolgatev1.ClassifiedBy_CLASSIFIED_BY_GATEWAY), `{}`, interceptors.StillUnknown},
		"an answer of another shape": {found(`"nothing"`), `{"since":"today"}`, interceptors.StillUnknown},
		"no outcome":                 {&interceptors.Outcome{}, `{}`, interceptors.StillUnknown},
	} {
		if got := v.Settle(c.outcome, []byte(c.arguments), []byte(`{"reference":9007199254740993}`)); got != c.want {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}

func TestContradictionAndSilenceSettleNothing(t *testing.T) {
	for name, written := range map[string]*catalogv1.Verification{
		"both": {NotExecuted: "true", Executed: "true"}, "neither": {NotExecuted: "false", Executed: "false"}, "none": {},
	} {
		v, err := compiler(t).Verification("pay", written)
		if err != nil {
			t.Fatal(err)
		}
		if got := v.Settle(found(`{}`), nil, nil); got != interceptors.StillUnknown {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

func TestAVerificationIsCheckedWhenItLoads(t *testing.T) {
	_, err := compiler(t).Verification("pay", &catalogv1.Verification{NotExecuted: "result.", Executed: "1"})
	if faults, ok := err.(expression.Faults); !ok || len(faults) != 2 || faults[1].Path != "executed" {
		t.Errorf("got %v", err)
	}
}
