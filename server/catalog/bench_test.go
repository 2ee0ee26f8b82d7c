package catalog_test

import (
	"fmt"
	"strings"
	"testing"

	"toolgate.dev/toolgate/server/catalog"
)

// BenchmarkParse500Tools is what a reload costs.
func BenchmarkParse500Tools(b *testing.B) {
	var text strings.Builder
	text.WriteString("upstreams: {crm: {url: 'https://crm.example.com/v1'}}\ntools:\n")
	for i := range 500 {
		fmt.Fprintf(&text, `  - name: tool_%d
    upstream: crm
    http: {method: POST, url: "/things/{id}/%d"}
    input_schema: {type: object, properties: {id: {type: string}, amount: {type: number, minimum: 0}, day: {type: string, format: date}}, required: [id]}
    errors:
      - {when: 'status == 402 && body.error == "broke"', class: terminal, facts: {balance: /balance}}
      - {when: 'status == 200 && size(body.rows) == 0', class: invalid_request, field: amount}
`, i, i)
	}
	data := []byte(text.String())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := catalog.Parse("c.yaml", data); err != nil {
			b.Fatal(err)
		}
	}
}
