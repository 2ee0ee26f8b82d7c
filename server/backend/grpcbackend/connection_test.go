package grpcbackend

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/peer"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/egress"
	"toolgate.dev/toolgate/internal/pipetest"
	"toolgate.dev/toolgate/server/backend"
)

func TestAServerThatCantBeReachedIsToldApart(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	failing := func(err error) PoolOption {
		return WithDial(func(context.Context, string, string) (net.Conn, error) { return nil, err })
	}
	for name, c := range map[string]struct {
		to      Transport
		options []PoolOption
		want    interceptors.TransportFailure
	}{
		"nobody listens":           {Transport{Address: "127.0.0.1:1"}, nil, interceptors.FailureRefused},
		"a name that is not there": {Transport{Address: "a:1"}, []PoolOption{failing(&net.DNSError{IsNotFound: true})}, interceptors.FailureDNSNotFound},
		"a resolver that fails":    {Transport{Address: "a:1"}, []PoolOption{failing(&net.DNSError{IsTemporary: true})}, interceptors.FailureDNSTemporary},
		"an address that is not allowed": {
			Transport{Address: "169.254.169.254:80"}, nil, interceptors.FailureRequest,
		},
		"somebody who says nothing": {
			Transport{Address: silent.Addr().String(), ConnectTimeout: 100 * time.Millisecond, TLSTimeout: 100 * time.Millisecond}, nil, interceptors.FailureRefused,
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := backendFor(t, pooled(t, c.options...), "", "Everything", func(s *Spec) { s.Server = pooled(t, c.options...).Server("x", c.to) })
			reply := attempt(t.Context(), b, `{}`)
			if reply.Failure != c.want || reply.Sent {
				t.Errorf("failure %v (%s), sent %v, want %v", reply.Failure, reply.Cause, reply.Sent, c.want)
			}
			if c.want == interceptors.FailureRequest && reply.ToolError.GetErrorClass() != interceptors.Terminal {
				t.Errorf("%v", reply.ToolError)
			}
		})
	}
}

func TestAnAddressThatIsNotAllowedIsReported(t *testing.T) {
	pool := pooled(t)
	var told []string
	pool.OnTrouble(func(upstream, problem string) { told = append(told, upstream+": "+problem) })
	list, err := egress.Parse([]string{egress.Public})
	if err != nil {
		t.Fatal(err)
	}
	b := backendFor(t, pool, "", "Everything", func(s *Spec) { s.Server = pool.Server("crm", Transport{Address: "127.0.0.1:9", Allow: list}) })
	if reply := attempt(t.Context(), b, `{}`); reply.Failure != interceptors.FailureRequest || len(told) != 1 {
		t.Errorf("%+v, %v", reply, told)
	}
}

func TestAConnectionIsSharedAndOutlivesItsCatalogue(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	connections := &kept{Listener: listener}
	server := serveShopOn(t, connections, echo)
	pool := pooled(t)
	var calls sync.WaitGroup
	for _, method := range []string{"Everything", "CountOrders"} {
		b := backendFor(t, pool, server.address, method)
		for range 20 {
			calls.Go(func() {
				if reply := attempt(t.Context(), b, `{}`); reply.Failure != interceptors.FailureNone {
					t.Errorf("%v %s", reply.Failure, reply.Cause)
				}
			})
		}
	}
	calls.Wait()
	if n := connections.count(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
	pool.Retain([]*Server{pool.Server("shop", Transport{Address: server.address})})
	attempt(t.Context(), backendFor(t, pool, server.address, "Everything"), `{}`)
	if n := connections.count(); n != 1 {
		t.Errorf("%d connections behind a reload, want 1", n)
	}
	// A call that is pinned to a catalogue before goes on.
	former := backendFor(t, pool, server.address, "Everything")
	pool.Retain(nil)
	if reply := attempt(t.Context(), former, `{}`); reply.Failure != interceptors.FailureNone {
		t.Errorf("%v %s", reply.Failure, reply.Cause)
	}
}

func TestAConnectionThatIsGoneIsMadeAgainWithoutAFailure(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	connections := &kept{Listener: listener}
	server := serveShopOn(t, connections, echo)
	b := backendFor(t, pooled(t), server.address, "Everything")
	for i := range 5 {
		if reply := attempt(t.Context(), b, `{}`); reply.Failure != interceptors.FailureNone {
			t.Errorf("call %d: %v %s, sent %v", i, reply.Failure, reply.Cause, reply.Sent)
		}
		former := b.server.connection()
		connections.drop()
		for former.alive() { // until the end of the connection is known
			former.WaitForStateChange(t.Context(), former.GetState())
		}
	}
	if n := connections.count(); n != 5 {
		t.Errorf("%d connections", n)
	}
}

// A server that is restarted in good order loses nobody a call: what it did not
// process it says, and that is sent again; in between nothing is sent.
func TestAServerThatIsRestartedInOrderLeavesNoCallInDoubt(t *testing.T) {
	first := serveShop(t, echo)
	b := backendFor(t, pooled(t), first.address, "Everything")
	stop := make(chan struct{})
	var callers sync.WaitGroup
	var answered, unsent atomic.Int32
	for range 8 {
		callers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				switch reply := attempt(t.Context(), b, `{}`); {
				case reply.Failure == interceptors.FailureNone && reply.Status == 0:
					answered.Add(1)
				case reply.Sent:
					t.Errorf("in doubt: %v %d %s %s", reply.Failure, reply.Status, reply.Message, reply.Cause)
					return
				default:
					unsent.Add(1)
				}
			}
		})
	}
	until := func(more int32) {
		for from := answered.Load(); answered.Load() < from+more; {
			runtime.Gosched()
		}
	}
	until(200)
	first.GracefulStop()
	listener, err := net.Listen("tcp", first.address)
	if err != nil {
		t.Fatal(err)
	}
	serveShopOn(t, listener, echo)
	until(200)
	close(stop)
	callers.Wait()
	t.Logf("%d answered, %d not sent", answered.Load(), unsent.Load())
}

