package httpbackend_test

import (
	"context"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend/httpbackend"
	"toolgate.dev/toolgate/server/servertest"
)

func TestABusyUpstreamIsFoundAtItsNewAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		former, latter := servertest.NewUpstream(t), servertest.NewUpstream(t)
		named := former
		pool := httpbackend.NewPool(httpbackend.WithDial(func(ctx context.Context, network, address string) (net.Conn, error) {
			return named.Dial(ctx, network, address)
		}))
		t.Cleanup(pool.Close)
		backend, err := httpbackend.New(pool, httpbackend.Spec{
			Upstream: "u", Call: &catalogv1.HttpCall{Method: "GET", Url: "http://upstream.test/"}, MaxResultBytes: 1 << 10,
		})
		if err != nil {
			t.Fatal(err)
		}
		call := func() {
			if reply := backend.Attempt(t.Context(), &interceptors.Call{Tool: &interceptors.Tool{}}); reply.Status != http.StatusOK {
				t.Fatalf("got %+v", reply)
			}
		}
		call()
		named = latter // DNS changes; the former address still answers
		for range 60 {
			time.Sleep(10 * time.Second)
			call()
		}
		if former.Count() > 31 || latter.Count() < 29 {
			t.Errorf("of 61 calls in ten minutes %d went to the former address, %d to the latter", former.Count(), latter.Count())
		}
	})
}
