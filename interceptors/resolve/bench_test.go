package resolve_test

import (
	"context"
	"testing"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/interceptors/resolve"
)

func BenchmarkAToolIsFound(b *testing.B) {
	tools := catalogue{"list_invoices": {Name: "list_invoices"}}
	room := resolve.New(func() resolve.Catalogue { return tools }, func(string, string) bool { return true })
	answer := &interceptors.Outcome{}
	chain := interceptors.Chain(func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
		return answer, nil
	}, room.Interceptor())
	call := &interceptors.Call{Name: "list_invoices"}
	b.ReportAllocs()
	for b.Loop() {
		_, _ = chain(b.Context(), call)
	}
}
