package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	reflectionv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	reflectionv1alpha "google.golang.org/grpc/reflection/grpc_reflection_v1alpha" //nolint:staticcheck // older clients speak it
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/catalog"
	"toolgate.dev/toolgate/server/servertest"
)

const lifecycleCatalogue = `
tools:
  - name: find
    description: Finds.
    http: {method: GET, url: "http://upstream.test/find"}
    input_schema: {type: object, properties: {n: {type: integer}}, additionalProperties: false}
  - name: pay
    description: Pays.
    http: {method: POST, url: "http://upstream.test/pay"}
    input_schema: {type: object, properties: {n: {type: integer}}, additionalProperties: false}
`

// fleet is gateways at addresses that a client's balancer knows.
type fleet struct {
	*testing.T
	tools  *catalog.Catalog
	mu     sync.Mutex // guards at
	at     map[string]*bufconn.Listener
	client toolgatev1.ToolGatewayServiceClient
	dials  atomic.Int64
}

func newFleet(t *testing.T, upstream *servertest.Upstream, addresses ...string) *fleet {
	t.Helper()
	f := &fleet{T: t, tools: servertest.Load(t, lifecycleCatalogue, upstream), at: map[string]*bufconn.Listener{}}
	builder := manual.NewBuilderWithScheme("fleet")
	var state resolver.State
	for _, address := range addresses {
		state.Addresses = append(state.Addresses, resolver.Address{Addr: address})
	}
	builder.InitialState(state)
	conn, err := grpc.NewClient("fleet:///gateway", grpc.WithResolvers(builder), grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(f.dial), grpc.WithDefaultServiceConfig(`{"loadBalancingConfig":[{"round_robin":{}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	f.client = toolgatev1.NewToolGatewayServiceClient(conn)
	return f
}

func (f *fleet) dial(ctx context.Context, address string) (net.Conn, error) {
	f.dials.Add(1)
	f.mu.Lock()
	listener := f.at[address]
	f.mu.Unlock()
	if listener == nil {
		return nil, errors.New("nobody listens there")
	}
	return listener.DialContext(ctx)
}

// start runs a gateway at an address; stop drains it and waits for its end.
func (f *fleet) start(address string, changes ...func(*server.Config)) (stop func()) {
	f.Helper()
	listener := bufconn.Listen(1 << 20)
	config := server.Config{Catalog: f.tools, Listener: listener}
	for _, change := range changes {
		change(&config)
	}
	s, err := server.New(config)
	if err != nil {
		f.Fatal(err)
	}
	f.mu.Lock()
	f.at[address] = listener
	f.mu.Unlock()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			f.Errorf("%s: %v", address, err)
		}
	})
	f.Cleanup(stop)
	return stop
}

// keepCalling has workers call until the returned function ends it, which tells
// how many calls there were. A status fails the test.
func (f *fleet) keepCalling(workers int) (end func() int64) {
	var all sync.WaitGroup
	var made atomic.Int64
	stop := make(chan struct{})
	for worker := range workers {
		all.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				resp, err := f.client.CallTool(context.Background(), &toolgatev1.CallToolRequest{
					RunId: fmt.Sprint("run-", worker), Call: &toolgatev1.ToolCall{Tool: "pay", ArgumentsJson: fmt.Sprintf(`{"n":%d}`, n)},
				})
				if err != nil || resp.GetResult() == nil {
					f.Errorf("worker %d, call %d: %v, %v", worker, n, resp, err)
					return
				}
				made.Add(1)
			}
		})
	}
	return func() int64 {
		close(stop)
		all.Wait()
		return made.Load()
	}
}

func TestARollingRestartLosesNoCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		upstream := servertest.NewUpstream(t)
		upstream.Script(servertest.After(70*time.Millisecond, fine))
		addresses := []string{"a", "b", "c"}
		f := newFleet(t, upstream, addresses...)
		stops := map[string]func(){}
		for _, address := range addresses {
			stops[address] = f.start(address)
		}
		end := f.keepCalling(20)
		for range 3 {
			for _, address := range addresses {
				time.Sleep(2 * time.Second)
				stops[address]()
				stops[address] = f.start(address)
			}
		}
		time.Sleep(2 * time.Second)
		made := end()
		if reached := upstream.Count(); int64(reached) != made {
			t.Errorf("%d calls reached the tool %d times", made, reached)
		}
		if made < 3000 {
			t.Errorf("only %d calls: this shows nothing", made)
		}
	})
}

func TestAConnectionThatIsTooOldLosesNoCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		upstream := servertest.NewUpstream(t)
		upstream.Script(servertest.After(3*time.Second, fine))
		f := newFleet(t, upstream, "a", "b")
		for _, address := range []string{"a", "b"} {
			f.start(address, func(c *server.Config) {
				c.Connections = server.Connections{MaxAge: 20 * time.Second, Grace: time.Minute}
			})
		}
		end := f.keepCalling(8)
		time.Sleep(5 * time.Minute)
		made := end()
		if reached := upstream.Count(); int64(reached) != made {
			t.Errorf("%d calls reached the tool %d times", made, reached)
		}
		if dials := f.dials.Load(); dials < 20 {
			t.Errorf("in five minutes there were %d connections of at most 20 s", dials)
		}
	})
}

func TestADrainDoesNotWaitForWhoOnlyWatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, servertest.NewUpstream(t), "a")
		stop := f.start("a")
		conn := f.connect("a")
		watch, err := healthv1.NewHealthClient(conn).Watch(t.Context(), &healthv1.HealthCheckRequest{})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := watch.Recv(); err != nil || got.GetStatus() != healthv1.HealthCheckResponse_SERVING {
			t.Fatalf("got %v, %v", got, err)
		}
		start := time.Now()
		stop()
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("a drain without calls took %v", took)
		}
		if got, err := watch.Recv(); err != nil || got.GetStatus() != healthv1.HealthCheckResponse_NOT_SERVING {
			t.Errorf("the watcher was told %v, %v", got, err)
		}
	})
}

func TestADrainDoesNotWaitForWhoOnlyAsksForServices(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet(t, servertest.NewUpstream(t), "a")
		stop := f.start("a")
		list := &reflectionv1.ServerReflectionRequest{MessageRequest: &reflectionv1.ServerReflectionRequest_ListServices{}}
		asks, err := reflectionv1.NewServerReflectionClient(f.connect("a")).ServerReflectionInfo(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := asks.Send(list); err != nil {
				t.Fatal(err)
			}
			if got, err := asks.Recv(); err != nil || len(got.GetListServicesResponse().GetService()) < 3 {
				t.Fatalf("got %v, %v", got, err)
			}
		}
		older, err := reflectionv1alpha.NewServerReflectionClient(f.connect("a")).ServerReflectionInfo(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		start := time.Now()
		stop()
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("a drain without calls took %v", took)
		}
		if got, err := asks.Recv(); status.Code(err) != codes.Unavailable {
			t.Errorf("who asked was told %v, %v", got, err)
		}
		if got, err := older.Recv(); status.Code(err) != codes.Unavailable {
			t.Errorf("who asked the older service was told %v, %v", got, err)
		}
	})
}

func (f *fleet) connect(address string) *grpc.ClientConn {
	f.Helper()
	conn, err := grpc.NewClient("passthrough:///"+address, grpc.WithContextDialer(f.dial),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = conn.Close() })
	return conn
}

func TestClientsThatSayNothingAreDisconnected(t *testing.T) {
	for name, speak := range map[string]func(net.Conn) error{
		"not a byte": func(net.Conn) error { return nil },
		"an HTTP/2 preface, then dead": func(conn net.Conn) error {
			if _, err := io.WriteString(conn, http2.ClientPreface); err != nil {
				return err
			}
			return http2.NewFramer(conn, nil).WriteSettings()
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFleet(t, servertest.NewUpstream(t), "a")
				f.start("a")
				conn, err := f.dial(t.Context(), "a")
				if err != nil {
					t.Fatal(err)
				}
				defer conn.Close()
				if err := speak(conn); err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				_, _ = io.Copy(io.Discard, conn) // ends when the gateway hangs up
				if took := time.Since(start); took > time.Minute {
					t.Errorf("the gateway hung up after %v", took)
				}
			})
		})
	}
}

func TestAClientThatNeverReadsHoldsUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		upstream := servertest.NewUpstream(t)
		upstream.Script(servertest.Respond(http.StatusOK, `{"text":"`+strings.Repeat("x", 20<<10)+`"}`))
		f := newFleet(t, upstream, "a")
		stop := f.start("a", func(c *server.Config) { c.DrainTimeout = 10 * time.Second })
		slow := toolgatev1.NewToolGatewayServiceClient(f.connect("a"))
		for n := range 10 {
			request := &toolgatev1.CallToolsRequest{RunId: fmt.Sprint("slow-", n)}
			for range 64 {
				request.Calls = append(request.Calls, &toolgatev1.ToolCall{Tool: "find", ArgumentsJson: `{}`})
			}
			if _, err := slow.CallTools(t.Context(), request); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Second)
		start := time.Now()
		for n := range 20 {
			resp, err := f.client.CallTool(t.Context(), &toolgatev1.CallToolRequest{
				RunId: "quick", Call: &toolgatev1.ToolCall{Tool: "pay", ArgumentsJson: fmt.Sprintf(`{"n":%d}`, n)},
			})
			if err != nil || resp.GetResult() == nil {
				t.Fatalf("beside the slow client: %v, %v", resp, err)
			}
		}
		if took := time.Since(start); took > time.Second {
			t.Errorf("beside the slow client 20 calls took %v", took)
		}
		start = time.Now()
		stop()
		if took := time.Since(start); took > 11*time.Second {
			t.Errorf("the drain took %v", took)
		}
	})
}

// fullDisk is where nothing can be written any more.
type fullDisk struct{ tried atomic.Int64 }

func (d *fullDisk) Write([]byte) (int, error) {
	d.tried.Add(1)
	return 0, errors.New("no space left on device")
}

func TestAFullDiskForLogsFailsNoCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		upstream, disk := servertest.NewUpstream(t), &fullDisk{}
		upstream.Script(fine)
		g := servertest.Start(t, servertest.Load(t, lifecycleCatalogue, upstream), func(c *server.Config) {
			c.Logger, c.LogSampleEvery = slog.New(slog.NewJSONHandler(disk, nil)), 1
		})
		for n := range 20 {
			if resp := g.Call(t, "run", "pay", fmt.Sprintf(`{"n":%d}`, n)); resp.GetResult() == nil {
				t.Fatalf("got %v", resp)
			}
		}
		if disk.tried.Load() < 20 {
			t.Error("nothing was logged, so this shows nothing")
		}
	})
}
