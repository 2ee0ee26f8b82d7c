package openapi_test

import (
	"fmt"

	"toolgate.dev/toolgate/internal/openapi"
)

func Example() {
	document, err := openapi.Read([]byte(`
openapi: 3.0.3
servers: [{url: https://shop.example.com/v1}]
paths:
  /orders/{id}:
    get:
      operationId: orders/get
      description: "<p>Finds <b>one</b> order.</p> <p>It may take a while.</p>"
      parameters: [{name: id, in: path, required: true, schema: {type: string}}, {name: lines, in: query, schema: {type: integer, nullable: true}}]
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := document.Describe(openapi.Settings{Prefix: "shop_"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, described := range found.Tools {
		tool := described.Tool
		fmt.Println(tool.GetName(), "-", tool.GetDescription())
		fmt.Println(tool.GetHttp().GetMethod(), document.Server()+tool.GetHttp().GetUrl())
		fmt.Println(tool.GetInputSchema())
	}
	// Output:
	// shop_orders_get - Finds one order.
	// GET https://shop.example.com/v1/orders/{id}
	// {"type":"object","properties":{"id":{"type":"string"},"lines":{"type":["integer","null"]}},"required":["id"],"additionalProperties":false}
}
