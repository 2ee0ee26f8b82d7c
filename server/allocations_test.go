package server

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/catalog"
	"toolgate.dev/toolgate/server/dispatch"
)

var renew = flag.Bool("renew", false, "write ../bench/allocations.txt anew")

const (
	allocationsFile = "../bench/allocations.txt"
	measuredCalls   = 400
	onceIn          = 1 << 20 // AllocsPerRun makes a few calls more than it is asked
)

// What a successful call allocates in each room stands in a file, and no room
// comes to allocate more by accident. The figure of a room is that of the chain
// from it inwards, less that of the chain within.
//
// The race detector changes the figures: then the test runs itself without.
func TestARoomAllocatesWhatTheFileSays(t *testing.T) {
	if raceDetector {
		output, err := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-run", "^"+t.Name()+"$", ".").CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, output)
		}
		return
	}
	measured := measureRooms(t)
	var table bytes.Buffer
	fmt.Fprint(&table, "# Heap allocations of one successful call, by room, outermost first: what the chain from\n"+
		"# the room inwards allocates, less what the chain within does. `make test` holds every\n"+
		"# figure to one more or less; go test ./server -run Allocates -renew writes them anew.\n")
	for _, row := range measured {
		fmt.Fprintf(&table, "%-14s %3d\n", row.name, row.allocations)
	}
	if *renew {
		if err := os.WriteFile(allocationsFile, table.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	written := readAllocations(t)
	for _, row := range measured {
		want, ok := written[row.name]
		if !ok || row.allocations < want-1 || row.allocations > want+1 {
			t.Errorf("%s: %d allocations, the file says %d", row.name, row.allocations, want)
		}
		delete(written, row.name)
	}
	if len(written) > 0 {
		t.Errorf("the file has rows of nothing: %v", written)
	}
	t.Logf("\n%s", &table)
}

func readAllocations(t *testing.T) map[string]int {
	t.Helper()
	text, err := os.ReadFile(allocationsFile)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int{}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] != "#" {
			if rows[fields[0]], err = strconv.Atoi(fields[1]); err != nil {
				t.Fatal(err)
			}
		}
	}
	return rows
}

type allocationsOf struct {
	name        string
	allocations int
}

const measuredCatalogue = `
upstreams: {backend: {url: "http://%s"}}
tools:
  - name: create_invoice
    upstream: backend
    http: {method: POST, url: /invoices}
    input_schema: {type: object, required: [customer], properties: {customer: {type: string}, due: {type: string, format: date}, lines: {type: array, items: {type: integer, minimum: 1}}}}
`

const measuredArguments = `{"customer":"cus_8f3k2m9q","due":"2026-03-14","lines":[1,2,3]}`

