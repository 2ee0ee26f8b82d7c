package web_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/internal/pipetest"
	"toolgate.dev/toolgate/server"
	"toolgate.dev/toolgate/server/servertest"
)

const catalogue = `
tools:
  - name: find
    description: Finds.
    http: {method: GET, url: "http://upstream.test/find"}
    input_schema: {type: object, properties: {n: {type: integer}}, additionalProperties: false}
`

// start runs a gateway and returns a client of its HTTP door, of HTTP/2 if asked.
func start(t *testing.T, version string, script ...servertest.Step) *http.Client {
	t.Helper()
	listener := pipetest.Listen()
	servertest.Start(t, servertest.Load(t, catalogue, servertest.NewUpstream(t, script...)), func(c *server.Config) {
		c.HTTP = server.HTTP{Listener: listener, Origins: []string{"https://app.example"}}
	})
	transport := &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return listener.DialContext(ctx) },
		Protocols:   &http.Protocols{},
	}
	transport.Protocols.SetHTTP1(version == "HTTP/1.1")
	transport.Protocols.SetUnencryptedHTTP2(version == "HTTP/2")
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// protocols are the ways of a generated client.
var protocols = []struct {
	name, version string
	options       []connect.ClientOption
}{
	{"Connect", "HTTP/1.1", nil},
	{"Connect with JSON", "HTTP/1.1", []connect.ClientOption{connect.WithProtoJSON()}},
	{"Connect with gzip", "HTTP/2", []connect.ClientOption{connect.WithSendGzip()}},
	{"gRPC-Web", "HTTP/1.1", []connect.ClientOption{connect.WithGRPCWeb()}},
	{"gRPC-Web over HTTP/2", "HTTP/2", []connect.ClientOption{connect.WithGRPCWeb()}},
	{"gRPC", "HTTP/2", []connect.ClientOption{connect.WithGRPC()}},
}

// rpc makes one call of one rpc.
func rpc[Req, Resp any](ctx context.Context, client *http.Client, method string, req *Req, options ...connect.ClientOption) (*Resp, error) {
	resp, err := connect.NewClient[Req, Resp](client, "http://gateway.test"+method, options...).CallUnary(ctx, connect.NewRequest(req))
	if err != nil {
		return nil, err
	}
	return resp.Msg, nil
}

func TestEveryRPCIsThereInEveryProtocol(t *testing.T) {
	for _, p := range protocols {
		client, ctx := start(t, p.version, servertest.Respond(200, `{"a":1.50}`)), t.Context()
		call := &toolgatev1.CallToolRequest{RunId: "r", Call: &toolgatev1.ToolCall{Tool: "find", ArgumentsJson: `{"n":1}`}}
		called, err := rpc[toolgatev1.CallToolRequest, toolgatev1.CallToolResponse](ctx, client, toolgatev1.ToolGatewayService_CallTool_FullMethodName, call, p.options...)
		if err != nil || called.GetResult().GetStructuredJson() != `{"a":1.50}` {
			t.Errorf("%s: %v %v", p.name, called, err)
		}
		call.Call.ArgumentsJson = `{"n":"x"}`
		called, err = rpc[toolgatev1.CallToolRequest, toolgatev1.CallToolResponse](ctx, client, toolgatev1.ToolGatewayService_CallTool_FullMethodName, call, p.options...)
		if failed := called.GetError(); err != nil || failed.GetErrorClass() != toolgatev1.ErrorClass_ERROR_CLASS_INVALID_REQUEST || failed.GetObservation() == "" {
			t.Errorf("%s: %v %v", p.name, called, err)
		}
		listed, err := rpc[toolgatev1.ListToolsRequest, toolgatev1.ListToolsResponse](ctx, client, toolgatev1.ToolGatewayService_ListTools_FullMethodName, &toolgatev1.ListToolsRequest{}, p.options...)
		if err != nil || len(listed.GetTools()) != 1 {
			t.Errorf("%s: %v %v", p.name, listed, err)
		}
		run, err := rpc[toolgatev1.GetRunRequest, toolgatev1.GetRunResponse](ctx, client, toolgatev1.ToolGatewayService_GetRun_FullMethodName, &toolgatev1.GetRunRequest{RunId: "r"}, p.options...)
		if err != nil || run.GetRun().GetCalls() != 2 {
			t.Errorf("%s: %v %v", p.name, run, err)
		}
		ended, err := rpc[toolgatev1.EndRunRequest, toolgatev1.EndRunResponse](ctx, client, toolgatev1.ToolGatewayService_EndRun_FullMethodName, &toolgatev1.EndRunRequest{RunId: "r"}, p.options...)
		if err != nil || ended.GetRun().GetCalls() != 2 {
			t.Errorf("%s: %v %v", p.name, ended, err)
		}
		report, err := rpc[toolgatev1.GetFailureReportRequest, toolgatev1.GetFailureReportResponse](ctx, client, toolgatev1.ToolGatewayService_GetFailureReport_FullMethodName, &toolgatev1.GetFailureReportRequest{}, p.options...)
		if err != nil || report.GetFailuresTotal() != 1 {
			t.Errorf("%s: %v %v", p.name, report, err)
		}
	}
}

