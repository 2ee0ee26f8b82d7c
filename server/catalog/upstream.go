package catalog

import (
	"net/url"
	"strings"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/server/backend/httpbackend"
	"toolgate.dev/toolgate/server/backend/tokens"
)

// upstream is one of the file's, read.
type upstream struct {
	name      string
	written   *catalogv1.Upstream
	base      *url.URL // nil: its tools have whole URLs, or its own is wrong
	address   *url.URL // of a gRPC server; nil: it is none
	wrong     bool     // something about it is; its tools are not complained about for it
	secrets   secrets
	transport transport
	bearer    *tokens.Source // nil: it has no credentials of that kind
}

func (b *builder) readUpstreams() {
	b.upstreams = map[string]*upstream{}
	all := b.root.field("upstreams")
	for _, name := range sortedKeys(b.message.GetUpstreams()) {
		b.upstreams[name] = b.readUpstream(all.field(name), name, b.message.GetUpstreams()[name])
	}
}

func (b *builder) readUpstream(at at, name string, written *catalogv1.Upstream) *upstream {
	u := &upstream{name: name, written: written}
	before := len(b.report.found)
	if name == "" {
		b.report.sayf(at, "a name", "an upstream has no name")
	}
	switch text := written.GetUrl(); {
	case speaksGRPC(text):
		u.address = b.readAddress(at.field("url"), text)
	case text != "":
		u.base = b.readBase(at.field("url"), text)
	}
	u.secrets = b.readSecrets(at.field("secret_headers"), written.GetSecretHeaders())
	for field, headers := range map[string]map[string]string{"headers": written.GetHeaders(), "secret_headers": u.secrets.sent} {
		for _, header := range sortedKeys(headers) {
			if message := httpbackend.CheckHeader(header, headers[header]); message != "" {
				b.report.add(at.field(field).field(header), Problem{Message: message})
			}
		}
	}
	u.transport = b.readTransport(at.field("http"), written.GetHttp())
	u.transport.allow = b.readAllowed(at.field("allow_addresses"), written.GetAllowAddresses())
	for _, to := range []*url.URL{u.base, u.address} {
		if to != nil {
			b.checkHost(at.field("url"), to.Host, u.transport.allow)
		}
	}
	b.readCredentials(at.field("client_credentials"), u)
	u.wrong = len(b.report.found) > before || b.report.isDark(at.path)
	return u
}

// readBase accepts a URL that paths can be appended to.
func (b *builder) readBase(at at, text string) *url.URL {
	const accepted = "an http or https URL without user, query and fragment: https://api.example.com/v1"
	base, err := url.Parse(text)
	var message string
	switch {
	case err != nil:
		message = "this is no URL"
	case base.Scheme != "http" && base.Scheme != "https":
		message = "the URL is neither http nor https"
	case base.User != nil:
		message = "user and password don't belong in a URL: use secret_headers"
	case base.Hostname() == "":
		message = "the URL has no host"
	case base.RawQuery != "" || base.ForceQuery || strings.Contains(text, "#"):
		message = "the URL has a query or a fragment"
	case strings.ContainsAny(text, "{}"):
		message = "the URL of an upstream holds no variables"
	case httpbackend.Climbs(base.EscapedPath()):
		message = "the URL's path holds a dot segment"
	default:
		return base
	}
	b.report.add(at, Problem{Message: message, Accepted: accepted})
	return nil
}
