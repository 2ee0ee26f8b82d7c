package interceptors

import "context"

// Anonymous is the principal of every caller until callers are authenticated.
const Anonymous = "anonymous"

type principalKey struct{}

// WithPrincipal returns a context that carries who calls. The authenticate room
// sets it; every door asks it.
func WithPrincipal(ctx context.Context, principal string) context.Context {
	return context.WithValue(ctx, principalKey{}, principal)
}

// PrincipalFrom returns who calls; Anonymous where nobody said.
func PrincipalFrom(ctx context.Context) string {
	if principal, ok := ctx.Value(principalKey{}).(string); ok && principal != "" {
		return principal
	}
	return Anonymous
}
