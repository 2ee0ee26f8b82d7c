package grpcbackend

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"regexp"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend"
)

// failure is why nothing could be sent.
type failure struct {
	kind  interceptors.TransportFailure
	cause error
}

func (f *failure) Error() string { return f.cause.Error() }
func (f *failure) Unwrap() error { return f.cause }

// reply makes the reply of a request that was not sent.
func (f *failure) reply() *interceptors.Reply {
	reply := failed(f.kind, f.cause, false)
	if backend.Forbidden(f.cause) {
		reply.ToolError = backend.ForbiddenError()
	}
	return reply
}

func failed(kind interceptors.TransportFailure, cause error, sent bool) *interceptors.Reply {
	return &interceptors.Reply{Transport: interceptors.TransportGRPC, Failure: kind, Cause: cause.Error(), Sent: sent}
}

// connectFailure tells why a connection could not be made.
func connectFailure(d *dialer) *failure {
	inTLS, cause := d.failure()
	if cause == nil {
		cause = errors.New("the connection was not ready in time")
	}
	return &failure{kind: connectKind(cause, inTLS), cause: cause}
}

func connectKind(err error, inTLS bool) interceptors.TransportFailure {
	if backend.Forbidden(err) {
		return interceptors.FailureRequest
	}
	if proxy, ok := errors.AsType[*backend.ProxyError](err); ok {
		return proxy.Kind()
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok {
		if dns.IsNotFound {
			return interceptors.FailureDNSNotFound
		}
		return interceptors.FailureDNSTemporary
	}
	switch op, ok := errors.AsType[*net.OpError](err); {
	case backend.CertificateRejected(err):
		return interceptors.FailureTLSCertificate
	case inTLS:
		return interceptors.FailureTLSHandshake
	case ok && op.Op != "dial", errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return interceptors.FailureReset
	}
	return interceptors.FailureRefused // a dial that timed out found nobody, too
}

// justBefore is how much earlier than ours a server may see our deadline pass.
const justBefore = 50 * time.Millisecond

// outOfTime reports that an rpc ended with its time: a server's DEADLINE_EXCEEDED is
// about our deadline where that is so near.
func outOfTime(ctx context.Context, err error) bool {
	if interceptors.TimedOut(ctx) {
		return true
	}
	deadline, bounded := ctx.Deadline()
	return status.Code(err) == codes.DeadlineExceeded && bounded && time.Until(deadline) < justBefore
}

// What gRPC says itself where the other side broke its protocol.
var (
	httpAnswer = regexp.MustCompile(`unexpected HTTP status code received from server: (\d{3})`)
	unhandled  = "stream terminated by RST_STREAM with error code: REFUSED_STREAM"
	tooLarge   = "received message larger than max"

	// The libraries of servers say so of a request, under the code of a quota.
	requestTooLarge = regexp.MustCompile(`^(?i)(?:grpc: )?(?:received message larger than max|grpc message exceeds maximum size|message too large)`)
)

// broken makes the reply of an rpc that ended in an error.
func broken(ctx context.Context, f *flight, err error, header metadata.MD) *interceptors.Reply {
	if _, ok := errors.AsType[*unreadable](err); ok {
		return failed(interceptors.FailureBodyCut, err, true)
	}
	st := status.Convert(err)
	sent := f.left.Load()
	switch {
	case st.Code() == codes.DeadlineExceeded && outOfTime(ctx, err):
		return failed(interceptors.FailureTimeout, err, sent)
	case f.spoke.Load() && st.Code() == codes.ResourceExhausted && requestTooLarge.MatchString(st.Message()):
		return outsized(st)
	case f.spoke.Load() && !(ctx.Err() != nil && st.Code() == codes.Canceled):
		return refused(st, header)
	case ctx.Err() != nil:
		return failed(interceptors.EndedAs(ctx), ctx.Err(), sent)
	case strings.Contains(st.Message(), unhandled):
		return failed(interceptors.FailureReset, err, false)
	case st.Code() == codes.ResourceExhausted && strings.Contains(st.Message(), tooLarge):
		return overflowed()
	}
	if answer := httpAnswer.FindStringSubmatch(st.Message()); answer != nil {
		return hop(answer[1], header)
	}
	return failed(interceptors.FailureReset, err, sent)
}

// refused is a status of the server's own.
func refused(st *status.Status, header metadata.MD) *interceptors.Reply {
	reply := &interceptors.Reply{
		Transport: interceptors.TransportGRPC, Status: int(st.Code()), Message: st.Message(), Header: headerOf(header), Sent: true,
	}
	if len(st.Proto().GetDetails()) > 0 {
		if details, err := proto.Marshal(st.Proto()); err == nil {
			reply.Details = details
		}
	}
	return reply
}

// outsized is a request that is larger than the server takes: no wait changes that.
func outsized(st *status.Status) *interceptors.Reply {
	reply := refused(st, nil)
	reply.ToolError = &toolgatev1.ToolError{
		ErrorClass: interceptors.InvalidRequest, Code: interceptors.CodeArgumentsTooLarge,
		Message:    "The arguments are larger than the tool's server takes.",
		Violations: []*toolgatev1.Violation{{Problem: "larger than the tool's server takes"}},
	}
	return reply
}

// hop is the answer of something between that speaks HTTP alone: a proxy, a
// balancer. Its status says more than the code that gRPC makes of it.
func hop(code string, header metadata.MD) *interceptors.Reply {
	answer, err := strconv.Atoi(code)
	if err != nil || answer < http.StatusBadRequest {
		answer = http.StatusBadGateway // it is no gRPC, whatever it is
	}
	return &interceptors.Reply{Transport: interceptors.TransportHTTP, Status: answer, Header: headerOf(header), Sent: true}
}

// overflowed is an answer that is larger than any message may be: the call took
// place.
func overflowed() *interceptors.Reply {
	return &interceptors.Reply{
		Transport: interceptors.TransportGRPC, Sent: true,
		Result: &toolgatev1.ToolResult{
			Truncated: true,
			Content: []*toolgatev1.ContentBlock{{Block: &toolgatev1.ContentBlock_Text{Text: &toolgatev1.TextBlock{
				Text: "The answer is larger than the gateway passes on and is left out. Ask for less.",
			}}}},
		},
	}
}

// headerOf makes headers of metadata, without what is encoded and what belongs to
// gRPC itself.
func headerOf(from metadata.MD) map[string][]string {
	header := make(map[string][]string, len(from))
	for name, values := range from {
		if strings.HasSuffix(name, "-bin") || strings.HasPrefix(name, ":") {
			continue
		}
		header[textproto.CanonicalMIMEHeaderKey(name)] = values
	}
	return header
}
