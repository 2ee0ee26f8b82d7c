package runner

import (
	"context"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	conformancev1 "toolgate.dev/toolgate/gen/go/toolgate/conformance/v1"
	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// future is a gateway of another version: it answers from a vector, with fields
// and events that this version's clients don't know.
type future struct {
	toolgatev1.UnimplementedToolGatewayServiceServer

	mu      sync.Mutex // guards answers
	answers []*conformancev1.Answer
}

func startFuture(vector *conformancev1.Vector) (target string, stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := grpc.NewServer()
	toolgatev1.RegisterToolGatewayServiceServer(server, &future{answers: slices.Clone(vector.GetGateway())})
	go func() { _ = server.Serve(listener) }()
	return listener.Addr().String(), server.Stop, nil
}

// CallTool gives the next answer.
func (f *future) CallTool(context.Context, *toolgatev1.CallToolRequest) (*toolgatev1.CallToolResponse, error) {
	return f.next()
}

// CallTools gives each call the next answer, after an event of a kind to come.
func (f *future) CallTools(request *toolgatev1.CallToolsRequest, stream grpc.ServerStreamingServer[toolgatev1.CallToolsResponse]) error {
	for i := range request.GetCalls() {
		unknown := &toolgatev1.CallToolsResponse{Index: uint32(i)}
		unknown.ProtoReflect().SetUnknown(protowire.AppendString(protowire.AppendTag(nil, 15, protowire.BytesType), "later"))
		if err := stream.Send(unknown); err != nil {
			return err
		}
		response, err := f.next()
		if err != nil {
			return err
		}
		done := &toolgatev1.CallToolsResponse{Index: uint32(i), Event: &toolgatev1.CallToolsResponse_Done{Done: response}}
		if err := stream.Send(done); err != nil {
			return err
		}
	}
	return nil
}

// ListTools gives the next answer's bytes.
func (f *future) ListTools(context.Context, *toolgatev1.ListToolsRequest) (*toolgatev1.ListToolsResponse, error) {
	return raw(f.take(), &toolgatev1.ListToolsResponse{}), nil
}

// EndRun gives the next answer's bytes.
func (f *future) EndRun(context.Context, *toolgatev1.EndRunRequest) (*toolgatev1.EndRunResponse, error) {
	return raw(f.take(), &toolgatev1.EndRunResponse{}), nil
}

// raw makes an empty message one that goes out as an answer's bytes.
func raw[M proto.Message](answer *conformancev1.Answer, message M) M {
	message.ProtoReflect().SetUnknown(answer.GetEncoded())
	return message
}

func (f *future) take() *conformancev1.Answer {
	f.mu.Lock()
	defer f.mu.Unlock()
	answer := f.answers[0]
	if len(f.answers) > 1 {
		f.answers = f.answers[1:]
	}
	return answer
}

func (f *future) next() (*toolgatev1.CallToolResponse, error) {
	answer := f.take()
	if answer.GetRpc() != nil {
		return nil, statusOf(answer.GetRpc())
	}
	response := proto.CloneOf(answer.GetResponse())
	if response == nil {
		response = &toolgatev1.CallToolResponse{}
	}
	if len(answer.GetEncoded()) > 0 {
		return raw(answer, response), nil
	}
	inner := response.ProtoReflect()
	switch {
	case response.GetError() != nil:
		inner = response.GetError().ProtoReflect()
	case response.GetResult() != nil:
		inner = response.GetResult().ProtoReflect()
	}
	inner.SetUnknown(answer.GetMore())
	return response, nil
}

// statusOf is a status as the gateway makes them.
func statusOf(failure *conformancev1.RpcFailure) error {
	var code codes.Code
	if err := code.UnmarshalJSON([]byte(strconv.Quote(failure.GetCode()))); err != nil {
		code = codes.Unknown
	}
	st := status.New(code, "as the vector says") //nolint:forbidigo // another gateway's, not this one's
	info := &errdetails.ErrorInfo{Domain: "toolgate.dev", Reason: failure.GetReason()}
	detailed, err := st.WithDetails(info, &errdetails.RetryInfo{RetryDelay: durationpb.New(10 * time.Millisecond)})
	if err != nil {
		return st.Err()
	}
	return detailed.Err()
}
