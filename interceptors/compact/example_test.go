package compact_test

import (
	"context"
	"fmt"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/interceptors/compact"
)

func Example() {
	tool := &interceptors.Tool{Name: "transfer_funds", Diagnosis: interceptors.DiagnosisHint{Secrets: []string{"key-4f9c2d71e8"}}}
	answer := func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
		outcome := interceptors.RefuseTerminal("insufficient_funds", "Balance 42.10 below requested 150.00")
		outcome.Error.FactsJson = `{"balance": 42.10, "requested": 150.00, "seen": "key-4f9c2d71e8"}`
		return outcome, nil
	}
	chain := interceptors.Chain(answer, compact.New().Interceptor())

	outcome, _ := chain(context.Background(), &interceptors.Call{Tool: tool})
	fmt.Println(outcome.Error.GetObservation())
	// Output:
	// {"error":"insufficient_funds","class":"terminal","retryable":false,"message":"Balance 42.10 below requested 150.00","facts":{"balance":42.10,"requested":150.00,"seen":"[secret]"}}
}
