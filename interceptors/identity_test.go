package interceptors_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"toolgate.dev/toolgate/interceptors"
)

func TestWhoSentARequestIsFoundOutOnce(t *testing.T) {
	nobody := errors.New("nobody")
	for name, want := range map[string]error{"ann": nil, "": nobody} {
		var asked atomic.Int32
		identify := interceptors.IdentifiedOnce(func(context.Context) (string, error) {
			asked.Add(1)
			return name, want
		})
		ask := func(ctx context.Context) {
			if principal, err := identify(ctx); principal != name || !errors.Is(err, want) {
				t.Errorf("%q, %v", principal, err)
			}
		}
		one := interceptors.WithIdentity(t.Context())
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() { ask(interceptors.WithIdentity(one)) })
		}
		all.Wait()
		if asked.Load() != 1 {
			t.Errorf("within a request: asked %d times", asked.Load())
		}
		ask(interceptors.WithIdentity(t.Context()))
		ask(t.Context())
		ask(t.Context())
		if asked.Load() != 4 {
			t.Errorf("another request, and two rpcs: asked %d times, want 4", asked.Load())
		}
	}
}
