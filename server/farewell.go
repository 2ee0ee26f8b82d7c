package server

import (
	"context"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

const (
	// farewellTime is how long clients that keep their connection have to hear that
	// they should not: who sends on one that is being closed does not know whether
	// the call was made.
	farewellTime = time.Second
	farewellLook = 10 * time.Millisecond
)

// farewell ends the kept connections of HTTP/1 clients in a drain.
type farewell struct {
	leaving atomic.Bool
	open    atomic.Int64 // connections
}

// wrap says in every answer from then on that the connection ends with it.
func (f *farewell) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f.leaving.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// connection counts the connections: it is http.Server's ConnState.
func (f *farewell) connection(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		f.open.Add(1)
	case http.StateClosed, http.StateHijacked:
		f.open.Add(-1)
	case http.StateActive, http.StateIdle:
	}
}

// say has every client told, as far as they ask for something in that time.
func (f *farewell) say(ctx context.Context) {
	f.leaving.Store(true)
	ctx, cancel := context.WithTimeout(ctx, farewellTime)
	defer cancel()
	look := time.NewTicker(farewellLook)
	defer look.Stop()
	for f.open.Load() > 0 {
		select {
		case <-look.C:
		case <-ctx.Done():
			return
		}
	}
}
