package httpbackend

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend"
)

const maxRedirects = 5

// Backend sends the calls of one tool. It implements interceptors.Backend and is
// safe for concurrent use.
type Backend struct {
	plan   *plan
	line   *line
	limit  int64
	bodies *bodies
	bearer backend.Bearer // nil: requests show no token
}

// New compiles a tool's HTTP entry. The error is a [backend.Faults].
func New(pool *Pool, spec Spec) (*Backend, error) {
	spec.userAgent = pool.agent
	if spec.Bearer != nil {
		spec.SecretHeaders = reserveBearer(spec.SecretHeaders)
	}
	var faults collector
	p := newPlan(spec, &faults)
	if len(faults.found) > 0 {
		return nil, faults.found
	}
	return &Backend{
		plan: p, line: pool.line(spec.Upstream, spec.Transport), limit: spec.MaxResultBytes + diagnosisRoom, bodies: &bodies{}, bearer: spec.Bearer,
	}, nil
}

// Host is the upstream's host without port, as its URL names it.
func (b *Backend) Host() string {
	return (&url.URL{Host: b.plan.template.host}).Hostname()
}

// Attempt implements interceptors.Backend.
func (b *Backend) Attempt(ctx context.Context, call *interceptors.Call) *interceptors.Reply {
	if b.bearer != nil {
		return b.bearing(ctx, call)
	}
	return b.once(ctx, call, "")
}

// once sends the call once, with a token where there is one.
func (b *Backend) once(ctx context.Context, call *interceptors.Call, token string) *interceptors.Reply {
	f := &flight{line: b.line}
	watched := f.watch(ctx, b.plan.template.scheme, b.plan.hasBody)
	req, refused := b.plan.build(watched, f, call)
	if refused != nil {
		f.land()
		return refused.reply()
	}
	if ctx.Err() != nil {
		f.land()
		return failed(interceptors.EndedAs(ctx), ctx.Err(), false)
	}
	tell(ctx, req)
	show(req, token)
	return without(b.send(ctx, f, req, maxRedirects), token)
}

// send makes one round trip, and more where a redirect may be followed.
func (b *Backend) send(ctx context.Context, f *flight, req *http.Request, redirects int) *interceptors.Reply {
	defer f.land()
	resp, err := f.roundTrip(req)
	if err != nil {
		return failed(kindOf(ctx, f, err), err, f.sent())
	}
	defer func() { _ = resp.Body.Close() }() // nothing is left to lose
	if ctx.Err() != nil {
		// Some servers answer a connection that its client has closed: that is no
		// answer to the call.
		return failed(interceptors.EndedAs(ctx), ctx.Err(), true)
	}
	if next := follow(req, resp); next != nil && redirects > 0 {
		_, _ = io.CopyN(io.Discard, resp.Body, 4<<10) // so that the connection can be kept
		onward := &flight{line: b.line}
		reply := b.send(ctx, onward, next.WithContext(onward.watch(ctx, next.URL.Scheme, false)), redirects-1)
		reply.Sent = true
		return reply
	}
	return b.receive(ctx, resp)
}

// receive reads the answer. A failed status is the answer even where its body
// was cut; a success is not.
func (b *Backend) receive(ctx context.Context, resp *http.Response) *interceptors.Reply {
	body, size, err := b.bodies.read(resp, b.limit)
	reply := &interceptors.Reply{
		Transport: interceptors.TransportHTTP, Status: resp.StatusCode, Header: resp.Header,
		Body: toUTF8(resp.Header, body), BodySize: size, Sent: true,
	}
	if err == nil {
		return reply
	}
	cancelled := errors.Is(ctx.Err(), context.Canceled)
	if resp.StatusCode/100 != 2 && !cancelled {
		return reply
	}
	reply.Failure, reply.Cause = interceptors.FailureBodyCut, err.Error()
	if ctx.Err() != nil {
		reply.Failure = interceptors.EndedAs(ctx)
	}
	return reply
}

func failed(kind interceptors.TransportFailure, cause error, sent bool) *interceptors.Reply {
	reply := &interceptors.Reply{Transport: interceptors.TransportHTTP, Failure: kind, Cause: cause.Error(), Sent: sent}
	if backend.Forbidden(cause) {
		reply.ToolError = backend.ForbiddenError()
	}
	return reply
}

// follow makes the request that a redirect asks for, where it stays on the host
// and changes nothing but the address; nil where it must not be followed.
func follow(req *http.Request, resp *http.Response) *http.Request {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil
	}
	if req.Method != http.MethodGet && req.Method != http.MethodHead || req.Body != nil {
		return nil
	}
	location, err := req.URL.Parse(resp.Header.Get("Location"))
	if err != nil || resp.Header.Get("Location") == "" || !sameSystem(req.URL, location) {
		return nil
	}
	next := req.Clone(req.Context())
	location.Fragment, location.RawFragment = "", ""
	next.URL, next.Host = location, location.Host
	return next
}

// sameSystem allows the same origin, and the step from http to https on the
// default ports.
func sameSystem(from, to *url.URL) bool {
	if to.User != nil || !strings.EqualFold(from.Hostname(), to.Hostname()) {
		return false
	}
	if from.Scheme == to.Scheme {
		return port(from) == port(to)
	}
	return from.Scheme == "http" && to.Scheme == "https" && port(from) == "80" && port(to) == "443"
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if u.Scheme == "https" {
		return "443"
	}
	return "80"
}
