package admit_test

import (
	"context"
	"testing"

	"toolgate.dev/toolgate/interceptors/admit"
)

func BenchmarkACallEnters(b *testing.B) {
	room := admit.New(0).Unary()
	handler := func(context.Context, any) (any, error) { return nil, nil }
	b.ReportAllocs()
	for b.Loop() {
		_, _ = room(b.Context(), nil, unary, handler)
	}
}
