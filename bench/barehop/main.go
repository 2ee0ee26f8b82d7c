// Command barehop is the hop that toolgate is measured against: the same contract
// from gRPC to HTTP with no policy at all. It forwards the arguments' text and
// hands the answer back; it checks, counts, remembers and retries nothing.
//
// It is frozen: the figures of two versions of toolgate can only be compared
// while this stands still. Its transport and its garbage collector are set up as
// toolgate's are.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"runtime/debug"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

const (
	gcPercent       = 400
	connsPerHost    = 512
	bufferBytes     = 32 << 10
	idleTimeout     = 55 * time.Second
	maxMessageBytes = 256 << 20
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "barehop:", err)
		os.Exit(1)
	}
}

func run() error {
	target := flag.String("url", "", "where every call is posted to")
	flag.Parse()
	to, err := url.Parse(*target)
	if err != nil {
		return err
	}
	debug.SetGCPercent(gcPercent)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := grpc.NewServer(grpc.MaxRecvMsgSize(maxMessageBytes), grpc.MaxSendMsgSize(maxMessageBytes))
	toolgatev1.RegisterToolGatewayServiceServer(server, newHop(to))
	fmt.Println(listener.Addr())
	return server.Serve(listener)
}

// hop implements CallTool alone.
type hop struct {
	toolgatev1.UnimplementedToolGatewayServiceServer

	url       *url.URL
	header    http.Header
	transport *http.Transport
}

func newHop(to *url.URL) *hop {
	return &hop{
		url: to, header: http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}, "User-Agent": {"barehop"}},
		transport: &http.Transport{
			MaxIdleConnsPerHost: connsPerHost, MaxConnsPerHost: connsPerHost, IdleConnTimeout: idleTimeout,
			ReadBufferSize: bufferBytes, WriteBufferSize: bufferBytes,
		},
	}
}

// CallTool forwards one call.
func (h *hop) CallTool(ctx context.Context, req *toolgatev1.CallToolRequest) (*toolgatev1.CallToolResponse, error) {
	arguments := []byte(req.GetCall().GetArgumentsJson())
	request := (&http.Request{
		Method: http.MethodPost, URL: h.url, Host: h.url.Host, Header: h.header, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Body: io.NopCloser(bytes.NewReader(arguments)), ContentLength: int64(len(arguments)),
	}).WithContext(ctx)
	response, err := h.transport.RoundTrip(request)
	if err != nil {
		return nil, status.Error(codes.Unavailable, err.Error())
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := read(response)
	if err != nil || response.StatusCode != http.StatusOK {
		return nil, status.Errorf(codes.Unavailable, "status %d: %v", response.StatusCode, err)
	}
	return &toolgatev1.CallToolResponse{Outcome: &toolgatev1.CallToolResponse_Result{
		Result: &toolgatev1.ToolResult{StructuredJson: string(answer), Attempts: 1},
	}}, nil
}

func read(response *http.Response) ([]byte, error) {
	if response.ContentLength < 0 {
		return io.ReadAll(response.Body)
	}
	answer := make([]byte, response.ContentLength)
	_, err := io.ReadFull(response.Body, answer)
	return answer, err
}
