package catalog_test

import (
	"context"
	"encoding/json"
	"fmt"

	"toolgate.dev/toolgate/server/catalog"
)

func ExampleParse() {
	const file = `
upstreams:
  crm: {url: "https://crm.example.com/v1"}
tools:
  - name: get_customer
    upstream: crm
    http: {method: GET, url: "/customers/{id}"}
    input_schema: {type: object, properties: {id: {type: string}}, required: [id]}
  - name: now
    function: {}
    effect: read
`
	now := func(context.Context, json.RawMessage) (any, error) { return "noon", nil }
	tools, err := catalog.Parse("catalog.yaml", []byte(file), catalog.WithFunction("now", now))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer tools.Close()
	for _, tool := range tools.Tools() {
		fmt.Println(tool.Name, tool.Upstream, tool.Effect)
	}
	// Output:
	// get_customer crm EFFECT_READ
	// now function/now EFFECT_READ
}

func ExampleProblems() {
	_, err := catalog.Parse("catalog.yaml", []byte(`tools:
  - name: get_customer
    http: {method: GET, url: "https://crm.example.com/customers/{idd}"}
    efect: read
    input_schema: {type: object, properties: {id: {type: string}}}
`))
	fmt.Println(err)
	// Output:
	// catalog.yaml:3:30: tools[0].http.url: {idd} is no argument of the tool; accepted: id
	// catalog.yaml:4:5: tools[0]: unknown key "efect"; did you mean effect? accepted: name, description, upstream, input_schema, effect, http, function, grpc, mcp, provider, idempotency_key, verify_with, errors, alternatives, fallbacks, narrow, poll, result, policy
}