// measureRooms lists what each room allocates, what the HTTP back end does, and
// the sum as a whole gateway without its transport sees it.
func measureRooms(t *testing.T) []allocationsOf {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it would empty the pools
	tools, err := catalog.Parse("test.yaml", fmt.Appendf(nil, measuredCatalogue, cannedServer(t)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tools.Close)
	parts, err := wire(Config{Catalog: tools, Logger: slog.New(slog.DiscardHandler), LogSampleEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(parts.close)
	m := &measure{parts: parts, tool: tools.Tools()[0], backend: tools.Tools()[0].Backend}
	rows := append(m.rpcRooms(), m.callRooms()...)
	rows = append(rows, allocationsOf{"httpbackend", m.allocations(func(call *interceptors.Call) {
		m.backend.Attempt(context.Background(), call)
	})})
	return append(rows, allocationsOf{"whole", m.whole()})
}

// measure makes calls of one tool.
type measure struct {
	parts   *parts
	tool    *interceptors.Tool
	backend interceptors.Backend
	made    int
}

// allocations are those of one call that is ready for the rooms.
func (m *measure) allocations(send func(*interceptors.Call)) int {
	ids := make([]string, measuredCalls+2)
	for i := range ids {
		m.made++
		ids[i] = "call-" + strconv.Itoa(onceIn+m.made)
	}
	run := interceptors.RunKey{Principal: interceptors.Anonymous, ID: "run"}
	snapshot, _ := m.parts.wiring.ledger.Snapshot(context.Background(), run)
	template := interceptors.NewCall(run, &toolgatev1.ToolCall{Tool: m.tool.Name, ArgumentsJson: measuredArguments}, time.Now(), snapshot)
	template.Tool, template.Arguments = m.tool, m.tool.Schema.Check(measuredArguments)
	call, n := &interceptors.Call{}, 0
	return int(testing.AllocsPerRun(measuredCalls, func() {
		*call = *template
		call.ID = ids[n]
		n++
		send(call)
	}))
}

// callRooms measures the chain of a tool call from the inside out. Its innermost
// end is the dispatcher with a back end that has its answer ready.
func (m *measure) callRooms() []allocationsOf {
	m.tool.Backend = cannedReply{}
	defer func() { m.tool.Backend = m.backend }()
	order := callOrder(m.parts.wiring.rooms)
	dispatcher := dispatch.New(m.parts.wiring.diagnose, m.parts.wiring.permitted)
	from := func(first int) int {
		chain := interceptors.Chain(dispatcher.Dispatch, interceptorsOf(order[first:])...)
		return m.allocations(func(call *interceptors.Call) { _, _ = chain(context.Background(), call) })
	}
	rows := make([]allocationsOf, len(order)+1)
	within := 0
	for i := len(order); i >= 0; i-- {
		all := from(i)
		rows[i] = allocationsOf{"dispatch", all - within}
		if i < len(order) {
			rows[i].name = order[i].name
		}
		within = all
	}
	return rows
}

// rpcRooms measures the rooms of every rpc, each around a handler that does
// nothing.
func (m *measure) rpcRooms() (rows []allocationsOf) {
	info := &grpc.UnaryServerInfo{FullMethod: toolgatev1.ToolGatewayService_CallTool_FullMethodName}
	nothing := func(context.Context, any) (any, error) { return nil, nil }
	for _, room := range rpcOrder(m.parts.wiring.rooms) {
		rows = append(rows, allocationsOf{room.name, int(testing.AllocsPerRun(measuredCalls, func() {
			_, _ = room.unary(context.Background(), nil, info, nothing)
		}))})
	}
	return rows
}

// whole is a call as it comes from the transport and goes back to it, the back end
// on a real connection included.
func (m *measure) whole() int {
	requests := make([]*toolgatev1.CallToolRequest, measuredCalls+2)
	for i := range requests {
		m.made++
		requests[i] = &toolgatev1.CallToolRequest{RunId: "run", Call: &toolgatev1.ToolCall{
			CallId: "call-" + strconv.Itoa(onceIn+m.made), Tool: m.tool.Name, ArgumentsJson: measuredArguments,
		}}
	}
	n := 0
	return int(testing.AllocsPerRun(measuredCalls, func() {
		_, _ = m.parts.service.CallTool(context.Background(), requests[n])
		n++
	}))
}

// cannedReply is a back end that has its answer ready.
type cannedReply struct{}

var canned = &interceptors.Reply{
	Transport: interceptors.TransportHTTP, Status: 200, Sent: true,
	Header: map[string][]string{"Content-Type": {"application/json"}}, Body: []byte(`{"id":"inv_0871","status":"accepted","lines":[1,2,3]}`),
}

func (cannedReply) Attempt(context.Context, *interceptors.Call) *interceptors.Reply { return canned }

// cannedServer answers on a real connection and allocates nothing itself.
func cannedServer(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	answer := fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(canned.Body), canned.Body)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				request := make([]byte, 4096) // larger than any of the test, and each comes in one piece
				for {
					if _, err := conn.Read(request); err != nil {
						_ = conn.Close()
						return
					}
					if _, err := conn.Write(answer); err != nil {
						return
					}
				}
			}()
		}
	}()
	return listener.Addr().String()
}
