package authenticate_test

import (
	"context"
	"testing"

	"toolgate.dev/toolgate/interceptors/authenticate"
)

func BenchmarkACallerIsKnown(b *testing.B) {
	room := authenticate.New(authenticate.Nobody).Unary()
	handler := func(context.Context, any) (any, error) { return nil, nil }
	b.ReportAllocs()
	for b.Loop() {
		_, _ = room(b.Context(), nil, nil, handler)
	}
}
