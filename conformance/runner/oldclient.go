package runner

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"strings"
	"time"
	"unicode"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	conformancev1 "toolgate.dev/toolgate/gen/go/toolgate/conformance/v1"
	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// oldClient makes the moves with the contract of a past release: it reads and
// writes what was published then and nothing else.
type oldClient struct{ past *past }

func (*oldClient) stop() {}

// execute makes one move, over a connection of its own.
func (c *oldClient) execute(ctx context.Context, request *conformancev1.ExecuteRequest) (*conformancev1.ExecuteResponse, error) {
	conn, err := dial(request.GetConnection())
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	action := request.GetAction()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if deadline := action.GetDeadline(); deadline > 0 {
		ctx, cancel = context.WithTimeout(ctx, secondsOf(deadline))
		defer cancel()
	}
	if after := action.GetCancelAfter(); after > 0 {
		defer time.AfterFunc(secondsOf(after), cancel).Stop()
	}
	if token := request.GetConnection().GetToken(); token != "" {
		ctx = metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+token)
	}
	return c.move(ctx, conn, request.GetRunId(), action), nil
}

func dial(connection *conformancev1.Connection) (*grpc.ClientConn, error) {
	transport := insecure.NewCredentials()
	if authority := connection.GetCaPem(); authority != "" {
		trusted := x509.NewCertPool()
		trusted.AppendCertsFromPEM([]byte(authority))
		transport = credentials.NewClientTLSFromCert(trusted, "")
	}
	return grpc.NewClient(connection.GetTarget(), grpc.WithTransportCredentials(transport), grpc.WithDisableRetry(), grpc.WithDisableServiceConfig())
}

func secondsOf(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func (c *oldClient) move(ctx context.Context, conn *grpc.ClientConn, run string, action *conformancev1.Action) *conformancev1.ExecuteResponse {
	response := &conformancev1.ExecuteResponse{}
	switch {
	case action.GetCall() != nil:
		response.Outcomes = []*conformancev1.Outcome{c.call(ctx, conn, &toolgatev1.CallToolRequest{RunId: run, Call: action.GetCall()})}
	case action.GetWaitTransient() != nil:
		request := &toolgatev1.CallToolRequest{RunId: run, Call: action.GetWaitTransient().GetCall()}
		response.Outcomes = []*conformancev1.Outcome{c.wait(ctx, conn, request, secondsOf(action.GetWaitTransient().GetWithin()))}
	case action.GetCallMany() != nil:
		response.Outcomes = c.many(ctx, conn, &toolgatev1.CallToolsRequest{RunId: run, Calls: action.GetCallMany().GetCalls()})
	case action.GetListTools() != nil:
		if _, err := c.invoke(ctx, conn, "ListTools", &toolgatev1.ListToolsRequest{}); err != nil {
			response.Outcomes = []*conformancev1.Outcome{rpcOutcome(0, err)}
		}
	case action.GetEndRun() != nil:
		answer, err := c.invoke(ctx, conn, "EndRun", &toolgatev1.EndRunRequest{RunId: run})
		if err != nil {
			response.Outcomes = []*conformancev1.Outcome{rpcOutcome(0, err)}
			break
		}
		response.Calls = member(member(answer, "run").Message(), "calls").Uint()
	default:
		response.Broken = "an action that this client does not know"
	}
	return response
}

// member reads a field that every release has.
func member(message protoreflect.Message, name protoreflect.Name) protoreflect.Value {
	return message.Get(message.Descriptor().Fields().ByName(name))
}

// asked is a request as that time's client writes it.
func (c *oldClient) asked(method protoreflect.MethodDescriptor, request proto.Message) (*dynamicpb.Message, error) {
	encoded, err := proto.Marshal(request)
	if err != nil {
		return nil, err
	}
	return c.past.read(method.Input(), encoded)
}

func (c *oldClient) invoke(ctx context.Context, conn *grpc.ClientConn, name string, request proto.Message) (*dynamicpb.Message, error) {
	method := c.past.method(name)
	in, err := c.asked(method, request)
	if err != nil {
		return nil, err
	}
	out := dynamicpb.NewMessage(method.Output())
	return out, conn.Invoke(ctx, "/"+string(serviceName)+"/"+name, in, out)
}

func (c *oldClient) call(ctx context.Context, conn *grpc.ClientConn, request *toolgatev1.CallToolRequest) *conformancev1.Outcome {
	answer, err := c.invoke(ctx, conn, "CallTool", request)
	if err != nil {
		return rpcOutcome(0, err)
	}
	return c.outcome(0, answer)
}

// shortestWait keeps a delay of nothing from becoming a storm.
const shortestWait = 100 * time.Millisecond

// wait repeats what time cures, as long as that fits.
func (c *oldClient) wait(ctx context.Context, conn *grpc.ClientConn, request *toolgatev1.CallToolRequest, within time.Duration) *conformancev1.Outcome {
	until := time.Now().Add(within)
	for {
		outcome := c.call(ctx, conn, request)
		failed := outcome.GetFailed()
		left := time.Until(until)
		if failed.GetErrorClass() != "transient" || failed.GetExhausted() || failed.GetRetryAfter() >= left.Seconds() || left <= shortestWait {
			return outcome
		}
		select {
		case <-time.After(max(secondsOf(failed.GetRetryAfter()), shortestWait)):
		case <-ctx.Done():
			return outcome
		}
	}
}

// many follows a stream to its end.
func (c *oldClient) many(ctx context.Context, conn *grpc.ClientConn, request *toolgatev1.CallToolsRequest) (outcomes []*conformancev1.Outcome) {
	done := make([]bool, len(request.GetCalls()))
	heard := make([][]*toolgatev1.CallProgress, len(done))
	err := c.follow(ctx, conn, request, func(event protoreflect.Message) {
		index, fields := member(event, "index").Uint(), event.Descriptor().Fields()
		switch {
		case index >= uint64(len(done)):
		case event.Has(fields.ByName("progress")):
			heard[index] = append(heard[index], today(member(event, "progress").Message(), &toolgatev1.CallProgress{}))
		case event.Has(fields.ByName("done")):
			outcome := c.outcome(uint32(index), member(event, "done").Message())
			outcome.Progress, done[index] = heard[index], true
			outcomes = append(outcomes, outcome)
		}
	})
	for index, ended := range done {
		if !ended {
			outcomes = append(outcomes, rpcOutcome(uint32(index), err))
		}
	}
	return outcomes
}

func (c *oldClient) follow(ctx context.Context, conn *grpc.ClientConn, request proto.Message, hear func(protoreflect.Message)) error {
	method := c.past.method("CallTools")
	in, err := c.asked(method, request)
	if err != nil {
		return err
	}
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, "/"+string(serviceName)+"/CallTools")
	if err != nil {
		return err
	}
	if err := errors.Join(stream.SendMsg(in), stream.CloseSend()); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	for {
		event := dynamicpb.NewMessage(method.Output())
		if err := stream.RecvMsg(event); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		hear(event)
	}
}

