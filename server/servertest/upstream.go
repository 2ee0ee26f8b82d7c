package servertest

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"toolgate.dev/toolgate/internal/pipetest"
)

// Step is what the upstream does with one request.
type Step func(w http.ResponseWriter, r *http.Request)

// Upstream is a real HTTP server that misbehaves on purpose. Requests take the
// steps of a script in turn; the last step repeats. It is safe for concurrent
// use.
type Upstream struct {
	URL      string
	listener *pipetest.Listener

	mu     sync.Mutex // guards the rest
	script []Step
	seen   []Request
}

// Request is one request that reached the upstream.
type Request struct {
	Method, Path, Query, Body string
	Header                    http.Header
	At                        time.Time
}

// NewUpstream starts an upstream in memory; its connections work within a
// synctest bubble. Dial reaches it.
func NewUpstream(t testing.TB, script ...Step) *Upstream {
	t.Helper()
	u := &Upstream{URL: "http://upstream.test", listener: pipetest.Listen(), script: script}
	server := &http.Server{Handler: u, ReadHeaderTimeout: time.Hour, Protocols: &http.Protocols{}}
	server.Protocols.SetHTTP1(true)
	server.Protocols.SetUnencryptedHTTP2(true) // for those who know beforehand
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(u.listener)
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-done
	})
	return u
}

// Dial connects to the upstream, whatever the address.
func (u *Upstream) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	return u.listener.DialContext(ctx)
}

// Script replaces what the upstream does from now on.
func (u *Upstream) Script(script ...Step) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.script = script
}

// Requests returns what reached the upstream so far.
func (u *Upstream) Requests() []Request {
	u.mu.Lock()
	defer u.mu.Unlock()
	return append([]Request(nil), u.seen...)
}

// Count returns how many requests reached the upstream so far.
func (u *Upstream) Count() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.seen)
}

// ServeHTTP takes the next step.
func (u *Upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	u.mu.Lock()
	u.seen = append(u.seen, Request{
		Method: r.Method, Path: r.URL.EscapedPath(), Query: r.URL.RawQuery, Body: string(body), Header: r.Header.Clone(), At: time.Now(),
	})
	step := Respond(http.StatusOK, "{}")
	if len(u.script) > 0 {
		step = u.script[0]
	}
	if len(u.script) > 1 {
		u.script = u.script[1:]
	}
	u.mu.Unlock()
	step(w, r)
}

// Respond answers with JSON.
func Respond(status int, body string, headers ...string) Step {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// Hang never answers: it holds the request until its client is gone.
func Hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

// After waits before the step.
func After(wait time.Duration, step Step) Step {
	return func(w http.ResponseWriter, r *http.Request) {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
			step(w, r)
		case <-r.Context().Done():
		}
	}
}

// Reset closes the connection after the request was read, without a word.
func Reset(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

// CutBody promises more than it sends.
func CutBody(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", "1000")
	_, _ = io.WriteString(w, `{"data":[1,2,`)
}

// Barrier holds its requests until n are there, then all take the step.
func Barrier(n int, step Step) Step {
	var mu sync.Mutex
	waiting, open := 0, make(chan struct{})
	return func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		waiting++
		if waiting == n {
			close(open)
		}
		mu.Unlock()
		select {
		case <-open:
			step(w, r)
		case <-r.Context().Done():
		}
	}
}
