package access

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	accessv1 "toolgate.dev/toolgate/gen/go/toolgate/access/v1"
)

// signer is an issuer that signs for tests.
type signer struct {
	id  string
	key *ecdsa.PrivateKey
}

func newSigner(t testing.TB, id string) *signer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return &signer{id: id, key: key}
}

func (s *signer) public() jose.JSONWebKey {
	return jose.JSONWebKey{Key: &s.key.PublicKey, KeyID: s.id, Algorithm: "ES256", Use: "sig"}
}

func setOf(t testing.TB, keys ...jose.JSONWebKey) []byte {
	t.Helper()
	text, err := json.Marshal(jose.JSONWebKeySet{Keys: keys})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

type claimSet = map[string]any

// good are claims that are accepted now.
func good(changes ...func(claimSet)) claimSet {
	c := claimSet{
		"iss": "https://login.corp", "aud": "toolgate", "sub": "ann", "scope": "openid billing", "exp": time.Now().Add(time.Hour).Unix(),
	}
	for _, change := range changes {
		change(c)
	}
	return c
}

func with(name string, value any) func(claimSet) { return func(c claimSet) { c[name] = value } }

func without(name string) func(claimSet) { return func(c claimSet) { delete(c, name) } }

func (s *signer) sign(t testing.TB, claims claimSet, options ...func(*jose.SignerOptions)) string {
	t.Helper()
	set := &jose.SignerOptions{}
	set.WithHeader("kid", s.id).WithType("JWT")
	for _, option := range options {
		option(set)
	}
	return signed(t, jose.SigningKey{Algorithm: jose.ES256, Key: s.key}, set, claims)
}

func signed(t testing.TB, key jose.SigningKey, options *jose.SignerOptions, claims any) string {
	t.Helper()
	maker, err := jose.NewSigner(key, options)
	if err != nil {
		t.Fatal(err)
	}
	text, err := jwt.Signed(maker).Claims(claims).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// file is an access file with an issuer whose keys are in a file.
func file(changes ...func(*accessv1.Access)) *accessv1.Access {
	written := &accessv1.Access{
		Roles: map[string]*accessv1.Rights{
			"billing": {Tools: []string{"billing_*", "list_invoices"}, Except: []string{"billing_refund"}},
			"reader":  {Tools: []string{"list_*"}, Report: true},
		},
		Issuers: map[string]*accessv1.Issuer{"corp": {
			Issuer: "https://login.corp", Audiences: []string{"toolgate", "toolgate-eu"}, JwksFile: "keys.json",
			RolesClaim: "scope", Grants: map[string]string{"billing": "billing", "read": "reader"},
		}},
	}
	for _, change := range changes {
		change(written)
	}
	return written
}

func compiled(t testing.TB, written *accessv1.Access, keys ...jose.JSONWebKey) *Policy {
	t.Helper()
	policy, faults := Compile(written, Options{ReadFile: func(string) ([]byte, error) { return setOf(t, keys...), nil }})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return policy
}

func who(t testing.TB, p *Policy, shown Credential) (string, Reason) {
	t.Helper()
	caller, refusal := p.Identify(t.Context(), shown)
	if refusal == nil {
		return caller.Principal, 0
	}
	if caller.Principal != "" {
		t.Errorf("a caller that is refused is called %q", caller.Principal)
	}
	return "", refusal.Reason
}

func TestAFileThatCantCountNamesEveryFault(t *testing.T) {
	_, faults := Compile(&accessv1.Access{
		Principals: map[string]*accessv1.Principal{
			"anonymous": {Keys: []*accessv1.ApiKey{{Id: "x y", Sha256: strings.Repeat("0", 64)}}},
			"a/b":       {Keys: []*accessv1.ApiKey{{Id: "k1", Sha256: "secret"}}},
			"nobody":    {},
			"two":       {Tokens: []string{"corp/ann", "else/ann", "ann"}, Certificates: []string{"ann", "dns:*.corp"}, Roles: []string{"none"}},
			"key":       {Keys: []*accessv1.ApiKey{{Id: "k2", Sha256: strings.Repeat("0", 64), NotAfter: "soon"}}},
			"same":      {Keys: []*accessv1.ApiKey{{Id: "k2", Sha256: strings.Repeat("0", 64)}}},
		},
		Roles: map[string]*accessv1.Rights{
			"r;s": {Tools: []string{"a b"}},
			"l":   {Limits: &accessv1.Limits{Burst: 3, InFlight: 1 << 31}},
			"n":   {Tools: []string{"*"}, Limits: &accessv1.Limits{PerSecond: -1}},
		},
		Issuers: map[string]*accessv1.Issuer{
			"cert": {Issuer: "i", Audiences: []string{"a"}, JwksFile: "keys.json"},
			"corp": {Algorithms: []string{"none", "HS256"}, JwksUrl: "http://login.corp/keys", Grants: map[string]string{"a": "b"}},
			"also": {Issuer: "i", Audiences: []string{""}, RolesClaim: "scope"},
		},
		Certificates: []*accessv1.CertificateRule{{Name: "x"}, {Name: "dns:*", Roles: []string{"none"}}},
	}, Options{ReadFile: func(string) ([]byte, error) { return nil, errors.New("it is gone") }})
	var said []string
	for _, fault := range faults {
		said = append(said, fault.Message)
		if strings.Contains(fault.Message, "secret") {
			t.Errorf("a fault shows what stands in the file: %s", fault.Message)
		}
	}
	for _, want := range []string{
		`"anonymous" is whoever`, `"x y" is no id`, `"a/b" is no name`, "no SHA-256", `"nobody" has no credential`, `"else/ann" names no issuer`, `"ann" names no issuer`,
		`"ann" is no name of a certificate`, "would be several callers", `no role "none"`, `"soon" is no date`, `is "key"'s already`,
		`"r;s" is no name`, `"a b" is no name of tools`, "a burst of what is not bounded", "is too many", "-1 requests per second",
		`"cert" is where certificates`, "it is gone", "has no name of its own", "another service would do", `"none" is not accepted`, `"HS256" is not accepted`,
		"put other keys in", `no role "b"`, `which claim do they grant`, `"i" is`, "the claim grants nothing", "where are the issuer's keys", `"x" is no name of a certificate`, "gives no roles",
	} {
		if !slices.ContainsFunc(said, func(text string) bool { return strings.Contains(text, want) }) {
			t.Errorf("nothing says %q in:\n%s", want, strings.Join(said, "\n"))
		}
	}
	if _, faults := Compile(&accessv1.Access{Roles: map[string]*accessv1.Rights{"r": {Tools: []string{"*"}}}}, Options{}); len(faults) != 1 {
		t.Errorf("a file that lets nobody in: %v", faults)
	}
}

func TestAKeyIsWhoseItIsUntilItExpires(t *testing.T) {
	key, kept := NewKey()
	old, keptOld := NewKey()
	policy := compiled(t, &accessv1.Access{Principals: map[string]*accessv1.Principal{"ann": {Keys: []*accessv1.ApiKey{
		{Id: kept.ID, Sha256: kept.SHA256}, {Id: keptOld.ID, Sha256: keptOld.SHA256, NotAfter: "2001-01-01"},
	}}}})
	other, _ := NewKey()
	swapped := key[:len(keyPrefix)+len(kept.ID)+1] + other[len(keyPrefix)+len(kept.ID)+1:]
	for shown, want := range map[string]Reason{
		key: 0, old: Expired, other: Invalid, swapped: Invalid, key + "a": Invalid, key[:len(key)-1]: Invalid, strings.ToUpper(key): Invalid,
		"tg_": Invalid, "tg__": Invalid, keyPrefix + kept.ID + "_": Invalid, kept.SHA256: Invalid, "": Missing,
	} {
		principal, got := who(t, policy, Credential{Key: shown})
		if got != want || (want == 0) != (principal == "ann") {
			t.Errorf("%q: %q, %v; want %v", shown, principal, got, want)
		}
		if strings.HasPrefix(shown, keyPrefix) { // as a bearer token, too
			if _, got := who(t, policy, Credential{Bearer: shown}); got != want {
				t.Errorf("Bearer %q: %v; want %v", shown, got, want)
			}
		}
	}
}

func TestTheCredentialThatIsShownDecides(t *testing.T) {
	key, kept := NewKey()
	policy := compiled(t, &accessv1.Access{
		Principals: map[string]*accessv1.Principal{"ann": {Keys: []*accessv1.ApiKey{{Id: kept.ID, Sha256: kept.SHA256}}}},
		Anonymous:  &accessv1.Rights{Tools: []string{"*"}},
	})
	wrong, _ := NewKey()
	for _, c := range []struct {
		shown     Credential
		principal string
		reason    Reason
	}{
		{Credential{}, "anonymous", 0},
		{Credential{Key: key, Bearer: wrong}, "ann", 0},
		{Credential{Key: wrong, Bearer: key}, "", Invalid}, // another is not asked
		{Credential{Key: wrong}, "", Invalid},              // nor is it as if nothing were shown
		{Credential{Bearer: "x"}, "", Invalid},
	} {
		if principal, reason := who(t, policy, c.shown); principal != c.principal || reason != c.reason {
			t.Errorf("%+v: %q, %v", c.shown, principal, reason)
		}
	}
}

func TestWhatIsKeptOfAKeyDoesNotTellIt(t *testing.T) {
	key, kept := NewKey()
	again, err := HashKey(key)
	if err != nil || again != kept {
		t.Errorf("%v, %v", again, err)
	}
	secret := key[strings.LastIndex(key, "_")+1:]
	if len(secret) != 52 || strings.Contains(kept.ID+kept.SHA256, secret) {
		t.Errorf("a secret of %d digits, kept as %+v", len(secret), kept)
	}
	for _, weak := range []string{"", "password", "tg_ab_short", "tg_ab_" + strings.Repeat("a", 25), "tg_ab_" + strings.Repeat("ä", 30), "tg__" + strings.Repeat("a", 30)} {
		if _, err := HashKey(weak); err == nil || weak != "" && strings.Contains(err.Error(), weak) {
			t.Errorf("%q: %v", weak, err)
		}
	}
}
