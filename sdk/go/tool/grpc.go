package tool

import (
	"net/http"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// maxDetail is the size of a status detail that every gRPC client gets, whatever
// its limit of trailers; statusText is what the status's own message takes of it.
const (
	maxDetail  = 4096
	statusText = 128
)

// GRPCStatus is the failure as the status of an rpc: a handler returns the failure
// itself as its error. The detail is a toolgate.v1.ToolError, shortened where it is
// larger than trailers may be.
func (f *Failure) GRPCStatus() *status.Status {
	message := f.message
	st := status.New(f.grpcCode(), cut(message, statusText)) //nolint:forbidigo // a tool's status, not the gateway's
	detailed, err := st.WithDetails(f.detail())
	if err != nil {
		return st
	}
	return detailed
}

func (f *Failure) grpcCode() codes.Code {
	switch f.status {
	case http.StatusTooManyRequests:
		return codes.ResourceExhausted
	case http.StatusServiceUnavailable:
		return codes.Unavailable
	case http.StatusBadRequest:
		return codes.InvalidArgument
	case http.StatusForbidden:
		return codes.PermissionDenied
	case http.StatusInternalServerError:
		return codes.Internal
	}
	return codes.FailedPrecondition
}

// Proto is the failure as the contract's message.
func (f *Failure) Proto() *toolgatev1.ToolError {
	b := f.bounded()
	e := &toolgatev1.ToolError{
		ErrorClass: classes[b.Class], Code: b.Error, Message: b.Message, RetryAfter: b.RetryAfter,
		BlockedBy: b.BlockedBy, UnblockWith: b.UnblockWith, RequestedJson: string(b.Requested), FactsJson: string(b.Facts),
		MaybeExecuted: b.MaybeExecuted, Partial: b.Partial,
		ViolationsTruncated: b.ViolationsTruncated, AlternativesTruncated: b.AlternativesTruncated,
	}
	for _, v := range b.Violations {
		e.Violations = append(e.Violations, &toolgatev1.Violation{
			Field: v.Field, Problem: v.Problem, Accepted: v.Accepted, Format: v.Format, Range: v.Range,
			AcceptedTruncated: v.AcceptedTruncated,
		})
	}
	for _, a := range b.Alternatives {
		alternative := &toolgatev1.Alternative{Tool: a.Tool, Label: a.Label}
		if a.Arguments != nil {
			arguments, _ := encode(a.Arguments) // it was encoded before
			alternative.ArgumentsJson = string(arguments)
		}
		e.Alternatives = append(e.Alternatives, alternative)
	}
	return e
}

var classes = map[Class]toolgatev1.ErrorClass{
	transient:      toolgatev1.ErrorClass_ERROR_CLASS_TRANSIENT,
	invalidRequest: toolgatev1.ErrorClass_ERROR_CLASS_INVALID_REQUEST,
	terminal:       toolgatev1.ErrorClass_ERROR_CLASS_TERMINAL,
}

// detail is the message within the size of a trailer: what is longest goes first,
// what the caller acts on last.
func (f *Failure) detail() *toolgatev1.ToolError {
	e := f.Proto()
	for proto.Size(e) > maxDetail {
		switch last := len(e.GetViolations()) - 1; {
		case e.GetFactsJson() != "":
			e.FactsJson = ""
		case e.GetRequestedJson() != "":
			e.RequestedJson = ""
		case last > 0:
			e.Violations, e.ViolationsTruncated = e.GetViolations()[:last], true
		case last == 0 && len(e.GetViolations()[0].GetAccepted()) > 0:
			e.Violations[0].Accepted, e.Violations[0].AcceptedTruncated = nil, true
		default:
			e.Alternatives, e.AlternativesTruncated = nil, true
		}
	}
	return e
}
