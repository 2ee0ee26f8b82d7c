package access

import (
	"context"
	"crypto/x509"
	"time"

	"toolgate.dev/toolgate/interceptors"
)

// Credential is what a caller shows. At most one of the first two is used: Key where
// both are there.
type Credential struct {
	Key    string // an API key; empty: none
	Bearer string // a token or an API key; empty: none
	// Certificate is the caller's, verified; nil: none. A key or token goes before it.
	Certificate *x509.Certificate
}

// Caller is who calls.
type Caller struct {
	Principal string
	By        string // `key`, `token`, `certificate` or `none`
}

// Identify tells who shows a credential, or why nobody is known by it. By is set
// either way. It waits for keys of an issuer at most, and for no longer than ctx.
func (p *Policy) Identify(ctx context.Context, shown Credential) (Caller, *Refusal) {
	now := time.Now()
	switch {
	case shown.Key != "":
		principal, refusal := p.keys.find(shown.Key, now)
		return Caller{principal, "key"}, refusal
	case isKey(shown.Bearer):
		principal, refusal := p.keys.find(shown.Bearer, now)
		return Caller{principal, "key"}, refusal
	case shown.Bearer != "":
		principal, refusal := p.byToken(ctx, shown.Bearer, now)
		return Caller{principal, "token"}, refusal
	case shown.Certificate != nil:
		principal, refusal := p.byCertificate(shown.Certificate)
		if refusal != nil && p.anonymous != nil {
			break // a certificate is also how TLS is spoken
		}
		return Caller{principal, "certificate"}, refusal
	}
	if p.anonymous == nil {
		return Caller{By: "none"}, refuse(Missing, "no_credential")
	}
	return Caller{interceptors.Anonymous, "none"}, nil
}
