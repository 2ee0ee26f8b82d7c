package authenticate

import (
	"context"
	"crypto/x509"
	"net"
	"strings"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
)

// Credential is what a caller shows, whatever door it came through.
type Credential struct {
	// Key is that of `x-api-key`; empty: none.
	Key string
	// Bearer is that of `authorization: Bearer …` (RFC 6750); empty: none, or another
	// scheme.
	Bearer string
	// Certificate is the caller's, verified in the TLS handshake; nil: none.
	Certificate *x509.Certificate
	// Twice: one of the headers stands there more than once. Who put which in front of
	// which is not known, and so neither is to be trusted.
	Twice bool
	// Address is the caller's, without the port; empty: not known.
	Address string
}

// Presented tells what the caller of an rpc shows.
func Presented(ctx context.Context) (shown Credential) {
	md, _ := metadata.FromIncomingContext(ctx)
	keys, authorizations := md.Get("x-api-key"), md.Get("authorization")
	shown.Twice = len(keys) > 1 || len(authorizations) > 1
	if len(keys) == 1 {
		shown.Key = strings.TrimSpace(keys[0])
	}
	if len(authorizations) == 1 {
		shown.Bearer = bearer(authorizations[0])
	}
	if from, ok := peer.FromContext(ctx); ok {
		shown.Certificate = certificateOf(from.AuthInfo)
		shown.Address = addressOf(from.Addr)
	}
	return shown
}

// bearer takes the token out of a header; the scheme's case does not matter (RFC
// 9110 section 11.1).
func bearer(authorization string) string {
	scheme, token, _ := strings.Cut(strings.TrimSpace(authorization), " ")
	if !strings.EqualFold(scheme, "bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// certificateOf trusts only what was verified.
func certificateOf(info credentials.AuthInfo) *x509.Certificate {
	secure, ok := info.(credentials.TLSInfo)
	if !ok || len(secure.State.VerifiedChains) == 0 || len(secure.State.VerifiedChains[0]) == 0 {
		return nil
	}
	return secure.State.VerifiedChains[0][0]
}

func addressOf(addr net.Addr) string {
	if addr == nil {
		return ""
	}
	host, _, err := net.SplitHostPort(addr.String())
	if err != nil {
		return ""
	}
	return host
}
