package mcpbackend_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend/backendtest"
	"toolgate.dev/toolgate/server/backend/httpbackend"
	"toolgate.dev/toolgate/server/backend/mcpbackend"
)

func TestTheContractOfABackEndIsKeptOverHTTP(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, behaviour backendtest.Behaviour, upstream *backendtest.Upstream) interceptors.Backend {
		url := "http://" + nobody(t)
		if behaviour != backendtest.Absent {
			url = serveHTTP(t, &playHTTP{hit: upstream.Hit})
		}
		return backendOf(t, overHTTP(t, url), behaviour)
	})
}

func TestTheContractOfABackEndIsKeptByPrograms(t *testing.T) {
	backendtest.Run(t, func(t *testing.T, behaviour backendtest.Behaviour, upstream *backendtest.Upstream) interceptors.Backend {
		if behaviour == backendtest.Absent {
			return backendOf(t, mcpbackend.Spec{Upstream: "test", Program: &mcpbackend.Program{Command: "/nowhere/there"}}, behaviour)
		}
		return backendOf(t, program("play", countHits(t, upstream)), behaviour)
	})
}

// backendOf makes a back end for the play's tool of that behaviour.
func backendOf(t *testing.T, spec mcpbackend.Spec, behaviour backendtest.Behaviour) interceptors.Backend {
	tool := map[backendtest.Behaviour]string{
		backendtest.Answers: "echo", backendtest.Hangs: "hangs", backendtest.Drops: "drops", backendtest.Floods: "floods", backendtest.Absent: "echo",
	}[behaviour]
	server := pooled(t).Server(spec)
	server.Tools(t.Context()) // until it has started
	return toolOf(server, tool)
}

func toolOf(server *mcpbackend.Server, tool string) *mcpbackend.Backend {
	return mcpbackend.New(server, mcpbackend.Call{Tool: tool, MaxResultBytes: backendtest.MaxResultBytes})
}

func pooled(t *testing.T, options ...mcpbackend.PoolOption) *mcpbackend.Pool {
	pool := mcpbackend.NewPool(options...)
	t.Cleanup(pool.Close)
	return pool
}

func overHTTP(t *testing.T, url string) mcpbackend.Spec {
	connections := httpbackend.NewPool()
	t.Cleanup(connections.Close)
	return mcpbackend.Spec{
		Upstream: "test", URL: url,
		Connect: func() (http.RoundTripper, func()) {
			over := connections.RoundTripper("test", httpbackend.Transport{})
			return over, over.Release
		},
	}
}

func program(how, hits string) mcpbackend.Spec {
	return mcpbackend.Spec{Upstream: "test", Program: &mcpbackend.Program{
		Command: os.Args[0], Environment: []string{playVariable + "=" + how, hitsVariable + "=" + hits},
	}}
}

func countHits(t *testing.T, upstream *backendtest.Upstream) string {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery == "" {
			upstream.Hit()
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func serveHTTP(t *testing.T, handler http.Handler) string {
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL + "/mcp"
}

func nobody(t *testing.T) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = listener.Close()
	return listener.Addr().String()
}
