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

// The reasons of UNAUTHENTICATED and PERMISSION_DENIED, and of a caller that asks for
// too much (RESOURCE_EXHAUSTED). They are stable.
const (
	ReasonCredentialMissing = "CREDENTIAL_MISSING" //nolint:gosec // no credential: none was shown
	ReasonCredentialInvalid = "CREDENTIAL_INVALID" //nolint:gosec // no credential: it is not known, or not genuine
	ReasonCredentialExpired = "CREDENTIAL_EXPIRED" //nolint:gosec // no credential: it was valid; fetch another
	ReasonNoRights          = "NO_RIGHTS"          // the caller is known and may do nothing
	ReasonReportNotAllowed  = "REPORT_NOT_ALLOWED" // the failure report is not for this caller
	ReasonCallerRate        = "CALLER_RATE"        // more requests per second than the caller has
	ReasonCallerInFlight    = "CALLER_IN_FLIGHT"   // more requests at a time than the caller has
)

// StatusUnauthenticated answers a caller that nobody knows. The message must hold
// nothing of its credential.
func StatusUnauthenticated(reason, message string) error {
	return withDetails(codes.Unauthenticated, message, reason)
}

// StatusForbidden answers a known caller that may not do this at all. A tool that it
// may not use is no such thing: that is answered as one that does not exist.
func StatusForbidden(reason, message string) error {
	return withDetails(codes.PermissionDenied, message, reason)
}

// StatusCallerOver answers a caller that asks for more than it may; in retry it may
// ask again.
func StatusCallerOver(reason, message string, retry time.Duration) error {
	return withDetails(codes.ResourceExhausted, message, reason, &errdetails.RetryInfo{RetryDelay: durationpb.New(retry)})
}

// StatusIdentityUnavailable answers a caller whose credential can't be checked right
// now, since the keys of its issuer can't be had.
func StatusIdentityUnavailable(retry time.Duration) error {
	return withDetails(codes.Unavailable, "the caller's token can't be checked right now", "IDENTITY_UNAVAILABLE",
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
