package catalog

import (
	"slices"
	"strings"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/internal/openapi"
)

// readSchemes holds the secrets against the schemes of the document.
func (o *openAPIImport) readSchemes() bool {
	o.security = map[string]openapi.Scheme{}
	var names []string
	for _, scheme := range o.document.Schemes() {
		o.security[scheme.Name] = scheme
		names = append(names, scheme.Name)
	}
	right := true
	for _, name := range sortedKeys(o.written.GetSecurity()) {
		place := o.at.field("security").field(name)
		scheme, known := o.security[name]
		switch {
		case !known:
			o.report.add(place, Problem{
				Message:    "the document has no security scheme " + quote(name),
				Suggestion: nearest(name, names), Accepted: strings.Join(names, ", "),
			})
		case scheme.In == "":
			o.report.sayf(place, "http: {tls: …} of the upstream, or nothing", "no secret can be sent for %s (%s)", name, scheme.Kind)
		default:
			continue
		}
		right = false
	}
	before := len(o.report.found)
	o.readSecrets(o.at.field("security"), o.written.GetSecurity()) // each is read again where it is sent
	right = right && len(o.report.found) == before
	o.unsaid = !slices.ContainsFunc(o.described.Tools, func(d openapi.Described) bool { return len(d.Needs) > 0 })
	return right
}

// authorize gives a tool the secrets of the first set of schemes that it needs and
// that secrets are known for.
func (o *openAPIImport) authorize(d openapi.Described) {
	given := o.written.GetSecurity()
	if o.unsaid {
		o.send(d.Tool.GetHttp(), sortedKeys(given))
		return
	}
	var optional bool
	for _, set := range d.Needs {
		optional = optional || len(set) == 0
		known := func(name string) bool { return given[name] != nil }
		if len(set) > 0 && !slices.ContainsFunc(set, func(name string) bool { return !known(name) }) {
			o.send(d.Tool.GetHttp(), set)
			return
		}
	}
	if optional || len(d.Needs) == 0 || o.upstreamAuthorizes() {
		return
	}
	var needs []string
	for _, set := range d.Needs {
		needs = append(needs, strings.Join(set, " and "))
	}
	words := strings.Join(needs, " or ")
	o.missing[words] = append(o.missing[words], d.Tool.GetName())
}

// upstreamAuthorizes reports that the upstream itself says who asks.
func (o *openAPIImport) upstreamAuthorizes() bool {
	if o.upstream == nil {
		return false
	}
	u := o.upstream.written
	return len(u.GetSecretHeaders()) > 0 || u.GetClientCredentials() != nil || u.GetHttp().GetTls().GetCertFile() != ""
}

func (o *openAPIImport) send(call *catalogv1.HttpCall, schemes []string) {
	for _, name := range schemes {
		scheme, secret := o.security[name], o.written.GetSecurity()[name]
		sent := &catalogv1.Secret{From: secret.GetFrom(), Prefix: secret.GetPrefix()}
		if sent.Prefix == "" {
			sent.Prefix = scheme.Prefix
		}
		switch scheme.In {
		case "query":
			if call.SecretQuery == nil {
				call.SecretQuery = map[string]*catalogv1.Secret{}
			}
			call.SecretQuery[scheme.Parameter] = sent
			continue
		case "cookie":
			scheme.Parameter = "Cookie"
		}
		if call.SecretHeaders == nil {
			call.SecretHeaders = map[string]*catalogv1.Secret{}
		}
		call.SecretHeaders[scheme.Parameter] = sent
	}
}
