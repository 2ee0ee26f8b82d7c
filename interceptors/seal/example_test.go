package seal_test

import (
	"context"
	"fmt"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/interceptors/seal"
)

func Example() {
	finish := func(_ *interceptors.Call, o *interceptors.Outcome) *interceptors.Outcome { return o }
	report := func(_ context.Context, call *interceptors.Call, fault seal.Panic) {
		fmt.Println("log:", call.CorrelationID, fault.Value)
	}
	broken := func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
		var tools map[string]int
		tools["list_invoices"]++
		return nil, nil
	}
	chain := interceptors.Chain(broken, seal.New(finish, report).Interceptor())

	outcome, err := chain(context.Background(), &interceptors.Call{CorrelationID: "4f9c2d71"})
	fmt.Println(outcome.Error.GetCode(), outcome.Error.GetCorrelationId(), err)
	// Output:
	// log: 4f9c2d71 assignment to entry in nil map
	// internal 4f9c2d71 <nil>
}
