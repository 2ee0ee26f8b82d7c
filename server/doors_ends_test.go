package server_test

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	"toolgate.dev/toolgate/internal/pipetest"
	"toolgate.dev/toolgate/server/backend/funcbackend"
	"toolgate.dev/toolgate/server/catalog"
	"toolgate.dev/toolgate/server/servertest"
)

// never is how a tool fails that never answers.
const never = "never"

// actSchema is that of `act` behind every back end.
const actSchema = `
    effect: read
    policy: {breaker_failures: 1000} # the doors take turns
    input_schema: {type: object, properties: {how: {type: string}}, additionalProperties: false}
`

func actOverHTTP(t *testing.T) *catalog.Catalog {
	upstream := servertest.NewUpstream(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("how") == never {
			servertest.Hang(w, r)
			return
		}
		servertest.Respond(http.StatusTeapot, failureAsJSON(t, r.URL.Query().Get("how")))(w, r)
	})
	return servertest.Load(t, `
upstreams: {own: {url: "http://upstream.test", speaks: toolgate}}
tools:
  - name: act
    description: Acts.
    upstream: own
    http: {method: GET, url: "/act"}`+actSchema, upstream)
}

func actInProcess(t *testing.T) *catalog.Catalog {
	return servertest.Load(t, "tools:\n  - name: act\n    description: Acts.\n    function: {}"+actSchema, nil,
		catalog.WithFunction("act", func(ctx context.Context, arguments json.RawMessage) (any, error) {
			how := howOf(t, arguments)
			if how == never {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return nil, funcbackend.Fail(failures[how])
		}))
}

func howOf(t *testing.T, arguments []byte) string {
	var call struct{ How string }
	if err := json.Unmarshal(arguments, &call); err != nil {
		t.Error(err)
	}
	return call.How
}

func failureAsJSON(t *testing.T, how string) string {
	text, err := protojson.Marshal(failures[how])
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

// dialing reaches a listener in memory, whatever the address.
func dialing(listener *pipetest.Listener) catalog.Option {
	return catalog.WithDial(func(ctx context.Context, _, _ string) (net.Conn, error) { return listener.DialContext(ctx) })
}

// actOverMCP is a server of the official SDK, over streamable HTTP.
func actOverMCP(t *testing.T) *catalog.Catalog {
	served := sdk.NewServer(&sdk.Implementation{Name: "act", Version: "1"}, nil)
	served.AddTool(&sdk.Tool{Name: "act", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		how := howOf(t, req.Params.Arguments)
		if how == never {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		own := failureAsJSON(t, how)
		return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: "see there"}}, Meta: sdk.Meta{"dev.toolgate/error": json.RawMessage(own)}}, nil
	})
	listener := pipetest.Listen()
	web := &http.Server{Handler: sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return served }, nil)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = web.Serve(listener)
	}()
	t.Cleanup(func() {
		for session := range served.Sessions() {
			_ = session.Close()
		}
		_ = web.Close()
		<-done
	})
	return servertest.Load(t, `
upstreams: {own: {url: "http://upstream.test/mcp", mcp: {}, speaks: toolgate}}
tools:
  - name: act
    description: Acts.
    upstream: own
    mcp: {tool: act}`+actSchema, nil, dialing(listener))
}

// actOverGRPC is a server whose failures are details of a status.
func actOverGRPC(t *testing.T) *catalog.Catalog {
	file := &descriptorpb.FileDescriptorProto{
		Name: proto.String("act/v1/act.proto"), Package: proto.String("act.v1"), Syntax: proto.String("proto3"),
		MessageType: []*descriptorpb.DescriptorProto{
			{Name: proto.String("ActRequest"), Field: []*descriptorpb.FieldDescriptorProto{{
				Name: proto.String("how"), Number: proto.Int32(1), Type: descriptorpb.FieldDescriptorProto_TYPE_STRING.Enum(),
				Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(), JsonName: proto.String("how"),
			}}},
			{Name: proto.String("ActResponse")},
		},
		Service: []*descriptorpb.ServiceDescriptorProto{{Name: proto.String("ActService"), Method: []*descriptorpb.MethodDescriptorProto{{
			Name: proto.String("Act"), InputType: proto.String(".act.v1.ActRequest"), OutputType: proto.String(".act.v1.ActResponse"),
		}}}},
	}
	described, err := protodesc.NewFile(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	set, err := proto.Marshal(&descriptorpb.FileDescriptorSet{File: []*descriptorpb.FileDescriptorProto{file}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "act.binpb")
	if err := os.WriteFile(path, set, 0o600); err != nil {
		t.Fatal(err)
	}
	listener := pipetest.Listen()
	served := grpc.NewServer(grpc.UnknownServiceHandler(actingAs(described.Messages().ByName("ActRequest"))))
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = served.Serve(listener)
	}()
	t.Cleanup(func() {
		served.Stop()
		<-done
	})
	return servertest.Load(t, `
upstreams: {own: {url: "grpc://upstream.test:1", grpc: {descriptor_set: "`+path+`"}}}
tools:
  - name: act
    description: Acts.
    upstream: own
    grpc: {method: act.v1.ActService/Act}`+actSchema, nil, dialing(listener))
}

func actingAs(request protoreflect.MessageDescriptor) grpc.StreamHandler {
	return func(_ any, stream grpc.ServerStream) error {
		message := dynamicpb.NewMessage(request)
		if err := stream.RecvMsg(message); err != nil {
			return err
		}
		how := message.Get(request.Fields().ByName("how")).String()
		if how == never {
			<-stream.Context().Done()
			return stream.Context().Err()
		}
		told, err := status.New(codes.Aborted, "see there").WithDetails(failures[how])
		if err != nil {
			return err
		}
		return told.Err()
	}
}
