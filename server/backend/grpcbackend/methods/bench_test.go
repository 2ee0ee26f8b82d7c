package methods

import "testing"

const order = `{"request_id":"r-1","order":{"items":[{"sku":"a","quantity":3},{"sku":"b","quantity":1}],"labels":{"team":"blue"},` +
	`"created_at":"2026-03-14T09:30:00Z","status":"STATUS_PAID"},"card":"4000"}`

func BenchmarkEncode(b *testing.B) {
	m := shop(b, "PlaceOrder")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := m.Encode([]byte(order), "", ""); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRender(b *testing.B) {
	m := shop(b, "Upload") // takes and answers an order
	answer, err := m.Encode([]byte(`{"items":[{"sku":"a","quantity":3},{"sku":"b","quantity":1}],"labels":{"team":"blue"},"created_at":"2026-03-14T09:30:00Z"}`), "", "")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := m.Render(nil, answer, 1<<20); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSchema(b *testing.B) {
	m := shop(b, "Everything")
	b.ReportAllocs()
	for b.Loop() {
		_ = m.Schema()
	}
}
