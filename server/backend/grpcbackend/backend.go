package grpcbackend

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend"
	"toolgate.dev/toolgate/server/backend/grpcbackend/methods"
)

// diagnosisRoom is how much more of an answer is kept than is passed on.
const diagnosisRoom = 64 << 10

// Backend sends the calls of one tool. It implements interceptors.Backend and is
// safe for concurrent use.
type Backend struct {
	server    *Server
	name      string // package.Service/Method
	headers   metadata.MD
	keyHeader string // where the idempotency key goes; empty: not into metadata
	keyField  string // of the request; empty: not into it
	messages  int
	reads     bool
	bearer    backend.Bearer // nil: no token is shown
	max       int
	method    atomic.Pointer[methods.Method] // nil: the server was not described yet
}

// New compiles a tool's gRPC entry. The error is a Faults.
func New(spec Spec) (*Backend, error) {
	b := &Backend{
		server: spec.Server, name: strings.TrimPrefix(spec.Call.GetMethod(), "/"), headers: Metadata(spec.Headers, spec.SecretHeaders),
		messages: defaultMessages, reads: spec.Reads, bearer: spec.Bearer, max: spec.MaxResultBytes + diagnosisRoom,
	}
	if spec.Call.MaxMessages != nil {
		b.messages = int(spec.Call.GetMaxMessages())
	}
	var faults backend.Faults
	if b.messages < 1 || b.messages > 10_000 {
		faults = append(faults, backend.Fault{Path: "grpc.max_messages", Message: fmt.Sprintf("%d is out of range", b.messages), Accepted: "1 to 10000"})
	}
	faults = append(faults, b.placeKey(spec.IdempotencyKey)...)
	if service, method, ok := strings.Cut(b.name, "/"); !ok || service == "" || method == "" || strings.Contains(method, "/") {
		faults = append(faults, backend.Fault{Path: "grpc.method", Message: "this names no method", Accepted: "package.Service/Method"})
	} else if spec.Services != nil {
		found, fault := b.find(spec.Services)
		if fault != nil {
			faults = append(faults, *fault)
		} else {
			b.method.Store(found)
			faults = append(faults, b.checkKey(found)...)
		}
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return b, nil
}

// placeKey finds out where the idempotency key goes.
func (b *Backend) placeKey(key *catalogv1.IdempotencyKey) backend.Faults {
	if key == nil {
		return nil
	}
	name := key.GetName()
	switch key.GetIn() {
	case catalogv1.Location_LOCATION_BODY:
		if b.keyField = name; name == "" {
			return backend.Faults{{Path: "idempotency_key.name", Message: "the field of the request is missing", Accepted: "a field that is text, such as request_id"}}
		}
	case catalogv1.Location_LOCATION_QUERY:
		return backend.Faults{{Path: "idempotency_key.in", Message: "a gRPC request has no query", Accepted: "header, body"}}
	default:
		if name == "" {
			name = "Idempotency-Key"
		}
		if message := CheckHeader(name, ""); message != "" {
			return backend.Faults{{Path: "idempotency_key.name", Message: message, Accepted: "a name of metadata"}}
		}
		b.keyHeader = strings.ToLower(name)
	}
	return nil
}

func (b *Backend) checkKey(method *methods.Method) backend.Faults {
	if b.keyField == "" || method.TextField(b.keyField) {
		return nil
	}
	return backend.Faults{{Path: "idempotency_key.name", Message: fmt.Sprintf("the request has no field %q that is text", b.keyField)}}
}

// find finds the method among services, and what keeps it from being called.
func (b *Backend) find(services *methods.Services) (*methods.Method, *backend.Fault) {
	method, known := services.Find(b.name)
	switch {
	case !known:
		return nil, &backend.Fault{Path: "grpc.method", Message: fmt.Sprintf("the server has no method %q", b.name), Name: b.name, Names: services.Names()}
	case method.TakesStream():
		return nil, &backend.Fault{
			Path: "grpc.method", Message: b.name + " takes a stream of requests, and a tool call is one",
			Accepted: "a method that takes one request",
		}
	case method.Missing():
		return nil, &backend.Fault{Path: "grpc.method", Message: "the description lacks what " + b.name + " takes or answers", Accepted: "a description with all imports"}
	}
	return method, nil
}

// Host is the upstream's host without port.
func (b *Backend) Host() string { return b.server.settings.Host() }

// Server is the way to the upstream.
func (b *Backend) Server() *Server { return b.server }

// Attempt implements interceptors.Backend.
func (b *Backend) Attempt(ctx context.Context, call *interceptors.Call) *interceptors.Reply {
	if ctx.Err() != nil {
		return failed(interceptors.EndedAs(ctx), ctx.Err(), false)
	}
	method, reply := b.known(ctx)
	if reply != nil {
		return reply
	}
	arguments := call.Arguments.JSON
	if len(arguments) == 0 {
		arguments = []byte("{}")
	}
	request, err := method.Encode(arguments, b.keyField, call.IdempotencyKey)
	if err != nil {
		return refuse(err)
	}
	if ctx = b.outgoing(ctx, call); b.bearer != nil {
		return b.bearing(ctx, method, request)
	}
	return b.send(ctx, method, request)
}

// known is the method, for which the server is asked where it could not be before.
func (b *Backend) known(ctx context.Context) (*methods.Method, *interceptors.Reply) {
	if method := b.method.Load(); method != nil {
		return method, nil
	}
	services, err := b.server.services(ctx)
	if err != nil {
		return nil, undescribed(ctx, err)
	}
	method, fault := b.find(services)
	if fault != nil {
		return nil, failed(interceptors.FailureRequest, errors.New(fault.Message), false)
	}
	b.method.Store(method)
	return method, nil
}

// undescribed makes the reply where the server could not be asked what its services
// are. Nothing of the call left.
func undescribed(ctx context.Context, err error) *interceptors.Reply {
	if fail, ok := errors.AsType[*failure](err); ok {
		return fail.reply()
	}
	st, spoken := status.FromError(err)
	switch {
	case ctx.Err() != nil:
		return failed(interceptors.EndedAs(ctx), ctx.Err(), false)
	case errors.Is(err, errNoReflection):
		return failed(interceptors.FailureRequest, err, false)
	case spoken && st.Code() != codes.Unavailable:
		reply := refused(st, nil)
		reply.Sent = false
		return reply
	}
	return failed(interceptors.FailureReset, err, false)
}

const maxEchoBytes = 256

// refuse makes the reply of arguments that the request can't hold: the gateway's own
// word, not the upstream's.
func refuse(err error) *interceptors.Reply {
	reply := failed(interceptors.FailureRequest, err, false)
	fault, ok := errors.AsType[*methods.Fault](err)
	if !ok {
		return reply
	}
	value := fault.Value
	if len(value) > maxEchoBytes {
		value = nil
	}
	reply.ToolError = &toolgatev1.ToolError{
		ErrorClass: interceptors.InvalidRequest, Code: interceptors.CodeInvalidArguments,
		Message:      fmt.Sprintf("The argument %q can't be sent: %s.", fault.Field, fault.Problem),
		ClassifiedBy: toolgatev1.ClassifiedBy_CLASSIFIED_BY_GATEWAY,
		Violations: []*toolgatev1.Violation{{
			Field: fault.Field, ValueJson: string(value), Problem: fault.Problem, Format: fault.Accepted,
		}},
	}
	return reply
}
