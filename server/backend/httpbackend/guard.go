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
			l.pool.reportRefused(l.upstream, refused.Address)
		}
		return conn, err
	}
}

// OnRefusedAddress has it reported to hook when an upstream's host resolves to an
// address that is not allowed, each time. The hook must be safe for concurrent use.
// One set later replaces one set before.
func (p *Pool) OnRefusedAddress(hook func(upstream, address string)) { p.refused.Store(&hook) }

func (p *Pool) reportRefused(upstream, address string) {
	if hook := p.refused.Load(); hook != nil {
		(*hook)(upstream, address)
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
