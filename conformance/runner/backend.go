package runner

import (
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	conformancev1 "toolgate.dev/toolgate/gen/go/toolgate/conformance/v1"
)

// backend does what a vector says and remembers what came.
type backend struct {
	server   *http.Server
	url      string
	kill     func() // ends the gateway
	abandons chan struct{}

	mu       sync.Mutex // guards what follows
	replies  []*conformancev1.Reply
	requests []*conformancev1.Request
}

func startBackend(vector *conformancev1.Vector, kill func()) (*backend, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	b := &backend{
		url: "http://" + listener.Addr().String(), kill: kill,
		abandons: make(chan struct{}, 1), replies: slices.Clone(vector.GetBackend()),
	}
	b.server = &http.Server{Handler: b, ReadHeaderTimeout: time.Minute}
	go func() { _ = b.server.Serve(listener) }()
	return b, nil
}

func (b *backend) close() { _ = b.server.Close() }

// ServeHTTP gives the reply that is next for the request's path.
func (b *backend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	reply := b.take(r, string(body))
	left := wait(r, time.Duration(reply.GetDelay()*float64(time.Second)))
	switch {
	case left:
		b.abandoned()
	case reply.GetMishap() == conformancev1.Mishap_MISHAP_HANG:
		<-r.Context().Done()
		b.abandoned()
	case reply.GetMishap() == conformancev1.Mishap_MISHAP_RESET:
		reset(w)
	case reply.GetMishap() == conformancev1.Mishap_MISHAP_KILL_GATEWAY:
		b.kill()
	default:
		answer(w, reply)
	}
}

func answer(w http.ResponseWriter, reply *conformancev1.Reply) {
	for name, value := range reply.GetHeaders() {
		w.Header().Set(name, value)
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(max(int(reply.GetStatus()), http.StatusOK))
	_, _ = io.WriteString(w, strings.Repeat(reply.GetBody(), max(int(reply.GetRepeat()), 1)))
}

// reset cuts the connection so that the peer reads a reset, not an end.
func reset(w http.ResponseWriter) {
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		return
	}
	conn, _, err := hijacker.Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// wait tells whether the caller left meanwhile.
func wait(r *http.Request, pause time.Duration) bool {
	select {
	case <-time.After(pause):
		return false
	case <-r.Context().Done():
		return true
	}
}

func (b *backend) abandoned() {
	select {
	case b.abandons <- struct{}{}:
	default:
	}
}

// take notes a request and finds its reply: the first for its path, which stays
// where it is the last.
func (b *backend) take(r *http.Request, body string) *conformancev1.Reply {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.requests = append(b.requests, &conformancev1.Request{Method: r.Method, Target: r.URL.RequestURI(), Body: body})
	fits := func(reply *conformancev1.Reply) bool { return reply.GetPath() == "" || reply.GetPath() == r.URL.Path }
	first := slices.IndexFunc(b.replies, fits)
	if first < 0 {
		return &conformancev1.Reply{Status: http.StatusNotImplemented}
	}
	reply := b.replies[first]
	if slices.ContainsFunc(b.replies[first+1:], func(next *conformancev1.Reply) bool { return next.GetPath() == reply.GetPath() }) {
		b.replies = slices.Delete(b.replies, first, first+1)
	}
	return reply
}

func (b *backend) seen() []*conformancev1.Request {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.requests)
}
