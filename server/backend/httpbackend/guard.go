package httpbackend

import (
	"context"
	"errors"
	"net"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/egress"
)

// guarded dials what the line's settings permit. The address is judged behind the
// resolver, connection by connection: see package egress.
func (l *line) guarded() Dial {
	dialer := &net.Dialer{KeepAlive: keepAlive, Control: l.settings.Allow.Control}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, address)
		if refused, guarded := errors.AsType[*egress.RefusedError](err); guarded {
			l.pool.Report(l.upstream, refused.Error())
		}
		return conn, err
	}
}

// OnTrouble has it reported to hook when an upstream can't be asked for a reason that
// an operator has to mend: its host resolves to an address that is not allowed, or its
// token endpoint gives no token. It is told each time, and must be safe for concurrent
// use. One set later replaces one set before.
func (p *Pool) OnTrouble(hook func(upstream, problem string)) { p.trouble.Store(&hook) }

// Report tells of a trouble.
func (p *Pool) Report(upstream, problem string) {
	if hook := p.trouble.Load(); hook != nil {
		(*hook)(upstream, problem)
	}
}

// forbidden reports whether the guard kept a request from being sent.
func forbidden(err error) bool {
	_, guarded := errors.AsType[*egress.RefusedError](err)
	return guarded
}

// forbiddenError is the gateway's own word on it. The address stays inside.
func forbiddenError() *toolgatev1.ToolError {
	return &toolgatev1.ToolError{
		ErrorClass: interceptors.Terminal, Code: interceptors.CodeInternal,
		Message:      "The gateway may not connect to the address of this tool; an operator has to allow it.",
		ClassifiedBy: toolgatev1.ClassifiedBy_CLASSIFIED_BY_GATEWAY,
	}
}
