package access

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	accessv1 "toolgate.dev/toolgate/gen/go/toolgate/access/v1"
	"toolgate.dev/toolgate/interceptors"
)

// Policy is a compiled access file. It never changes and is safe for concurrent use.
type Policy struct {
	principals map[string]*Rights // the file's
	roles      map[string]*Rights
	anonymous  *Rights // nil: refused

	keys         keys
	tokens       map[string]string // `issuer/claim` → principal
	issuers      map[string]*issuer
	certificates map[string]string // `uri:spiffe://…` → principal
	rules        []certificateRule

	combined sync.Map // roles, joined → *Rights
	verified *verified
}

// Options say how an access file is compiled.
type Options struct {
	// ReadFile reads a file that the access file names. Required where it names one.
	ReadFile func(path string) ([]byte, error)
	// Remote keeps the keys of issuers, over several files. Required where an issuer
	// has a URL.
	Remote *Remote
}

// Compile compiles an access file. The faults refuse it; none: nil.
func Compile(written *accessv1.Access, options Options) (*Policy, Faults) {
	var found Faults
	root := place{found: &found}
	p := &Policy{
		principals: map[string]*Rights{}, roles: map[string]*Rights{}, keys: keys{}, tokens: map[string]string{},
		issuers: map[string]*issuer{}, certificates: map[string]string{}, verified: newVerified(),
	}
	for _, name := range sorted(written.GetRoles()) {
		at := root.at("roles", name)
		checkName(at, name, "a role")
		p.roles[name] = readRights(at, written.GetRoles()[name])
	}
	for _, name := range sorted(written.GetIssuers()) {
		p.readIssuer(root.at("issuers", name), name, written.GetIssuers()[name], options)
	}
	for _, name := range sorted(written.GetPrincipals()) {
		p.readPrincipal(root.at("principals", name), name, written.GetPrincipals()[name])
	}
	p.readCertificateRules(root.at("certificates"), written.GetCertificates())
	if written.GetAnonymous() != nil {
		p.anonymous = readRights(root.at("anonymous"), written.GetAnonymous())
	}
	if p.lockedOut() {
		root.sayf("principals, issuers, certificates or anonymous", "nobody may call: the file names no caller")
	}
	if len(found) > 0 {
		return nil, found
	}
	return p, nil
}

func (p *Policy) lockedOut() bool {
	return len(p.principals) == 0 && len(p.issuers) == 0 && len(p.rules) == 0 && p.anonymous == nil
}

func (p *Policy) readPrincipal(at place, name string, written *accessv1.Principal) {
	checkPrincipalName(at, name)
	roles := p.rolesNamed(at.at("roles"), written.GetRoles())
	p.principals[name] = together(readRights(at.at("rights"), written.GetRights()), roles)
	for i, key := range written.GetKeys() {
		p.keys.add(at.at("keys", i), name, key)
	}
	for i, token := range written.GetTokens() {
		p.listToken(at.at("tokens", i), name, token)
	}
	for i, certificate := range written.GetCertificates() {
		p.listCertificate(at.at("certificates", i), name, certificate)
	}
	if len(written.GetKeys())+len(written.GetTokens())+len(written.GetCertificates()) == 0 {
		at.sayf("keys, tokens or certificates", "the principal %q has no credential to show", name)
	}
}

func (p *Policy) listToken(at place, principal, token string) {
	from, _, found := strings.Cut(token, "/")
	if !found || p.issuers[from] == nil {
		at.sayf("issuer/claim, of "+strings.Join(sorted(p.issuers), ", "), "%q names no issuer of this file", token)
		return
	}
	if other, taken := p.tokens[token]; taken {
		at.sayf("each once", "%s is %q's already", token, other)
	}
	p.tokens[token] = principal
}

func (p *Policy) rolesNamed(at place, names []string) (all []*Rights) {
	for i, name := range names {
		role, known := p.roles[name]
		if !known {
			at.at(i).sayf(strings.Join(sorted(p.roles), ", "), "there is no role %q", name)
			continue
		}
		all = append(all, role)
	}
	return all
}

// none are the rights of whom the file does not know.
var none = &Rights{}

// Rights tells what a principal may do, by its name alone. Never nil.
func (p *Policy) Rights(principal string) *Rights {
	if r, known := p.principals[principal]; known {
		return r
	}
	if principal == interceptors.Anonymous {
		return cmp.Or(p.anonymous, none)
	}
	_, joined, dynamic := strings.Cut(principal, ";")
	if !dynamic {
		return none
	}
	if r, known := p.combined.Load(joined); known {
		return r.(*Rights)
	}
	var roles []*Rights
	for name := range strings.SplitSeq(joined, ",") {
		if role, known := p.roles[name]; known {
			roles = append(roles, role)
		}
	}
	r, _ := p.combined.LoadOrStore(joined, together(none, roles))
	return r.(*Rights)
}

// Principals lists those of the file, by name.
func (p *Policy) Principals() []string { return sorted(p.principals) }

// Roles lists the roles, by name.
func (p *Policy) Roles() []string { return sorted(p.roles) }

// Role tells the rights that a role gives; nil: there is none of the name.
func (p *Policy) Role(name string) *Rights { return p.roles[name] }

// Anonymous reports whether callers without a credential are let in.
func (p *Policy) Anonymous() bool { return p.anonymous != nil }

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
