package door

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"toolgate.dev/toolgate/internal/rawjson"
)

// Problem is what a door over HTTP answers where the caller or the gateway is at
// fault, never a tool: `application/problem+json` of RFC 9457.
type Problem struct {
	Status     int           // the HTTP status
	Reason     string        // UPPER_SNAKE, stable: what programs compare
	Detail     string        // one sentence for people
	Field      string        // of the request, or a header's name; empty: the whole
	Accepted   []string      // what would have been accepted, if that is a list
	RetryAfter time.Duration // when to come back; zero: not said
}

// ProblemType is the media type of a problem.
const ProblemType = "application/problem+json"

// Text is the problem's JSON, compact; what is not set is left out.
func (p Problem) Text() []byte {
	text := rawjson.AppendString([]byte(`{"type":"about:blank","title":`), title(p.Status))
	text = append(text, `,"status":`...)
	text = strconv.AppendInt(text, int64(p.Status), 10)
	text = member(text, "detail", p.Detail)
	text = member(text, "reason", p.Reason)
	text = member(text, "field", p.Field)
	if len(p.Accepted) > 0 {
		text = append(text, `,"accepted":[`...)
		for i, item := range p.Accepted {
			if i > 0 {
				text = append(text, ',')
			}
			text = rawjson.AppendString(text, item)
		}
		text = append(text, ']')
	}
	if p.RetryAfter > 0 {
		text = append(text, `,"retry_after":`...)
		text = strconv.AppendFloat(text, p.RetryAfter.Seconds(), 'f', -1, 64)
	}
	return append(text, '}')
}

func member(text []byte, name, value string) []byte {
	if value == "" {
		return text
	}
	text = append(append(append(text, ',', '"'), name...), '"', ':')
	return rawjson.AppendString(text, value)
}

// Write answers a request with the problem. Headers that are set already stay.
func (p Problem) Write(w http.ResponseWriter) {
	header := w.Header()
	header.Set("Content-Type", ProblemType)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	if p.RetryAfter > 0 {
		header.Set("Retry-After", WholeSeconds(p.RetryAfter.Seconds()))
	}
	if p.Status == http.StatusUnauthorized {
		header.Set("WWW-Authenticate", "Bearer") // RFC 9110 wants one
	}
	w.WriteHeader(p.Status)
	_, _ = w.Write(p.Text()) // a caller that is gone reads nothing
}

// WholeSeconds is a wait as Retry-After has it (RFC 9110): rounded up.
func WholeSeconds(seconds float64) string {
	return strconv.FormatFloat(math.Ceil(seconds), 'f', 0, 64)
}

// StatusClientClosed is what nobody reads: the caller went away.
const StatusClientClosed = 499

func title(code int) string {
	if code == StatusClientClosed {
		return "Client Closed Request"
	}
	return http.StatusText(code)
}

// Error implements error.
func (p Problem) Error() string { return p.Detail }

// ProblemOf is the problem that an error is, or that a gRPC status of the house
// tells of.
func ProblemOf(err error) Problem {
	if problem, ok := errors.AsType[Problem](err); ok {
		return problem
	}
	st := status.Convert(err)
	p := Problem{Status: httpStatus(st.Code()), Reason: "UNKNOWN", Detail: st.Message()}
	for _, detail := range st.Details() {
		switch detail := detail.(type) {
		case *errdetails.ErrorInfo:
			p.Reason = detail.GetReason()
		case *errdetails.RetryInfo:
			p.RetryAfter = detail.GetRetryDelay().AsDuration()
		case *errdetails.BadRequest:
			if violations := detail.GetFieldViolations(); len(violations) > 0 {
				p.Field, p.Detail = violations[0].GetField(), violations[0].GetDescription()
			}
		}
	}
	return p
}

func httpStatus(code codes.Code) int {
	switch code {
	case codes.OK:
		return http.StatusOK
	case codes.InvalidArgument, codes.FailedPrecondition, codes.OutOfRange:
		return http.StatusBadRequest
	case codes.Unauthenticated:
		return http.StatusUnauthorized
	case codes.PermissionDenied:
		return http.StatusForbidden
	case codes.NotFound:
		return http.StatusNotFound
	case codes.AlreadyExists, codes.Aborted:
		return http.StatusConflict
	case codes.ResourceExhausted:
		return http.StatusTooManyRequests
	case codes.Unimplemented:
		return http.StatusNotImplemented
	case codes.Unavailable:
		return http.StatusServiceUnavailable
	case codes.DeadlineExceeded:
		return http.StatusGatewayTimeout
	case codes.Canceled:
		return StatusClientClosed
	case codes.Unknown, codes.Internal, codes.DataLoss:
	}
	return http.StatusInternalServerError
}