// inMemory serves the shop in a bubble, and counts connections.
func inMemory(
	t *testing.T, handle func(stream grpc.ServerStream, method string, request []byte) error, options ...grpc.ServerOption,
) (dial PoolOption, count func() int) {
	t.Helper()
	listener := pipetest.Listen()
	connections := &kept{Listener: listener}
	serveShopOn(t, connections, handle, options...)
	return WithDial(func(ctx context.Context, _, _ string) (net.Conn, error) { return listener.DialContext(ctx) }), connections.count
}

func TestAConnectionIsReplacedWhenItIsOldAndNobodyIsDisturbed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dial, count := inMemory(t, func(stream grpc.ServerStream, method string, request []byte) error {
			if method == "/"+service+"CountOrders" {
				time.Sleep(10 * time.Minute)
			}
			return echo(stream, method, request)
		})
		pool := pooled(t, dial)
		b := backendFor(t, pool, "shop:1", "Everything")
		slow := backendFor(t, pool, "shop:1", "CountOrders")
		attempt(t.Context(), b, `{}`)
		done := make(chan *interceptors.Reply)
		go func() { done <- attempt(t.Context(), slow, `{}`) }()
		for range 8 {
			time.Sleep(50 * time.Second)
			if reply := attempt(t.Context(), b, `{}`); reply.Failure != interceptors.FailureNone {
				t.Errorf("%v %s", reply.Failure, reply.Cause)
			}
			synctest.Wait()
		}
		if n := count(); n != 2 {
			t.Errorf("%d connections within 400 s, want 2", n)
		}
		if reply := <-done; reply.Failure != interceptors.FailureNone {
			t.Errorf("the long call: %v %s", reply.Failure, reply.Cause)
		}
		pool.Close()
	})
}

func TestAConnectionOnWhichNothingComesIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var nowhere atomic.Bool
		dial, count := inMemory(t, echo)
		pool := pooled(t, dial)
		open := pool.dial
		pool.dial = func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := open(ctx, network, address)
			return &lossy{Conn: conn, lost: &nowhere}, err
		}
		b := backendFor(t, pool, "shop:1", "Everything")
		attempt(t.Context(), b, `{}`)
		synctest.Wait() // until the connection is at rest
		nowhere.Store(true)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if reply := attempt(ctx, b, `{}`); reply.Failure != interceptors.FailureTimeout || !reply.Sent {
			t.Errorf("%v, sent %v", reply.Failure, reply.Sent)
		}
		nowhere.Store(false)
		attempt(t.Context(), b, `{}`)
		if n := count(); n != 2 {
			t.Errorf("%d connections, want 2", n)
		}
		pool.Close()
	})
}

func TestAnUnusedConnectionIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dial, count := inMemory(t, echo)
		pool := pooled(t, dial)
		b := backendFor(t, pool, "shop:1", "Everything")
		attempt(t.Context(), b, `{}`)
		former := b.server.connection()
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if former.alive() {
			t.Error("it is kept")
		}
		if reply := attempt(t.Context(), b, `{}`); reply.Failure != interceptors.FailureNone || count() != 2 {
			t.Errorf("%v %s, %d connections", reply.Failure, reply.Cause, count())
		}
		pool.Close()
	})
}

// lossy is a connection whose packets go nowhere while they are lost.
type lossy struct {
	net.Conn

	lost *atomic.Bool
}

// Write implements net.Conn.
func (l *lossy) Write(b []byte) (int, error) {
	if l.lost.Load() {
		return len(b), nil
	}
	return l.Conn.Write(b)
}