func TestABatchIsStreamedInEveryProtocol(t *testing.T) {
	for _, p := range protocols {
		synctest.Test(t, func(t *testing.T) {
			client := start(t, p.version, servertest.Respond(503, "{}"), servertest.Respond(200, "{}"))
			stream, err := connect.NewClient[toolgatev1.CallToolsRequest, toolgatev1.CallToolsResponse](
				client, "http://gateway.test"+toolgatev1.ToolGatewayService_CallTools_FullMethodName, p.options...,
			).CallServerStream(t.Context(), connect.NewRequest(&toolgatev1.CallToolsRequest{
				RunId: "r", Calls: []*toolgatev1.ToolCall{{Tool: "find"}, {Tool: "nobody"}},
			}))
			if err != nil {
				t.Fatalf("%s: %v", p.name, err)
			}
			var done []uint32
			progress := 0
			for stream.Receive() {
				if stream.Msg().GetDone() != nil {
					done = append(done, stream.Msg().GetIndex())
				} else {
					progress++
				}
			}
			if err := errors.Join(stream.Err(), stream.Close()); err != nil || !slices.Equal(done, []uint32{1, 0}) || progress != 3 {
				t.Errorf("%s: done %v, %d times progress, %v", p.name, done, progress, err)
			}
		})
	}
}

func TestAStatusKeepsItsCodeAndItsDetails(t *testing.T) {
	for _, p := range protocols {
		client := start(t, p.version)
		_, err := rpc[toolgatev1.GetRunRequest, toolgatev1.GetRunResponse](t.Context(), client, toolgatev1.ToolGatewayService_GetRun_FullMethodName, &toolgatev1.GetRunRequest{}, p.options...)
		told, ok := errors.AsType[*connect.Error](err)
		if !ok || told.Code() != connect.CodeInvalidArgument {
			t.Errorf("%s: %v", p.name, err)
			continue
		}
		reason := ""
		for _, detail := range told.Details() {
			if value, err := detail.Value(); err == nil {
				if info, ok := value.(*errdetails.ErrorInfo); ok {
					reason = info.GetReason()
				}
			}
		}
		if reason != "RUN_ID_MISSING" {
			t.Errorf("%s: the reason is %q", p.name, reason)
		}
	}
}

