package once_test

import (
	"context"
	"strconv"
	"testing"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/interceptors/once"
	"toolgate.dev/toolgate/internal/ledger/memory"
)

func BenchmarkRoom(b *testing.B) {
	answer := result("{}")
	chain := interceptors.Chain(func(context.Context, *interceptors.Call) (*interceptors.Outcome, error) {
		return answer, nil
	}, once.New(memory.New()).Interceptor())
	for _, kind := range []string{"without an id", "with an id"} {
		b.Run(kind, func(b *testing.B) {
			call := callOf(read, "", `{"start_date":"2026-03-14"}`)
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				if kind == "with an id" {
					call.ID = strconv.Itoa(n)
				}
				_, _ = chain(b.Context(), call)
			}
		})
	}
}
