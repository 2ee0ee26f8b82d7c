package breaker

import (
	"context"
	"testing"
)

func BenchmarkAClosedCircuitAndAnOpenGate(b *testing.B) {
	room, call := New(), newCall("u", "t")
	next := answering(result())
	b.ReportAllocs()
	for b.Loop() {
		_, _ = room.handle(context.Background(), call, next)
	}
}
