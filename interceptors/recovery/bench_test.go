package recovery_test

import (
	"context"
	"testing"

	"toolgate.dev/toolgate/interceptors/recovery"
)

func BenchmarkNothingPanics(b *testing.B) {
	room := recovery.New(func(context.Context, any, []byte) {}).Unary()
	handler := func(context.Context, any) (any, error) { return nil, nil }
	b.ReportAllocs()
	for b.Loop() {
		_, _ = room(b.Context(), nil, nil, handler)
	}
}
