package httpbackend_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend/httpbackend"
)

// closing tells when a connection is closed by its dialler.
type closing struct {
	net.Conn
	closed chan<- struct{}
}

func (c closing) Close() error {
	c.closed <- struct{}{}
	return c.Conn.Close()
}

func TestAPoolForgetsTheConnectionsThatNobodyUses(t *testing.T) {
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") }))
	defer up.Close()
	closed, opened := make(chan struct{}, 8), 0
	pool := httpbackend.NewPool(httpbackend.WithDial(func(ctx context.Context, network, address string) (net.Conn, error) {
		opened++
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		return closing{conn, closed}, err
	}))
	defer pool.Close()
	backend := func(upstream string) *httpbackend.Backend {
		b, err := httpbackend.New(pool, httpbackend.Spec{Upstream: upstream, Call: &catalogv1.HttpCall{Method: "GET", Url: up.URL}, MaxResultBytes: 1 << 10})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	kept, gone := backend("kept"), backend("gone")
	call := &interceptors.Call{Tool: &interceptors.Tool{}}
	for _, b := range []*httpbackend.Backend{kept, gone} {
		if reply := b.Attempt(t.Context(), call); reply.Status != http.StatusOK {
			t.Fatalf("got %+v", reply)
		}
	}
	pool.Retain([]*httpbackend.Backend{kept})
	<-closed
	kept.Attempt(t.Context(), call)
	backend("kept").Attempt(t.Context(), call)
	if opened != 2 || len(closed) != 0 {
		t.Errorf("%d connections were opened and %d more closed: the kept one was not used again", opened, len(closed))
	}
	gone.Attempt(t.Context(), call) // a call that still runs
	backend("gone").Attempt(t.Context(), call)
	if opened != 4 {
		t.Errorf("%d connections were opened, want one more of the retired and one of the new transport", opened)
	}
}
