package interceptors

import (
	"context"
	"sync"
)

type identityKey struct{}

// identified is what came of asking who sent a request.
type identified struct {
	once      sync.Once
	principal string
	err       error
}

// WithIdentity returns a context of one request, in which it is found out once who
// sent it, however many ask: a door before it reads a large body, and the authenticate
// room. A context that is within such a one stays as it is.
func WithIdentity(ctx context.Context) context.Context {
	if ctx.Value(identityKey{}) != nil {
		return ctx
	}
	return context.WithValue(ctx, identityKey{}, &identified{})
}

// IdentifiedOnce returns identify as it is to be asked: within a context of
// WithIdentity once, whose answer, or error, all others get; elsewhere each time. It
// is safe for concurrent use where identify is.
func IdentifiedOnce(identify func(ctx context.Context) (principal string, err error)) func(ctx context.Context) (principal string, err error) {
	return func(ctx context.Context) (string, error) {
		known, ok := ctx.Value(identityKey{}).(*identified)
		if !ok {
			return identify(ctx)
		}
		known.once.Do(func() { known.principal, known.err = identify(ctx) })
		return known.principal, known.err
	}
}
