package breaker_test

import (
	"context"
	"fmt"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/interceptors/breaker"
)

func Example() {
	attempts := 0
	down := func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
		attempts++
		return &interceptors.Outcome{
			Error:   &toolgatev1.ToolError{ErrorClass: interceptors.Transient, Code: "unavailable"},
			Verdict: interceptors.Verdict{Health: interceptors.HealthToolDown},
		}, nil
	}
	room := breaker.New()
	chain := interceptors.Chain(down, room.Interceptor())

	tool := &interceptors.Tool{Name: "list_invoices", Upstream: "billing", Policy: interceptors.DefaultPolicy()}
	var last *interceptors.Outcome
	for range 20 {
		last, _ = chain(context.Background(), &interceptors.Call{Tool: tool})
	}
	fmt.Println(attempts, "attempts of 20 calls, then", last.Error.GetCode())
	// Output: 5 attempts of 20 calls, then circuit_open
}
