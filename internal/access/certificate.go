package access

import (
	"crypto/x509"
	"slices"
	"strings"

	accessv1 "toolgate.dev/toolgate/gen/go/toolgate/access/v1"
)

// certificateRule gives roles to certificates whose name fits.
type certificateRule struct {
	name  pattern
	roles []string // sorted
}

var nameKinds = []string{"uri:", "dns:", "email:", "cn:"}

func checkCertificateName(at place, name string) {
	kind, rest, found := strings.Cut(name, ":")
	if !found || rest == "" || !slices.Contains(nameKinds, kind+":") || !presentable(name) {
		at.sayf("uri:spiffe://corp/agent, dns:agent.corp, email:agent@corp, cn:agent", "%q is no name of a certificate", name)
	}
}

func (p *Policy) listCertificate(at place, principal, name string) {
	checkCertificateName(at, name)
	if strings.Contains(name, "*") {
		at.sayf("one name; patterns stand under certificates of the file", "%q would be several callers", name)
	}
	if other, taken := p.certificates[name]; taken {
		at.sayf("each once", "%s is %q's already", name, other)
	}
	p.certificates[name] = principal
}

func (p *Policy) readCertificateRules(at place, written []*accessv1.CertificateRule) {
	for i, rule := range written {
		checkCertificateName(at.at(i, "name"), rule.GetName())
		p.rolesNamed(at.at(i, "roles"), rule.GetRoles())
		if len(rule.GetRoles()) == 0 {
			at.at(i, "roles").sayf(strings.Join(sorted(p.roles), ", "), "the rule gives no roles")
		}
		p.rules = append(p.rules, certificateRule{name: patternOf(rule.GetName()), roles: distinct(rule.GetRoles())})
	}
}

// byCertificate tells who a verified certificate is.
func (p *Policy) byCertificate(certificate *x509.Certificate) (string, *Refusal) {
	names := namesOf(certificate)
	for _, name := range names {
		if principal, listed := p.certificates[name]; listed {
			return principal, nil
		}
	}
	for _, rule := range p.rules {
		for _, name := range names {
			if rule.name.fits(name) && presentable(name) {
				return unlisted(certificates, name, rule.roles), nil
			}
		}
	}
	return "", refuse(NoRights, "unknown_certificate")
}

// namesOf lists the names of a certificate, those of its subject alternative name
// before the common name, which is for people (RFC 9525 section 2).
func namesOf(certificate *x509.Certificate) (names []string) {
	for _, uri := range certificate.URIs {
		names = append(names, "uri:"+uri.String())
	}
	for _, name := range certificate.DNSNames {
		names = append(names, "dns:"+strings.ToLower(name))
	}
	for _, address := range certificate.EmailAddresses {
		names = append(names, "email:"+address)
	}
	if cn := certificate.Subject.CommonName; cn != "" {
		names = append(names, "cn:"+cn)
	}
	return names
}

func distinct(names []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(names)))
}
