package access

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	accessv1 "toolgate.dev/toolgate/gen/go/toolgate/access/v1"
)

func TestATokenIsAcceptedForWhatItSaysAndNothingElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		corp, evil := newSigner(t, "k1"), newSigner(t, "k1")
		policy := compiled(t, file(), corp.public(), newSigner(t, "k2").public())
		past, future := time.Now().Add(-time.Minute).Unix(), time.Now().Add(time.Minute).Unix()
		for name, c := range map[string]struct {
			token     string
			principal string
			reason    Reason
		}{
			"as it should be":           {corp.sign(t, good()), "corp/ann;billing", 0},
			"one of several audiences":  {corp.sign(t, good(with("aud", []string{"x", "toolgate-eu"}))), "corp/ann;billing", 0},
			"two roles":                 {corp.sign(t, good(with("scope", "read x billing"))), "corp/ann;billing,reader", 0},
			"roles as a list":           {corp.sign(t, good(with("scope", []any{"read", 7}))), "corp/ann;reader", 0},
			"without a key's name":      {corp.sign(t, good(), func(o *jose.SignerOptions) { delete(o.ExtraHeaders, "kid") }), "corp/ann;billing", 0},
			"an access token (RFC9068)": {corp.sign(t, good(), typed("at+jwt")), "corp/ann;billing", 0},
			"roles in its name":         {corp.sign(t, good(with("sub", "ann;reader"))), "corp/ann%3Breader;billing", 0},
			"within the leeway":         {corp.sign(t, good(with("exp", time.Now().Add(-20*time.Second).Unix()))), "corp/ann;billing", 0},

			"signed by another":         {evil.sign(t, good()), "", Invalid},
			"a key that is not known":   {newSigner(t, "k9").sign(t, good()), "", Invalid},
			"another key of the issuer": {corp.sign(t, good(), func(o *jose.SignerOptions) { o.WithHeader("kid", "k2") }), "", Invalid},
			"another issuer":            {corp.sign(t, good(with("iss", "https://evil"))), "", Invalid},
			"an issuer more or less":    {corp.sign(t, good(with("iss", "https://login.corp/"))), "", Invalid},
			"no issuer":                 {corp.sign(t, good(without("iss"))), "", Invalid},
			"another audience":          {corp.sign(t, good(with("aud", "other"))), "", Invalid},
			"no audience":               {corp.sign(t, good(without("aud"))), "", Invalid},
			"expired":                   {corp.sign(t, good(with("exp", past))), "", Expired},
			"without an end":            {corp.sign(t, good(without("exp"))), "", Invalid},
			"not valid yet":             {corp.sign(t, good(with("nbf", future))), "", Invalid},
			"issued tomorrow":           {corp.sign(t, good(with("iat", future))), "", Invalid},
			"an order to log out":       {corp.sign(t, good(), typed("logout+jwt")), "", Invalid},
			"no roles":                  {corp.sign(t, good(with("scope", "openid"))), "", NoRights},
			"nobody":                    {corp.sign(t, good(without("sub"))), "", Invalid},
			"a name that is a number":   {corp.sign(t, good(with("sub", 7))), "", Invalid},
			"a name with a line break":  {corp.sign(t, good(with("sub", "ann\nadmin"))), "", Invalid},
			"a name that turns round":   {corp.sign(t, good(with("sub", "ann\u202e"))), "", Invalid},
			"a name without an end":     {corp.sign(t, good(with("sub", strings.Repeat("a", 257)))), "", Invalid},
			"critical extension":        {corp.sign(t, good(), func(o *jose.SignerOptions) { o.WithHeader("crit", []string{"x"}).WithHeader("x", 1) }), "", Invalid},
			"no signature":              {unsigned(t, good()), "", Invalid},
			"cut":                       {strings.TrimSuffix(corp.sign(t, good()), "AAAA")[:80], "", Invalid},
			"too long":                  {corp.sign(t, good(with("x", strings.Repeat("x", maxTokenBytes)))), "", Invalid},
		} {
			for range 2 { // the second time from memory, where there is one
				if principal, reason := who(t, policy, Credential{Bearer: c.token}); principal != c.principal || reason != c.reason {
					t.Errorf("%s: %q, %v; want %q, %v", name, principal, reason, c.principal, c.reason)
				}
			}
		}
	})
}

func typed(kind jose.ContentType) func(*jose.SignerOptions) {
	return func(o *jose.SignerOptions) { o.WithType(kind) }
}

// unsigned is a token by the algorithm `none`.
func unsigned(t *testing.T, claims claimSet) string {
	t.Helper()
	token := newSigner(t, "k1").sign(t, claims)
	return base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","kid":"k1"}`)) + "." + strings.Split(token, ".")[1] + "."
}

// The public key of an issuer is public: whoever takes it for a shared secret can
// sign with it.
func TestAPublicKeyIsNoSharedSecret(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	public := jose.JSONWebKey{Key: &key.PublicKey, KeyID: "rsa"}
	policy := compiled(t, file(), public)
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	options := (&jose.SignerOptions{}).WithHeader("kid", "rsa")
	forged := signed(t, jose.SigningKey{Algorithm: jose.HS256, Key: der}, options, good())
	if _, reason := who(t, policy, Credential{Bearer: forged}); reason != Invalid {
		t.Errorf("forged: %v", reason)
	}
	genuine := signed(t, jose.SigningKey{Algorithm: jose.RS256, Key: key}, options, good())
	if principal, _ := who(t, policy, Credential{Bearer: genuine}); principal != "corp/ann;billing" {
		t.Errorf("genuine: %q", principal)
	}
	other := signed(t, jose.SigningKey{Algorithm: jose.PS256, Key: key}, options, good()) // not among the default algorithms
	if _, reason := who(t, policy, Credential{Bearer: other}); reason != Invalid {
		t.Errorf("by an algorithm that is not listed: %v", reason)
	}
}

