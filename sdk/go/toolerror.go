package toolgate

import (
	"math"
	"slices"
	"strings"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/status"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// Class says what to do next. It is the one thing to branch on.
type Class string

// The classes. There are no others: a class that this client does not know
// reads as Terminal.
const (
	// Transient: wait RetryAfter, send the identical call. Show the model
	// nothing until you give up waiting.
	Transient Class = "transient"
	// InvalidRequest: the arguments are wrong; the model changes them.
	InvalidRequest Class = "invalid_request"
	// Terminal: this call is over; take an alternative, unblock it, or report.
	Terminal Class = "terminal"
)

// ToolError is a failed tool call. It is never changed after it was returned.
type ToolError struct {
	Class   Class
	Code    string // the provider's own, else the gateway's
	Message string // one sentence, for people
	// RetryAfter is how long to wait before the identical call; zero unless
	// Transient.
	RetryAfter time.Duration
	// Exhausted: every attempt was spent. The one case in which an outage may be
	// reported.
	Exhausted bool
	// Violations name what is wrong with the arguments.
	Violations []*toolgatev1.Violation
	// Alternatives are calls to make instead, nearest first, at most 3.
	Alternatives []*toolgatev1.Alternative
	// BlockedBy is the condition that blocks the call, UnblockWith the tool that
	// changes it; empty when not known.
	BlockedBy, UnblockWith string
	// Observation is the text for the transcript.
	Observation string

	msg *toolgatev1.ToolError
}

// Error names class, code and message.
func (e *ToolError) Error() string {
	parts := []string{"toolgate", string(e.Class), e.Code, e.Message}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ": ")
}

// Proto is the whole error as the gateway sent it. It must not be changed.
func (e *ToolError) Proto() *toolgatev1.ToolError { return e.msg }

func newToolError(msg *toolgatev1.ToolError) *ToolError {
	return &ToolError{
		Class: classOf(msg), Code: msg.GetCode(), Message: msg.GetMessage(),
		RetryAfter: seconds(msg.GetRetryAfter()), Exhausted: msg.GetExhausted(),
		Violations: msg.GetViolations(), Alternatives: msg.GetAlternatives(),
		BlockedBy: msg.GetBlockedBy(), UnblockWith: msg.GetUnblockWith(),
		Observation: msg.GetObservation(), msg: msg,
	}
}

func classOf(msg *toolgatev1.ToolError) Class {
	switch msg.GetErrorClass() {
	case toolgatev1.ErrorClass_ERROR_CLASS_TRANSIENT:
		return Transient
	case toolgatev1.ErrorClass_ERROR_CLASS_INVALID_REQUEST:
		return InvalidRequest
	default:
		return Terminal
	}
}

// seconds rounds up, and takes whatever no duration can hold for the longest.
func seconds(s float64) time.Duration {
	ns := math.Ceil(s * float64(time.Second))
	switch {
	case !(ns > 0): // NaN too
		return 0
	case ns >= math.MaxInt64:
		return math.MaxInt64
	}
	return time.Duration(ns)
}

// Reason is the reason of the google.rpc.ErrorInfo that every status of the
// gateway carries, for example GATEWAY_FULL or DRAINING. It is empty for a
// *ToolError and for a status that the gateway did not make.
func Reason(err error) string {
	st, ok := status.FromError(err)
	if !ok {
		return ""
	}
	for _, detail := range st.Details() {
		if info, ok := detail.(*errdetails.ErrorInfo); ok {
			return info.GetReason()
		}
	}
	return ""
}