// outcome reads a CallToolResponse of that time.
func (c *oldClient) outcome(index uint32, response protoreflect.Message) *conformancev1.Outcome {
	fields := response.Descriptor().Fields()
	each(response, func(inner protoreflect.Message) { inner.SetUnknown(nil) })
	switch {
	case response.Has(fields.ByName("result")):
		result := today(member(response, "result").Message(), &toolgatev1.ToolResult{})
		return &conformancev1.Outcome{Index: index, Outcome: &conformancev1.Outcome_Result{Result: &conformancev1.Answered{Message: result}}}
	case response.Has(fields.ByName("error")):
		return &conformancev1.Outcome{Index: index, Outcome: &conformancev1.Outcome_Failed{Failed: failureOf(member(response, "error").Message())}}
	}
	return rpcOutcome(index, nil) // an outcome of a kind to come is no answer
}

func failureOf(e protoreflect.Message) *conformancev1.Failed {
	whole := today(e, &toolgatev1.ToolError{})
	failed := &conformancev1.Failed{
		ErrorClass: nameOf(toolgatev1.ErrorClass(member(e, "error_class").Enum())), Code: member(e, "code").String(),
		Message: member(e, "message").String(), Exhausted: member(e, "exhausted").Bool(),
		Violations: whole.GetViolations(), Alternatives: whole.GetAlternatives(),
		BlockedBy: member(e, "blocked_by").String(), UnblockWith: member(e, "unblock_with").String(),
		Observation: member(e, "observation").String(), Error: whole,
	}
	if wait := e.Descriptor().Fields().ByName("retry_after"); e.Has(wait) {
		failed.RetryAfter = proto.Float64(e.Get(wait).Float())
	}
	return failed
}

// today is a message of that time in today's type, for the comparison.
func today[M proto.Message](message protoreflect.Message, into M) M {
	if encoded, err := proto.Marshal(message.Interface()); err == nil {
		_ = proto.Unmarshal(encoded, into)
	}
	return into
}

func rpcOutcome(index uint32, err error) *conformancev1.Outcome {
	failure := &conformancev1.RpcFailure{Code: "UNKNOWN"}
	if err != nil {
		st := status.Convert(err)
		failure.Code = spelled(st.Code())
		for _, detail := range st.Details() {
			if info, ok := detail.(*errdetails.ErrorInfo); ok {
				failure.Reason = info.GetReason()
			}
		}
	}
	return &conformancev1.Outcome{Index: index, Outcome: &conformancev1.Outcome_Rpc{Rpc: failure}}
}

// spelled is a gRPC code as the protocol spells it.
func spelled(code codes.Code) string {
	if code == codes.Canceled {
		return "CANCELLED"
	}
	var name strings.Builder
	for i, letter := range code.String() {
		if unicode.IsUpper(letter) && i > 0 {
			name.WriteByte('_')
		}
		name.WriteRune(unicode.ToUpper(letter))
	}
	return name.String()
}
