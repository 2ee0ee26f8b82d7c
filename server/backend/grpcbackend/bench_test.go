package grpcbackend

import (
	"testing"

	"toolgate.dev/toolgate/interceptors"
)

func BenchmarkAttempt(b *testing.B) {
	server := serveShop(b, echo)
	backend := backendFor(b, pooled(b), server.address, "Everything")
	b.ReportAllocs()
	for b.Loop() {
		if reply := attempt(b.Context(), backend, `{"text":"hello","signed":7}`); reply.Failure != interceptors.FailureNone {
			b.Fatal(reply.Cause)
		}
	}
}
