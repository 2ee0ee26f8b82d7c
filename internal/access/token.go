package access

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

const (
	maxTokenBytes = 16 << 10
	maxKeysTried  = 8 // of a token that names none
)

// accepted are the algorithms that an issuer may choose. None has a shared secret:
// a public key can't be mistaken for one.
var accepted = []jose.SignatureAlgorithm{
	jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512, jose.ES256, jose.ES384, jose.ES512, jose.EdDSA,
}

// types are the kinds of token that say who calls (RFC 8725 section 3.11). Others
// are signed with the same keys: an order to log out is no credential.
var types = []string{"", "jwt", "at+jwt", "application/jwt", "application/at+jwt"}

// byToken tells whose a token is.
func (p *Policy) byToken(ctx context.Context, text string, now time.Time) (string, *Refusal) {
	if principal, known := p.verified.find(text, now); known {
		return principal, nil
	}
	if len(text) > maxTokenBytes {
		return "", refuse(Invalid, "token_too_long")
	}
	token, err := jwt.ParseSigned(text, accepted)
	if err != nil || len(token.Headers) != 1 {
		return "", refuse(Invalid, "no_token")
	}
	var unverified jwt.Claims
	if err := token.UnsafeClaimsWithoutVerification(&unverified); err != nil {
		return "", refuse(Invalid, "no_token")
	}
	from := p.issuerOf(unverified.Issuer)
	if from == nil {
		return "", refuse(Invalid, "unknown_issuer")
	}
	if refusal := from.suits(token.Headers[0]); refusal != nil {
		return "", refusal
	}
	var registered jwt.Claims
	claims := map[string]any{}
	if refusal := from.verify(ctx, token, &registered, &claims); refusal != nil {
		return "", refusal
	}
	if refusal := from.judge(registered, now); refusal != nil {
		return "", refusal
	}
	principal, refusal := p.bearer(from, claims)
	if refusal == nil {
		p.verified.keep(text, principal, now, registered.Expiry.Time().Add(from.leeway))
	}
	return principal, refusal
}

func (p *Policy) issuerOf(name string) *issuer {
	for _, from := range p.issuers {
		if from.issuer == name {
			return from
		}
	}
	return nil
}

// suits looks at what a token says of its own signature.
func (i *issuer) suits(header jose.Header) *Refusal {
	kind, _ := header.ExtraHeaders[jose.HeaderType].(string)
	switch {
	case !slices.Contains(i.algorithms, jose.SignatureAlgorithm(header.Algorithm)):
		return refuse(Invalid, "wrong_algorithm")
	case !slices.Contains(types, strings.ToLower(kind)):
		return refuse(Invalid, "wrong_type")
	}
	return nil
}

// verify checks the signature with the issuer's keys, and reads the claims.
func (i *issuer) verify(ctx context.Context, token *jwt.JSONWebToken, into ...any) *Refusal {
	refusal := i.try(ctx, token, into...)
	if refusal == nil || refusal.Detail != badSignature {
		return refusal
	}
	switch came, unsure := i.keys.renew(ctx); {
	case unsure != nil:
		return unsure
	case came:
		return i.try(ctx, token, into...)
	}
	return refusal
}

const badSignature = "bad_signature"

func (i *issuer) try(ctx context.Context, token *jwt.JSONWebToken, into ...any) *Refusal {
	header := token.Headers[0]
	keys, refusal := i.keys.find(ctx, header.KeyID)
	if refusal != nil {
		return refusal
	}
	for _, key := range keys[:min(len(keys), maxKeysTried)] {
		if key.Algorithm != "" && key.Algorithm != header.Algorithm {
			continue
		}
		if token.Claims(key.Key, into...) == nil {
			return nil
		}
	}
	return refuse(Invalid, badSignature)
}

// judge checks what a genuine token says of itself.
func (i *issuer) judge(claims jwt.Claims, now time.Time) *Refusal {
	err := claims.ValidateWithLeeway(jwt.Expected{Issuer: i.issuer, AnyAudience: i.audiences, Time: now}, i.leeway)
	switch {
	case claims.Expiry == nil:
		return refuse(Invalid, "no_expiry")
	case errors.Is(err, jwt.ErrExpired):
		return refuse(Expired, "expired_token")
	case errors.Is(err, jwt.ErrInvalidAudience):
		return refuse(Invalid, "wrong_audience")
	case errors.Is(err, jwt.ErrNotValidYet), errors.Is(err, jwt.ErrIssuedInTheFuture):
		return refuse(Invalid, "not_yet_valid")
	case err != nil:
		return refuse(Invalid, "wrong_claims")
	}
	return nil
}

// bearer names whom the claims speak of.
func (p *Policy) bearer(from *issuer, claims map[string]any) (string, *Refusal) {
	name, _ := claim(claims, from.principalClaim).(string)
	if !presentable(name) {
		return "", refuse(Invalid, "no_principal")
	}
	if principal, listed := p.tokens[from.name+"/"+name]; listed {
		return principal, nil
	}
	roles := from.granted(claims)
	if len(roles) == 0 {
		return "", refuse(NoRights, "no_roles")
	}
	return unlisted(from.name, name, roles), nil
}
