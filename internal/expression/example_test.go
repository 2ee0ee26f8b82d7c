package expression_test

import (
	"fmt"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/expression"
)

func ExampleCompileRules() {
	rules, err := expression.CompileRules("transfer_funds", []*catalogv1.ErrorRule{{
		When:  `status == 402 && body.error == "insufficient_funds"`,
		Class: catalogv1.Class_CLASS_TERMINAL, BlockedBy: "balance", UnblockWith: "request_deposit",
		Facts: map[string]string{"balance": "/balance", "requested": "arguments#/amount"},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	reply := &interceptors.Reply{Status: 402, Body: []byte(`{"error":"insufficient_funds","balance":42.10}`)}
	verdict := rules.Match(reply, []byte(`{"amount":150.00}`))
	fmt.Println(verdict.Class, verdict.FactsJSON, verdict.UnblockWith)
	// Output: ERROR_CLASS_TERMINAL {"balance":42.10,"requested":150.00} request_deposit
}
