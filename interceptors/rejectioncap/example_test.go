package rejectioncap_test

import (
	"context"
	"fmt"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/interceptors/rejectioncap"
	"toolgate.dev/toolgate/internal/ledger/memory"
)

func Example() {
	ctx, ledger := context.Background(), memory.New()
	notFound := func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
		return &interceptors.Outcome{Error: &toolgatev1.ToolError{
			ErrorClass: interceptors.InvalidRequest, Code: "not_found", Violations: []*toolgatev1.Violation{{Field: "id"}},
		}}, nil
	}
	chain := interceptors.Chain(notFound, rejectioncap.New(ledger, nil, nil).Interceptor())

	tool := &interceptors.Tool{Name: "get_issue", Policy: interceptors.DefaultPolicy()}
	run := interceptors.RunKey{Principal: interceptors.Anonymous, ID: "run-1"}
	for id := range 4 {
		snapshot, _ := ledger.Snapshot(ctx, run)
		outcome, _ := chain(ctx, &interceptors.Call{
			Run: run, Tool: tool, Text: fmt.Sprintf(`{"id":%d}`, id), Snapshot: snapshot,
		})
		fmt.Println(outcome.Error.GetErrorClass(), outcome.Error.GetCode(), outcome.Error.GetRejectionsInRun())
	}
	// Output:
	// ERROR_CLASS_INVALID_REQUEST not_found 1
	// ERROR_CLASS_INVALID_REQUEST not_found 2
	// ERROR_CLASS_TERMINAL not_found 3
	// ERROR_CLASS_TERMINAL rejection_cap 3
}
