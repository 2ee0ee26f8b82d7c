package limits_test

import (
	"context"
	"fmt"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/interceptors/limits"
)

func Example() {
	answer := func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
		return &interceptors.Outcome{Result: &toolgatev1.ToolResult{}}, nil
	}
	chain := interceptors.Chain(answer, limits.New(nil).Interceptor())

	policy := interceptors.DefaultPolicy()
	policy.MaxArgumentsBytes = 8
	call := &interceptors.Call{
		Run:  interceptors.RunKey{Principal: interceptors.Anonymous, ID: "run-1"},
		Tool: &interceptors.Tool{Name: "list_invoices", Policy: policy},
		Text: `{"start_date":"2026-03-14"}`,
	}
	outcome, _ := chain(context.Background(), call)
	fmt.Println(outcome.Error.GetCode(), "-", outcome.Error.GetViolations()[0].GetRange())
	// Output: arguments_too_large - at most 8 bytes
}
