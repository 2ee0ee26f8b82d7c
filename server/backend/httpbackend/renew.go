package httpbackend

import (
	"net/http"
	"sync/atomic"
	"time"
)

// renewAfter is how often idle connections are given up, used or not. A busy
// connection is never idle for long, and would stay with an address that DNS no
// longer names.
const renewAfter = 5 * time.Minute

// transport is http.Transport that connects anew from time to time.
type transport struct {
	*http.Transport
	start time.Time
	due   atomic.Int64 // when to renew, since start
}

func renewing(base *http.Transport) *transport {
	t := &transport{Transport: base, start: time.Now()}
	t.due.Store(int64(renewAfter))
	return t
}

// RoundTrip is http.Transport's. Requests in flight are never disturbed.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	age, due := int64(time.Since(t.start)), t.due.Load()
	if age >= due && t.due.CompareAndSwap(due, age+int64(renewAfter)) {
		t.CloseIdleConnections()
	}
	return t.Transport.RoundTrip(req)
}
