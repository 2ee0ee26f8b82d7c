package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"
	"google.golang.org/grpc/status"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

const (
	rpcDeadline = 8 * time.Second
	rpcGrace    = 3 * time.Second // an rpc that ends later than that hung
	maxSends    = 4               // of one call
)

// send is one rpc of a call.
type send struct {
	Begin, End time.Time
	Phase      int
	Code       codes.Code // OK: there is an outcome
	Detail     string     // of a status
	Outcome    outcome
	Left       bool // the client left on purpose
}

// outcome is what matters of an outcome.
type outcome struct {
	Result bool
	Class  toolgatev1.ErrorClass
	Code   string
	Maybe  bool // maybe_executed
	Tried  uint32
	None   bool // neither result nor error
}

// call is one logical call, however often it was sent.
type call struct {
	Tool, Run, Ref, ID string
	Sends              []send
}

func (c *call) last() send { return c.Sends[len(c.Sends)-1] }

// clients makes calls through grpc's own balancer, from many workers.
type clients struct {
	conn   *grpc.ClientConn
	client toolgatev1.ToolGatewayServiceClient
	turns  chan struct{} // a call begins with one
	phase  func() int
	leave  func() bool // whether this rpc's client leaves in its middle

	mu    sync.Mutex // guards calls
	calls []*call
}

func newClients(addresses []string, phase func() int, leave func() bool) (*clients, error) {
	builder := manual.NewBuilderWithScheme("replicas")
	var state resolver.State
	for _, address := range addresses {
		state.Addresses = append(state.Addresses, resolver.Address{Addr: address})
	}
	builder.InitialState(state)
	conn, err := grpc.NewClient("replicas:///gateway",
		grpc.WithResolvers(builder), grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultServiceConfig(`{"loadBalancingConfig":[{"round_robin":{}}]}`),
		grpc.WithConnectParams(quickConnect))
	if err != nil {
		return nil, err
	}
	return &clients{conn: conn, client: toolgatev1.NewToolGatewayServiceClient(conn), turns: make(chan struct{}, 64), phase: phase, leave: leave}, nil
}

// work makes calls until stop is closed.
func (c *clients) work(worker int, stop <-chan struct{}) {
	for round := 0; ; round++ {
		run := fmt.Sprintf("run-%d-%d", worker, round)
		for n := range 12 {
			select {
			case <-stop:
				return
			default:
			}
			ref := fmt.Sprintf("%d-%d-%d", worker, round, n)
			switch dice := rand.IntN(100); { //nolint:gosec // a game of chance, no secret
			case dice < 40:
				c.make(&call{Tool: toolRead, Run: run, Ref: ref})
			case dice < 52:
				c.make(&call{Tool: toolPay, Run: run, Ref: ref}) // without a call_id: never sent again
			case dice < 72:
				c.make(&call{Tool: toolPay, Run: run, Ref: ref, ID: ref})
			case dice < 87:
				c.make(&call{Tool: toolKeyed, Run: run, Ref: ref, ID: ref})
			case dice < 92:
				c.make(&call{Tool: toolPut, Run: run, Ref: ref, ID: ref})
			case dice < 96:
				c.climb("cap-" + ref)
			default:
				c.insist("same-" + ref)
			}
		}
	}
}

// climb has a tool reject call after call: the cap ends that.
func (c *clients) climb(run string) {
	for n := range rejectionCap + 3 {
		c.make(&call{Tool: toolBook, Run: run, Ref: fmt.Sprintf("%s-%d", run, n)})
	}
}

// insist sends what was refused again, as a call of its own.
func (c *clients) insist(run string) {
	for range 3 {
		c.make(&call{Tool: toolBook, Run: run, Ref: run})
	}
}

// make makes one call as a runtime does: what ended without an outcome is sent
// again under its id, what is transient after its wait.
func (c *clients) make(call *call) {
	if _, open := <-c.turns; !open {
		return
	}
	for range maxSends {
		call.Sends = append(call.Sends, c.send(call))
		last := call.last()
		wait, again := time.Duration(0), call.ID != ""
		switch {
		case last.Code == codes.OK && last.Outcome.Class != toolgatev1.ErrorClass_ERROR_CLASS_TRANSIENT:
			again = false
		case last.Code == codes.OK:
			wait = 300 * time.Millisecond
			again = again && last.Outcome.Code != "busy"
		default:
			wait = 50 * time.Millisecond
		}
		if !again {
			break
		}
		time.Sleep(wait)
	}
	c.mu.Lock()
	c.calls = append(c.calls, call)
	c.mu.Unlock()
}

func (c *clients) send(call *call) send {
	ctx, cancel := context.WithTimeout(context.Background(), rpcDeadline)
	defer cancel()
	s := send{Begin: time.Now(), Phase: c.phase(), Left: c.leave()}
	if s.Left {
		timer := time.AfterFunc(rand.N(20*time.Millisecond), cancel) //nolint:gosec // a game of chance, no secret
		defer timer.Stop()
	}
	response, err := c.client.CallTool(ctx, &toolgatev1.CallToolRequest{RunId: call.Run, Call: &toolgatev1.ToolCall{
		CallId: call.ID, Tool: call.Tool, ArgumentsJson: fmt.Sprintf(`{"ref":%q,"run":%q}`, call.Ref, call.Run),
	}})
	s.End = time.Now()
	if err != nil {
		s.Code, s.Detail = status.Code(err), status.Convert(err).Message()
		return s
	}
	e := response.GetError()
	s.Outcome = outcome{
		Result: response.GetResult() != nil, Class: e.GetErrorClass(), Code: e.GetCode(),
		Maybe: e.GetMaybeExecuted(), Tried: e.GetAttempts(), None: response.GetResult() == nil && e == nil,
	}
	return s
}

func (c *clients) made() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.calls)
}
