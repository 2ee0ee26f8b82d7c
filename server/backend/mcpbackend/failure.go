package mcpbackend

import (
	"context"
	"errors"
	"net/http"

	"google.golang.org/protobuf/proto"

	"toolgate.dev/toolgate/interceptors"
)

// lost is a question that got no answer.
type lost struct {
	kind    interceptors.TransportFailure
	sent    bool  // bytes of it may have reached the server
	expired bool  // the server knows the session no longer, and ran nothing
	cause   error // it may name hosts and addresses

	told *interceptors.Reply // whole, where it is known; nil: by the fields above
}

func (l *lost) Error() string { return l.cause.Error() }
func (l *lost) Unwrap() error { return l.cause }

var (
	errClosed   = errors.New("the session has ended")
	errExpired  = errors.New("the server does not know the session any more")
	errNoAnswer = errors.New("the answer holds no JSON-RPC response to the call")
	errSilent   = errors.New("the stream ended before the response")
	errStopped  = errors.New("the server is no longer used")
)

// lostIn tells how a question was lost whose context may be over.
func lostIn(ctx context.Context, kind interceptors.TransportFailure, cause error) *lost {
	if ctx.Err() != nil {
		return &lost{kind: interceptors.EndedAs(ctx), sent: true, cause: ctx.Err()}
	}
	return &lost{kind: kind, sent: true, cause: cause}
}

// lostBy is what a round tripper's error says.
func lostBy(ctx context.Context, err error) *lost {
	if without, ok := errors.AsType[*tokenless](err); ok {
		return &lost{kind: without.failed.Failure, cause: err, told: without.failed}
	}
	var told interface {
		Failure() (interceptors.TransportFailure, bool)
	}
	if errors.As(err, &told) {
		kind, sent := told.Failure()
		return &lost{kind: kind, sent: sent, cause: err}
	}
	return lostIn(ctx, interceptors.FailureReset, err)
}

// outage is why there is no session.
type outage struct {
	kind    interceptors.TransportFailure
	refusal *refusal // the server's, where it gave one
	cause   string

	unreached bool                // nobody was
	told      *interceptors.Reply // whole, where it is known; nil: by the fields above
}

// outageBy tells what an attempt to set up a session ended with; refused is the
// last refusal of an HTTP server on the way there, or nil.
func outageBy(err error, refused *refusal) *outage {
	o := &outage{kind: interceptors.FailureRefused, cause: err.Error()}
	var told interface {
		Failure() (interceptors.TransportFailure, bool)
	}
	without, tokens := errors.AsType[*tokenless](err)
	switch {
	case tokens:
		o.kind, o.told = without.failed.Failure, without.failed
	case errors.As(err, &told):
		kind, _ := told.Failure()
		if kind != interceptors.FailureReset && kind != interceptors.FailureTimeout && kind != interceptors.FailureCancelled {
			o.kind = kind
		}
	case refused != nil && tellsOfCall(refused.status):
		o.refusal = refused
	}
	return o
}

// tellsOfCall reports a status at the setting up of a session that says the same
// of a call. A server that breaks there has not run the call: that is no 500.
func tellsOfCall(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusProxyAuthRequired,
		http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return true
	}
	return false
}

func (o *outage) reply() *interceptors.Reply {
	switch {
	case o.told != nil:
		return afresh(o.told)
	case o.refusal != nil:
		return o.refusal.reply(false)
	}
	return &interceptors.Reply{Transport: interceptors.TransportMCP, Failure: o.kind, Cause: o.cause}
}

// afresh copies a reply of which there may be several: rooms write to what they get.
func afresh(reply *interceptors.Reply) *interceptors.Reply {
	again := *reply
	if reply.ToolError != nil {
		again.ToolError = proto.CloneOf(reply.ToolError)
	}
	return &again
}

func (l *lost) reply() *interceptors.Reply {
	if l.told != nil {
		return afresh(l.told)
	}
	return &interceptors.Reply{Transport: interceptors.TransportMCP, Failure: l.kind, Cause: l.cause.Error(), Sent: l.sent}
}

func (r *refusal) reply(sent bool) *interceptors.Reply {
	return &interceptors.Reply{
		Transport: interceptors.TransportMCP, Status: r.status, Header: r.header, Body: r.body, BodySize: r.size, Sent: sent,
	}
}
