package access

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"net/url"
	"testing"

	accessv1 "toolgate.dev/toolgate/gen/go/toolgate/access/v1"
)

func TestACertificateIsWhoItsNamesSay(t *testing.T) {
	uri := func(text string) *x509.Certificate {
		parsed, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return &x509.Certificate{URIs: []*url.URL{parsed}}
	}
	written := &accessv1.Access{
		Principals: map[string]*accessv1.Principal{"billing": {Certificates: []string{"uri:spiffe://corp/billing", "cn:old-billing"}}},
		Roles:      map[string]*accessv1.Rights{"agent": {Tools: []string{"*"}}, "web": {Tools: []string{"list_*"}}},
		Certificates: []*accessv1.CertificateRule{
			{Name: "uri:spiffe://corp/agents/*", Roles: []string{"web", "agent"}}, {Name: "dns:*.agents.corp", Roles: []string{"agent"}},
			{Name: "email:*@corp", Roles: []string{"web"}},
		},
	}
	policy := compiled(t, written)
	for name, c := range map[string]struct {
		certificate *x509.Certificate
		principal   string
		reason      Reason
	}{
		"listed":                   {uri("spiffe://corp/billing"), "billing", 0},
		"listed by its old name":   {&x509.Certificate{Subject: pkix.Name{CommonName: "old-billing"}, DNSNames: []string{"a.agents.corp"}}, "billing", 0},
		"by a rule":                {uri("spiffe://corp/agents/a;web"), "cert/uri:spiffe://corp/agents/a%3Bweb;agent,web", 0},
		"by its DNS name":          {&x509.Certificate{DNSNames: []string{"B.Agents.corp"}}, "cert/dns:b.agents.corp;agent", 0},
		"by its e-mail address":    {&x509.Certificate{EmailAddresses: []string{"ann@corp"}}, "cert/email:ann@corp;web", 0},
		"a common name is no DNS":  {&x509.Certificate{Subject: pkix.Name{CommonName: "c.agents.corp"}}, "", NoRights},
		"another trust domain":     {uri("spiffe://corp.evil/agents/a"), "", NoRights},
		"a name with a line break": {&x509.Certificate{EmailAddresses: []string{"a\n@corp"}}, "", NoRights},
		"no name":                  {&x509.Certificate{}, "", NoRights},
	} {
		if principal, reason := who(t, policy, Credential{Certificate: c.certificate}); principal != c.principal || reason != c.reason {
			t.Errorf("%s: %q, %v; want %q, %v", name, principal, reason, c.principal, c.reason)
		}
	}
	written.Anonymous = &accessv1.Rights{Tools: []string{"list_*"}}
	if principal, _ := who(t, compiled(t, written), Credential{Certificate: &x509.Certificate{}}); principal != "anonymous" {
		t.Errorf("where strangers are let in it is %q", principal)
	}
}
