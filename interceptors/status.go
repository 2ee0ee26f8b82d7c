package interceptors

import (
	"context"
	"errors"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"
)

// This file makes every gRPC status of the gateway; the linter forbids it
// elsewhere. A status says that the runtime or the gateway is at fault.

// ErrorDomain is the domain of every ErrorInfo.
const ErrorDomain = "toolgate.dev"

// StatusInvalid answers a message that the runtime must mend: reason is UPPER_SNAKE, field
// as google.rpc.BadRequest writes it.
func StatusInvalid(reason, field, description string) error {
	return withDetails(codes.InvalidArgument, field+": "+description, reason, &errdetails.BadRequest{
		FieldViolations: []*errdetails.BadRequest_FieldViolation{{Field: field, Description: description, Reason: reason}},
	})
}

// StatusFull answers a call that the process has no room for.
func StatusFull(retry time.Duration) error {
	return withDetails(codes.ResourceExhausted, "the gateway has too many calls in flight", "GATEWAY_FULL",
		&errdetails.RetryInfo{RetryDelay: durationpb.New(retry)})
}

// StatusDraining answers a call that came after shutdown began.
func StatusDraining() error {
	return withDetails(codes.Unavailable, "the gateway is shutting down; another replica takes the call", "DRAINING")
}

// StatusInternal answers a fault of the gateway outside any tool call. The
// cause goes to the log, not to the caller.
func StatusInternal(cause error) error {
	return &internalError{cause: cause}
}

// StatusDone answers a call whose caller went away or ran out of time; ctx must
// be done.
func StatusDone(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return withDetails(codes.DeadlineExceeded, "the caller's deadline passed", "CALLER_DEADLINE")
	}
	return withDetails(codes.Canceled, "the caller cancelled the call", "CALLER_CANCELLED")
}

func withDetails(code codes.Code, message, reason string, details ...protoadapt.MessageV1) error {
	st := status.New(code, message)
	all := append([]protoadapt.MessageV1{&errdetails.ErrorInfo{Reason: reason, Domain: ErrorDomain}}, details...)
	if rich, err := st.WithDetails(all...); err == nil {
		st = rich
	}
	return st.Err()
}

// internalError keeps the cause for the log and shows none of it.
type internalError struct{ cause error }

func (e *internalError) Error() string { return "internal fault of the gateway" }
func (e *internalError) Unwrap() error { return e.cause }

// GRPCStatus makes it a status for grpc-go.
func (e *internalError) GRPCStatus() *status.Status {
	return status.Convert(withDetails(codes.Internal, e.Error(), "INTERNAL"))
}