func TestTheDeadlineOfAClientIsTheCalls(t *testing.T) {
	for _, p := range protocols {
		synctest.Test(t, func(t *testing.T) {
			client := start(t, p.version, servertest.Hang)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			called, err := rpc[toolgatev1.CallToolRequest, toolgatev1.CallToolResponse](ctx, client, toolgatev1.ToolGatewayService_CallTool_FullMethodName,
				&toolgatev1.CallToolRequest{RunId: "r", Call: &toolgatev1.ToolCall{Tool: "find"}}, p.options...)
			if err != nil || called.GetError().GetCode() != "timeout" {
				t.Errorf("%s: %v %v", p.name, called, err)
			}
		})
	}
}

// A page asks first, and then sends frames: a head of five bytes, and the status as
// the last frame (the gRPC-Web protocol).
func TestAPageThatIsInvitedSpeaksGRPCWeb(t *testing.T) {
	client := start(t, "HTTP/1.1", servertest.Respond(200, `{}`))
	const url = "http://gateway.test" + toolgatev1.ToolGatewayService_CallTool_FullMethodName
	ask, err := http.NewRequestWithContext(t.Context(), http.MethodOptions, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	ask.Header.Set("Origin", "https://app.example")
	ask.Header.Set("Access-Control-Request-Method", "POST")
	ask.Header.Set("Access-Control-Request-Headers", "content-type,x-grpc-web,x-user-agent")
	allowed, err := client.Do(ask)
	if err != nil {
		t.Fatal(err)
	}
	_ = allowed.Body.Close()
	for _, header := range []string{"content-type", "x-grpc-web", "x-user-agent", "connect-protocol-version", "authorization"} {
		if !strings.Contains(strings.ToLower(allowed.Header.Get("Access-Control-Allow-Headers")), header) {
			t.Errorf("a page may not send %s", header)
		}
	}
	if allowed.StatusCode != http.StatusNoContent || allowed.Header.Get("Access-Control-Allow-Origin") != "https://app.example" ||
		!strings.Contains(allowed.Header.Get("Access-Control-Allow-Methods"), "POST") {
		t.Errorf("%d %v", allowed.StatusCode, allowed.Header)
	}

	message, err := proto.Marshal(&toolgatev1.CallToolRequest{RunId: "r", Call: &toolgatev1.ToolCall{Tool: "find"}})
	if err != nil {
		t.Fatal(err)
	}
	frame := append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message))), message...)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(frame))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Origin", "https://app.example")
	req.Header.Set("Content-Type", "application/grpc-web+proto")
	req.Header.Set("X-Grpc-Web", "1")
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || resp.Header.Get("Access-Control-Allow-Origin") != "https://app.example" {
		t.Fatalf("%d %v %v", resp.StatusCode, resp.Header, err)
	}
	size := binary.BigEndian.Uint32(body[1:5])
	answer, trailer := &toolgatev1.CallToolResponse{}, body[5+size:]
	if err := proto.Unmarshal(body[5:5+size], answer); err != nil || answer.GetResult() == nil {
		t.Errorf("%v %v", answer, err)
	}
	if trailer[0] != 0x80 || !strings.Contains(strings.ToLower(string(trailer[5:])), "grpc-status: 0") {
		t.Errorf("the last frame is %q", trailer)
	}
	if !strings.Contains(resp.Header.Get("Access-Control-Expose-Headers"), "Grpc-Status") {
		t.Errorf("a page reads %s", resp.Header.Get("Access-Control-Expose-Headers"))
	}
}

func TestAMessageThatIsTooLargeIsRefused(t *testing.T) {
	client := start(t, "HTTP/1.1")
	_, err := rpc[toolgatev1.CallToolRequest, toolgatev1.CallToolResponse](t.Context(), client, toolgatev1.ToolGatewayService_CallTool_FullMethodName,
		&toolgatev1.CallToolRequest{RunId: "r", Call: &toolgatev1.ToolCall{Tool: "find", ArgumentsJson: strings.Repeat("x", 33<<20)}}, connect.WithSendGzip())
	if connect.CodeOf(err) != connect.CodeResourceExhausted {
		t.Errorf("got %v", err)
	}
}
