package retry_test

import (
	"context"
	"fmt"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/interceptors/retry"
)

func Example() {
	attempts := 0
	flaky := func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
		if attempts++; attempts < 3 {
			return &interceptors.Outcome{Error: &toolgatev1.ToolError{ErrorClass: interceptors.Transient, Code: "unavailable"}}, nil
		}
		return &interceptors.Outcome{Result: &toolgatev1.ToolResult{StructuredJson: "[]"}}, nil
	}
	chain := interceptors.Chain(flaky, retry.New(nil).Interceptor())

	policy := interceptors.DefaultPolicy()
	policy.Backoff = time.Millisecond
	outcome, _ := chain(context.Background(), &interceptors.Call{
		Tool:     &interceptors.Tool{Name: "list_invoices", Upstream: "billing", Policy: policy},
		Progress: func(*toolgatev1.CallProgress) {},
	})
	fmt.Println(outcome.Result.GetStructuredJson(), "after", outcome.Result.GetAttempts(), "attempts")
	// Output: [] after 3 attempts
}
