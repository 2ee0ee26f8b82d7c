package httpbackend

import (
	"bytes"
	"io"
	"net/http"
	"sync"

	"toolgate.dev/toolgate/interceptors"
)

// RoundTripper sends the requests of a back end that speaks a protocol of its own
// over HTTP, on the connections of an upstream: the same settings, the same care
// for what may be sent twice. It implements http.RoundTripper; every error is a
// *SendError. It is safe for concurrent use.
type RoundTripper struct {
	line    *line
	release sync.Once
}

// SendError is a request that got no answer.
type SendError struct {
	Kind interceptors.TransportFailure
	Sent bool  // bytes of the request may have left
	Err  error // the cause, which may name hosts and addresses
}

func (e *SendError) Error() string { return e.Err.Error() }
func (e *SendError) Unwrap() error { return e.Err }

// Failure tells those who don't know this package.
func (e *SendError) Failure() (kind interceptors.TransportFailure, sent bool) { return e.Kind, e.Sent }

// RoundTripper returns one for the upstream. The pool keeps its connections until
// Release.
func (p *Pool) RoundTripper(upstream string, settings Transport) *RoundTripper {
	found := p.line(upstream, settings)
	found.held.Add(1)
	return &RoundTripper{line: found}
}

// Release lets the pool forget the connections once no tool uses them; see
// Pool.Retain. The round tripper can still be used.
func (r *RoundTripper) Release() { r.release.Do(func() { r.line.held.Add(-1) }) }

// RoundTrip sends one request, once, and follows no redirect. Its body is read
// into memory before.
func (r *RoundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	f := &flight{line: r.line}
	watched := req.WithContext(f.watch(req.Context(), req.URL.Scheme, req.Body != nil))
	if req.Body != nil {
		text, err := io.ReadAll(req.Body)
		_ = req.Body.Close() // it was only read
		if err != nil {
			f.land()
			return nil, &SendError{Kind: interceptors.FailureRequest, Err: err}
		}
		watched.ContentLength = int64(len(text))
		watched.GetBody = f.body(text)
		watched.Body = io.NopCloser(bytes.NewReader(text))
	}
	resp, err := f.roundTrip(watched)
	if err != nil {
		failure := &SendError{Kind: kindOf(req.Context(), f, err), Sent: f.sent(), Err: err}
		f.land()
		return nil, failure
	}
	resp.Body = &landing{ReadCloser: resp.Body, flight: f}
	return resp, nil
}

// landing ends the watch over a request when its answer has been read.
type landing struct {
	io.ReadCloser

	flight *flight
	once   sync.Once
}

func (l *landing) Close() error {
	err := l.ReadCloser.Close()
	l.once.Do(l.flight.land)
	return err
}
