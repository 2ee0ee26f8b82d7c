package backend

import (
	"context"

	"toolgate.dev/toolgate/interceptors"
)

// Bearer fetches the token that an upstream is shown, and keeps it. It must be safe
// for concurrent use.
type Bearer interface {
	// Token returns the token, or the reply of an attempt that has none.
	Token(ctx context.Context) (token string, failed *interceptors.Reply)
	// Renew returns another after one was refused, or the reply of an attempt that has
	// none. Both empty: the refusal stands.
	Renew(ctx context.Context, refused string) (token string, failed *interceptors.Reply)
}