// secured serves the shop over TLS, and tells who called.
func secured(t *testing.T, a *authority, name string) (address string, callers func() []string) {
	t.Helper()
	var mu sync.Mutex
	var seen []string
	server := serveShop(t, func(stream grpc.ServerStream, method string, request []byte) error {
		from, _ := peer.FromContext(stream.Context())
		caller := "nobody"
		if info, ok := from.AuthInfo.(credentials.TLSInfo); ok && len(info.State.PeerCertificates) > 0 {
			caller = info.State.PeerCertificates[0].Subject.CommonName
		}
		mu.Lock()
		seen = append(seen, caller)
		mu.Unlock()
		return echo(stream, method, request)
	}, grpc.Creds(credentials.NewTLS(&tls.Config{
		MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{a.pair(name)}, ClientAuth: tls.VerifyClientCertIfGiven, ClientCAs: a.pool(),
	})))
	return server.address, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(seen)
	}
}

func TestTLSIsSpokenWithWhomItShould(t *testing.T) {
	ours, theirs := newAuthority(t), newAuthority(t)
	ca, other := put(t, file(t, "ca.pem"), ours.pem), put(t, file(t, "other.pem"), theirs.pem)
	address, _ := secured(t, ours, "127.0.0.1")
	named, _ := secured(t, ours, "crm.internal")
	for name, c := range map[string]struct {
		to   Transport
		want interceptors.TransportFailure
	}{
		"the right authority":            {Transport{Address: address, Secure: true, TLS: backend.TLS{CAFile: ca}}, interceptors.FailureNone},
		"another authority":              {Transport{Address: address, Secure: true, TLS: backend.TLS{CAFile: other}}, interceptors.FailureTLSCertificate},
		"the system's authorities":       {Transport{Address: address, Secure: true}, interceptors.FailureTLSCertificate},
		"an authority that is gone":      {Transport{Address: address, Secure: true, TLS: backend.TLS{CAFile: ca + ".gone"}}, interceptors.FailureTLSCertificate},
		"another name":                   {Transport{Address: named, Secure: true, TLS: backend.TLS{CAFile: ca}}, interceptors.FailureTLSCertificate},
		"the name of the certificate":    {Transport{Address: named, Secure: true, TLS: backend.TLS{CAFile: ca, ServerName: "crm.internal"}}, interceptors.FailureNone},
		"plain text to a secured server": {Transport{Address: address}, interceptors.FailureReset},
	} {
		t.Run(name, func(t *testing.T) {
			pool := pooled(t)
			reply := attempt(t.Context(), backendFor(t, pool, "", "Everything", func(s *Spec) { s.Server = pool.Server("x", c.to) }), `{}`)
			if reply.Failure != c.want || reply.Sent != (c.want == interceptors.FailureNone) {
				t.Errorf("failure %v (%s), sent %v, want %v", reply.Failure, reply.Cause, reply.Sent, c.want)
			}
		})
	}
}

func TestCertificatesThatChangeAreShownFromTheNextConnectionOn(t *testing.T) {
	a := newAuthority(t)
	address, callers := secured(t, a, "127.0.0.1")
	to := Transport{Address: address, Secure: true, TLS: backend.TLS{
		CAFile: put(t, file(t, "ca.pem"), a.pem), CertFile: file(t, "tls.crt"), KeyFile: file(t, "tls.key"),
	}}
	show := func(name string, serial int64) {
		cert, key := a.sign(name, serial)
		put(t, to.TLS.CertFile, cert)
		put(t, to.TLS.KeyFile, key)
	}
	show("first", 3)
	pool := pooled(t)
	stale := make(chan error, 8)
	pool.OnStaleFiles(func(_ string, err error) { stale <- err })
	b := backendFor(t, pool, "", "Everything", func(s *Spec) { s.Server = pool.Server("x", to) })
	call := func() {
		t.Helper()
		if reply := attempt(t.Context(), b, `{}`); reply.Failure != interceptors.FailureNone {
			t.Errorf("%v %s", reply.Failure, reply.Cause)
		}
	}
	anew := func() {
		g, fail := b.server.take(t.Context())
		if fail != nil {
			t.Fatal(fail)
		}
		b.server.release(g, true)
	}
	call()
	show("second", 4)
	call()
	anew()
	call()
	put(t, to.TLS.CertFile, []byte("nonsense"))
	anew()
	call()
	if got := callers(); !slices.Equal(got, []string{"first", "first", "second", "second"}) {
		t.Errorf("callers %v", got)
	}
	if err := <-stale; err == nil {
		t.Error(errors.New("nobody was told"))
	}
	if files := pool.Files(); len(files) != 1 || !files[0].Stale || files[0].Expires.IsZero() {
		t.Errorf("files %+v", files)
	}
}
