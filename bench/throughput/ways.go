package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

const (
	tool         = "create_invoice"
	answerBytes  = 110
	callDeadline = 30 * time.Second // as a client sets one
)

// way is one way to the back end. call makes the n-th call of a caller.
type way struct {
	name    string
	process *process // whose CPU is told; nil: there is nobody between
	call    func(ctx context.Context, caller, n int, arguments string) error
	close   func()
}

// connect opens the three ways.
func (s *stage) connect() error {
	hop, err := overGRPC("B", s.hop)
	if err != nil {
		return err
	}
	gateway, err := overGRPC("T", s.gateway)
	if err != nil {
		return err
	}
	s.ways = []way{direct(s.backend), hop, gateway}
	return nil
}

func direct(to *process) way {
	transport := &http.Transport{MaxIdleConnsPerHost: 512, MaxConnsPerHost: 512}
	client := &http.Client{Transport: transport}
	url := "http://" + to.address + "/invoices"
	return way{name: "A", close: transport.CloseIdleConnections, call: func(ctx context.Context, _, _ int, arguments string) error {
		ctx, cancel := context.WithTimeout(ctx, callDeadline)
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader([]byte(arguments)))
		if err != nil {
			return err
		}
		request.Header.Set("Content-Type", "application/json")
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		defer func() { _ = response.Body.Close() }()
		answer, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != http.StatusOK || len(answer) != answerBytes {
			return fmt.Errorf("status %d, %d bytes: %w", response.StatusCode, len(answer), err)
		}
		return nil
	}}
}

// overGRPC calls as a runtime does: a run of its own per caller, an id per call.
func overGRPC(name string, to *process) (way, error) {
	conn, err := grpc.NewClient("passthrough:///"+to.address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return way{}, err
	}
	client := toolgatev1.NewToolGatewayServiceClient(conn)
	session := strconv.FormatInt(time.Now().UnixNano(), 36)
	call := func(ctx context.Context, caller, n int, arguments string) error {
		ctx, cancel := context.WithTimeout(ctx, callDeadline)
		defer cancel()
		run := "run-" + strconv.Itoa(caller)
		reply, err := client.CallTool(ctx, &toolgatev1.CallToolRequest{RunId: run, Call: &toolgatev1.ToolCall{
			CallId: session + "-" + strconv.Itoa(n), Tool: tool, ArgumentsJson: arguments,
		}})
		if err != nil {
			return err
		}
		if got := len(reply.GetResult().GetStructuredJson()); got != answerBytes {
			return fmt.Errorf("%s answered %d bytes: %s", name, got, reply.GetError().GetObservation())
		}
		return nil
	}
	return way{name: name, process: to, call: call, close: func() { _ = conn.Close() }}, nil
}
