package access

import (
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"

	accessv1 "toolgate.dev/toolgate/gen/go/toolgate/access/v1"
)

const (
	defaultLeeway = 30 * time.Second
	maxLeeway     = 5 * time.Minute
)

// issuer is one of the file's.
type issuer struct {
	name, issuer   string
	audiences      []string
	algorithms     []jose.SignatureAlgorithm
	leeway         time.Duration
	principalClaim string
	rolesClaim     string // empty: none
	grants         map[string]string
	roles          []string
	keys           keySource
}

func (p *Policy) readIssuer(at place, name string, written *accessv1.Issuer, options Options) {
	checkName(at, name, "an issuer")
	if name == certificates {
		at.sayf("another name", "%q is where certificates come from", name)
	}
	i := &issuer{
		name: name, issuer: written.GetIssuer(), audiences: written.GetAudiences(), leeway: defaultLeeway, principalClaim: "sub",
		rolesClaim: written.GetRolesClaim(), grants: written.GetGrants(), roles: written.GetRoles(),
	}
	if claim := written.GetPrincipalClaim(); claim != "" {
		i.principalClaim = claim
	}
	switch other := p.issuerOf(i.issuer); {
	case i.issuer == "":
		at.at("issuer").sayf("what tokens name as their iss", "the issuer has no name of its own")
	case other != nil:
		at.at("issuer").sayf("each once, with all its audiences", "%q is %s already", i.issuer, other.name)
	}
	if len(i.audiences) == 0 || slices.Contains(i.audiences, "") {
		at.at("audiences").sayf("what tokens for this gateway name as their aud", "a token for another service would do")
	}
	if d := written.GetLeeway(); d != nil {
		i.leeway = d.AsDuration()
		if i.leeway < 0 || i.leeway > maxLeeway {
			at.at("leeway").sayf("0s to 5m", "%s is out of range", i.leeway)
		}
	}
	i.algorithms = readAlgorithms(at.at("algorithms"), written.GetAlgorithms())
	p.readGrants(at, i)
	i.keys = readKeys(at, written, options)
	p.issuers[name] = i
}

func readAlgorithms(at place, written []string) []jose.SignatureAlgorithm {
	if len(written) == 0 {
		return []jose.SignatureAlgorithm{jose.RS256, jose.ES256, jose.EdDSA}
	}
	var all []jose.SignatureAlgorithm
	for n, name := range written {
		if algorithm := jose.SignatureAlgorithm(name); slices.Contains(accepted, algorithm) {
			all = append(all, algorithm)
			continue
		}
		names := make([]string, len(accepted))
		for i, algorithm := range accepted {
			names[i] = string(algorithm)
		}
		at.at(n).sayf(strings.Join(names, ", "), "%q is not accepted", name)
	}
	return all
}

func (p *Policy) readGrants(at place, i *issuer) {
	p.rolesNamed(at.at("roles"), i.roles)
	for _, value := range sorted(i.grants) {
		if role := i.grants[value]; p.roles[role] == nil {
			at.at("grants", value).sayf(strings.Join(sorted(p.roles), ", "), "there is no role %q", role)
		}
	}
	if len(i.grants) > 0 && i.rolesClaim == "" {
		at.at("grants").sayf("roles_claim beside it", "which claim do they grant for?")
	}
	if len(i.grants) == 0 && i.rolesClaim != "" {
		at.at("roles_claim").sayf("grants beside it", "the claim grants nothing")
	}
}

func readKeys(at place, written *accessv1.Issuer, options Options) keySource {
	file, address := written.GetJwksFile(), written.GetJwksUrl()
	switch {
	case (file == "") == (address == ""):
		at.sayf("jwks_url or jwks_file", "where are the issuer's keys?")
	case address != "":
		if !trustworthy(address) {
			at.at("jwks_url").sayf("https://…, or http:// on loopback", "whoever is on the way could put other keys in: %q", address)
			return nil
		}
		return options.Remote.of(address)
	default:
		text, err := options.ReadFile(file)
		if err != nil {
			at.at("jwks_file").sayf("a JWK Set", "the file can't be read: %s", err)
			return nil
		}
		set, err := parseKeys(text)
		if err != nil {
			at.at("jwks_file").sayf("a JWK Set with public keys", "%s", err)
		}
		return set
	}
	return nil
}

// trustworthy reports whether what comes from a URL is what its host says.
func trustworthy(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.User != nil || u.Fragment != "" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback())
}
