package mcpbackend_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend/mcpbackend"
)

// refusing notes when it was asked, and refuses.
type refusing struct {
	began time.Time

	mu sync.Mutex // guards at
	at []time.Duration
}

func (r *refusing) RoundTrip(*http.Request) (*http.Response, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := time.Since(r.began); !slices.Contains(r.at, now) {
		r.at = append(r.at, now)
	}
	return nil, refusal{&net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}}
}

type refusal struct{ error }

func (refusal) Failure() (interceptors.TransportFailure, bool) {
	return interceptors.FailureRefused, false
}

// inMemory asks a handler without a network.
type inMemory struct{ handler http.Handler }

func (m inMemory) RoundTrip(req *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	m.handler.ServeHTTP(w, req)
	return w.Result(), nil
}

// What some servers say to a GET that they don't offer, others say of a session that
// is gone.
func TestASessionWithoutAStreamOfItsOwnIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		play := &playHTTP{hit: func() {}}
		handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				http.NotFound(w, r)
				return
			}
			play.ServeHTTP(w, r)
		})
		pool := mcpbackend.NewPool()
		defer pool.Close()
		server := pool.Server(mcpbackend.Spec{
			Upstream: "test", URL: "http://h.test/mcp",
			Connect: func() (http.RoundTripper, func()) { return inMemory{handler}, func() {} },
		})
		time.Sleep(59 * time.Minute)
		if reply := ask(t, server, "echo"); reply.Result == nil || play.count("initialize") != 1 || play.count("tools/list") != 2*6 {
			t.Errorf("%d sessions, %d pages: %+v", play.count("initialize"), play.count("tools/list"), reply)
		}
	})
}

func TestSessionsThatNeverLastAreNotSetUpWithoutPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		play := &playHTTP{hit: func() {}}
		handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			play.ServeHTTP(w, r)
			play.forget()
		})
		pool := mcpbackend.NewPool()
		defer pool.Close()
		server := pool.Server(mcpbackend.Spec{
			Upstream: "test", URL: "http://h.test/mcp",
			Connect: func() (http.RoundTripper, func()) { return inMemory{handler}, func() {} },
		})
		time.Sleep(10 * time.Minute)
		before := play.count("initialize")
		wantFailure(t, ask(t, server, "echo"), interceptors.FailureRefused, false)
		if before > 40 || play.count("initialize") > before+3 {
			t.Errorf("%d sessions, then %d", before, play.count("initialize")-before)
		}
	})
}

func TestPausesGrowWhileNobodyIsThereUnlessACallComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over := &refusing{began: time.Now()}
		pool := mcpbackend.NewPool()
		defer pool.Close()
		server := pool.Server(mcpbackend.Spec{
			Upstream: "test", URL: "http://h.test/mcp",
			Connect: func() (http.RoundTripper, func()) { return over, func() {} },
		})
		time.Sleep(200 * time.Second)
		wantFailure(t, ask(t, server, "echo"), interceptors.FailureRefused, false) // at once
		wantFailure(t, ask(t, server, "echo"), interceptors.FailureRefused, false) // by the attempt just made
		time.Sleep(500 * time.Millisecond)
		wantFailure(t, ask(t, server, "echo"), interceptors.FailureRefused, false)
		want := []time.Duration{0, 1, 3, 7, 15, 31, 63, 123, 183, 200}
		for i := range want {
			want[i] *= time.Second
		}
		over.mu.Lock()
		defer over.mu.Unlock()
		if !slices.Equal(over.at, want) {
			t.Errorf("asked at %v, want %v", over.at, want)
		}
	})
}
