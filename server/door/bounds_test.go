package door_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"toolgate.dev/toolgate/internal/pipetest"
	"toolgate.dev/toolgate/server/door"
)

// serve has a handler serve within the patience, in memory.
func serve(t *testing.T, patience door.Patience, handler http.HandlerFunc) *pipetest.Listener {
	t.Helper()
	listener := pipetest.Listen()
	server := &http.Server{Handler: patience.Wrap(handler), ReadHeaderTimeout: time.Hour}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener)
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-done
	})
	return listener
}

func dial(t *testing.T, listener *pipetest.Listener, text string) net.Conn {
	t.Helper()
	conn, err := listener.DialContext(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	return conn
}

var patience = door.Patience{Body: time.Minute, Write: time.Minute}

// A body that came in time leaves no bound on the call that it asked for, and none
// on the next request of the connection.
func TestABodyThatCameInTimeLeavesNoBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listener := serve(t, patience, func(w http.ResponseWriter, r *http.Request) {
			_, err := io.ReadAll(r.Body)
			wait := time.NewTimer(10 * time.Minute)
			defer wait.Stop()
			select {
			case <-wait.C:
			case <-r.Context().Done():
				err = context.Cause(r.Context())
			}
			if err != nil {
				w.WriteHeader(http.StatusRequestTimeout)
			}
		})
		const request = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n"
		conn := dial(t, listener, request)
		answers := bufio.NewReader(conn)
		for range 2 {
			time.Sleep(50 * time.Second) // of the bubble: slow, and still in time
			_, _ = io.WriteString(conn, "{}")
			resp, err := http.ReadResponse(answers, nil)
			if err != nil || resp.StatusCode != http.StatusOK {
				t.Fatalf("%v %v", resp, err)
			}
			_ = resp.Body.Close()
			_, _ = io.WriteString(conn, request)
		}
	})
}

func TestAPeerThatTakesNothingIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failed := make(chan error, 1)
		listener := serve(t, patience, func(w http.ResponseWriter, _ *http.Request) {
			_, err := io.WriteString(w, strings.Repeat("x", 1<<20))
			failed <- err
		})
		begun := time.Now()
		dial(t, listener, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		if err := <-failed; err == nil || time.Since(begun) != time.Minute {
			t.Errorf("left after %s: %v", time.Since(begun), err)
		}
	})
}

func TestAStreamMayLastAsLongAsItIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listener := serve(t, patience, func(w http.ResponseWriter, _ *http.Request) {
			for range 5 {
				_, _ = io.WriteString(w, "x")
				if err := http.NewResponseController(w).Flush(); err != nil {
					t.Error(err)
				}
				w.(http.Flusher).Flush()
				time.Sleep(50 * time.Second) // of the bubble
			}
		})
		resp, err := http.ReadResponse(bufio.NewReader(dial(t, listener, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if text, err := io.ReadAll(resp.Body); string(text) != "xxxxx" || (err != nil && !errors.Is(err, io.EOF)) {
			t.Errorf("%s %v", text, err)
		}
	})
}