func TestKeysThatProveNothingAreLeftOutOfASet(t *testing.T) {
	small, err := rsa.GenerateKey(rand.Reader, 1024) //nolint:gosec // it is to be refused
	if err != nil {
		t.Fatal(err)
	}
	public, private, _ := ed25519.GenerateKey(rand.Reader)
	ok := newSigner(t, "ok").public()
	forEncryption := newSigner(t, "enc").public()
	forEncryption.Use = "enc"
	keys, err := parseKeys(setOf(t,
		jose.JSONWebKey{Key: &small.PublicKey, KeyID: "small"}, jose.JSONWebKey{Key: []byte("0123456789abcdef"), KeyID: "shared"},
		jose.JSONWebKey{Key: private, KeyID: "private"}, jose.JSONWebKey{Key: public, KeyID: "ed"}, forEncryption, ok))
	if err != nil || len(keys) != 2 || keys[0].KeyID != "ed" || keys[1].KeyID != "ok" {
		t.Errorf("%v, %v", keys, err)
	}
	for _, text := range []string{"", "{}", "[]", `{"keys":[]}`, `{"keys":[{"kty":"XX"}]}`, `{"keys":` + strings.Repeat("[", 10000)} {
		if keys, err := parseKeys([]byte(text)); err == nil {
			t.Errorf("%.20q: %v", text, keys)
		}
	}
	unknown := `{"keys":[{"kty":"XX","kid":"new"},` + strings.TrimPrefix(string(setOf(t, ok)), `{"keys":[`)
	if keys, err := parseKeys([]byte(unknown)); err != nil || len(keys) != 1 {
		t.Errorf("beside a key of an unknown kind: %v, %v", keys, err)
	}
}

func TestAKeyWithoutANameVerifiesTokensThatNameOne(t *testing.T) {
	corp := newSigner(t, "k1")
	nameless := corp.public()
	nameless.KeyID = ""
	policy := compiled(t, file(), nameless)
	if principal, reason := who(t, policy, Credential{Bearer: corp.sign(t, good())}); principal != "corp/ann;billing" {
		t.Errorf("%q, %v", principal, reason)
	}
	if principal, _ := who(t, policy, Credential{Bearer: newSigner(t, "k1").sign(t, good())}); principal != "" {
		t.Errorf("another's is %q", principal)
	}
}

func TestAPrincipalMayListItsTokens(t *testing.T) {
	corp := newSigner(t, "k1")
	policy := compiled(t, file(func(f *accessv1.Access) {
		f.Principals = map[string]*accessv1.Principal{"agent": {Tokens: []string{"corp/billing@corp"}, Roles: []string{"reader"}}}
		f.Issuers["corp"].PrincipalClaim = "email"
	}), corp.public())
	token := corp.sign(t, good(with("email", "billing@corp"), without("scope")))
	if principal, reason := who(t, policy, Credential{Bearer: token}); principal != "agent" {
		t.Errorf("%q, %v", principal, reason)
	}
}

func TestRolesMayStandInsideAClaim(t *testing.T) {
	corp := newSigner(t, "k1")
	for path, claims := range map[string]claimSet{
		"realm_access.roles":      good(with("realm_access", claimSet{"roles": []string{"read"}})),
		"https://corp.test/roles": good(with("https://corp.test/roles", []string{"read"})),
	} {
		policy := compiled(t, file(func(f *accessv1.Access) { f.Issuers["corp"].RolesClaim = path }), corp.public())
		if principal, _ := who(t, policy, Credential{Bearer: corp.sign(t, claims)}); principal != "corp/ann;reader" {
			t.Errorf("%s: %q", path, principal)
		}
	}
}

func TestWhatWasVerifiedIsForgottenWithItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		corp := newSigner(t, "k1")
		policy := compiled(t, file(func(f *accessv1.Access) { f.Issuers["corp"].Leeway = nil }), corp.public())
		token := corp.sign(t, good(with("exp", time.Now().Add(10*time.Second).Unix())))
		if _, reason := who(t, policy, Credential{Bearer: token}); reason != 0 {
			t.Fatal(reason)
		}
		time.Sleep(10*time.Second + defaultLeeway + time.Second)
		if _, reason := who(t, policy, Credential{Bearer: token}); reason != Expired {
			t.Errorf("after its end: %v", reason)
		}
		for i := range maxVerified + 10 {
			policy.verified.keep(string(rune(i)), "p", time.Now(), time.Now().Add(time.Hour))
		}
		if n := len(policy.verified.tokens); n > maxVerified {
			t.Errorf("%d tokens are remembered", n)
		}
	})
}

// Whatever a stranger sends, nobody is known by it, and nothing breaks.
func FuzzAStrangersToken(f *testing.F) {
	corp := newSigner(f, "k1")
	policy := compiled(f, file(), corp.public())
	f.Add("a.b.c")
	f.Add(strings.Repeat(".", 100))
	f.Add("eyJhbGciOiJub25lIn0.e30.")
	f.Add(newSigner(f, "k1").sign(f, good()))
	f.Fuzz(func(t *testing.T, text string) {
		if principal, _ := who(t, policy, Credential{Bearer: text}); principal != "" {
			t.Errorf("%q is known as %q", text, principal)
		}
		if principal, _ := who(t, policy, Credential{Key: text}); principal != "" {
			t.Errorf("%q is known as %q", text, principal)
		}
	})
}
