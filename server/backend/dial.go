package backend

import (
	"context"
	"errors"
	"net"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/egress"
)

// keepAlive is how often an idle connection is probed.
const keepAlive = 30 * time.Second

// Dial opens a connection; see net.Dialer.DialContext.
type Dial func(ctx context.Context, network, address string) (net.Conn, error)

// Guarded dials what is allowed beside public addresses, and tells of what is not.
// The address is judged behind the resolver, connection by connection: see package
// egress.
func Guarded(allow egress.List, told func(problem string)) Dial {
	dialer := &net.Dialer{KeepAlive: keepAlive, Control: allow.Control}
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dialer.DialContext(ctx, network, address)
		if refused, guarded := errors.AsType[*egress.RefusedError](err); guarded {
			told(refused.Error())
		}
		return conn, err
	}
}

// Forbidden reports whether the guard kept a connection from being opened.
func Forbidden(err error) bool {
	_, guarded := errors.AsType[*egress.RefusedError](err)
	return guarded
}

// ForbiddenError is the gateway's own word on it. The address stays inside.
func ForbiddenError() *toolgatev1.ToolError {
	return &toolgatev1.ToolError{
		ErrorClass: interceptors.Terminal, Code: interceptors.CodeInternal,
		Message:      "The gateway may not connect to the address of this tool; an operator has to allow it.",
		ClassifiedBy: toolgatev1.ClassifiedBy_CLASSIFIED_BY_GATEWAY,
	}
}
