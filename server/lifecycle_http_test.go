package server_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/test/bufconn"

	"toolgate.dev/toolgate/internal/pipetest"
	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/servertest"
)

// streets are gateways with an HTTP door each, and clients that go round them.
type streets struct {
	*testing.T
	upstream *servertest.Upstream
	mu       sync.Mutex // guards at
	at       []*pipetest.Listener
}

// open starts the gateway at a place; stop drains it.
func (d *streets) open(place int) (stop func()) {
	listener := pipetest.Listen()
	s, err := server.New(server.Config{
		Catalog: servertest.Load(d, lifecycleCatalogue, d.upstream), Listener: bufconn.Listen(1 << 16), HTTP: server.HTTP{Listener: listener},
	})
	if err != nil {
		d.Fatal(err)
	}
	d.mu.Lock()
	d.at[place] = listener
	d.mu.Unlock()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	return sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			d.Error(err)
		}
	})
}

// caller keeps a connection as long as it may, and never sends anything twice.
type caller struct {
	streets *streets
	next    int
	conn    net.Conn
	read    *bufio.Reader
}

// connect finds a gateway that takes connections: that loses nothing.
func (c *caller) connect() {
	for c.conn == nil {
		c.next++
		c.streets.mu.Lock()
		listener := c.streets.at[c.next%len(c.streets.at)]
		c.streets.mu.Unlock()
		if conn, err := listener.DialContext(context.Background()); err == nil {
			c.conn, c.read = conn, bufio.NewReader(conn)
		}
	}
}

func (c *caller) call(n int) error {
	c.connect()
	body := fmt.Sprintf(`{"run_id":"r","arguments":{"n":%d}}`, n)
	request := fmt.Sprintf("POST /v1/tools/pay:call HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	if _, err := io.WriteString(c.conn, request); err != nil {
		return err
	}
	response, err := http.ReadResponse(c.read, nil)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if err != nil || response.StatusCode != http.StatusOK {
		return fmt.Errorf("%d %s: %w", response.StatusCode, text, err)
	}
	if response.Close {
		c.close()
	}
	return nil
}

func (c *caller) close() {
	if c.conn != nil {
		_ = c.conn.Close()
		c.conn = nil
	}
}

func TestARollingRestartLosesNoCallOverHTTP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &streets{T: t, upstream: servertest.NewUpstream(t, servertest.After(70*time.Millisecond, fine)), at: make([]*pipetest.Listener, 3)}
		stops := make([]func(), len(d.at))
		for place := range d.at {
			stops[place] = d.open(place)
		}
		over, made := make(chan struct{}), make(chan int, 20)
		for worker := range cap(made) {
			go func() {
				c, n := &caller{streets: d, next: worker}, 0
				defer func() { c.close(); made <- n }()
				for ; ; n++ {
					select {
					case <-over:
						return
					case <-time.After(time.Duration(worker*40) * time.Millisecond): // some keep it idle
					}
					if err := c.call(1000*worker + n); err != nil {
						t.Errorf("worker %d, call %d: %v", worker, n, err)
						return
					}
				}
			}()
		}
		for round := range 9 {
			time.Sleep(1700 * time.Millisecond)
			place := round % len(d.at)
			old := stops[place]
			stops[place] = d.open(place) // the new one is there first
			old()
		}
		close(over)
		calls := 0
		for range cap(made) {
			calls += <-made
		}
		for _, stop := range stops {
			stop()
		}
		if reached := d.upstream.Count(); reached != calls || calls < 500 {
			t.Errorf("%d calls reached the tool %d times", calls, reached)
		}
	})
}

func TestAClientThatKeepsItsConnectionIsToldToLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &streets{T: t, upstream: servertest.NewUpstream(t, fine), at: make([]*pipetest.Listener, 1)}
		stop := d.open(0)
		c := &caller{streets: d}
		if err := c.call(1); err != nil || c.conn == nil {
			t.Fatalf("the connection was not kept: %v", err)
		}
		ended := make(chan time.Time, 1)
		start := time.Now()
		go func() { stop(); ended <- time.Now() }()
		time.Sleep(500 * time.Millisecond)
		if err := c.call(2); err != nil || c.conn != nil {
			t.Errorf("the connection was kept: %v", err)
		}
		if took := (<-ended).Sub(start); took > 700*time.Millisecond {
			t.Errorf("the drain took %v, though nobody was there any more", took)
		}
		if _, err := d.at[0].DialContext(t.Context()); err == nil || strings.Contains(err.Error(), "deadline") {
			t.Error("a gateway that has stopped takes connections")
		}
	})
}
