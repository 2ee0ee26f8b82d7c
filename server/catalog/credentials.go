package catalog

import (
	"net"
	"net/url"
	"strings"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/server/backend/tokens"
)

// readCredentials makes the source of the tokens that an upstream is shown.
func (b *builder) readCredentials(at at, u *upstream) {
	written := u.written.GetClientCredentials()
	if written == nil {
		return
	}
	endpoint := b.readTokenURL(at.field("token_url"), written.GetTokenUrl(), u)
	if written.GetClientId() == "" {
		b.report.sayf(at.field("client_id"), "who asks for a token", "the client has no id")
	}
	if written.GetClientSecret() == nil {
		b.report.sayf(at.field("client_secret"), "client_secret: {from: "+secretForms+"}", "the client has no secret")
		return
	}
	for name := range joined(u.written.GetHeaders(), u.secrets.sent) {
		if name == "Authorization" {
			b.report.sayf(at, "client_credentials, or a header", "the token stands in the Authorization header, which the upstream has already")
		}
	}
	secret := b.readSecrets(at, map[string]*catalogv1.Secret{"client_secret": written.GetClientSecret()})
	u.secrets.values = append(u.secrets.values, secret.values...)
	if endpoint == nil {
		return
	}
	own := transport{allow: u.transport.allow}
	if u.base != nil && strings.EqualFold(endpoint.Host, u.base.Host) {
		own = u.transport
	}
	transport := b.pool.RoundTripper("token/"+u.name, b.transportFor(endpoint.Host, own).settings())
	transport.Release() // it keeps its connections itself, as long as it is used
	u.bearer = tokens.New(tokens.Settings{
		URL: endpoint.String(), ClientID: written.GetClientId(), ClientSecret: secret.sent["client_secret"],
		Scopes: written.GetScopes(), Parameters: written.GetParameters(), Transport: transport,
		Report: func(problem string) { b.pool.Report(u.name, problem) },
	})
}

// readTokenURL accepts an endpoint that a secret can be sent to; nil: it does not.
func (b *builder) readTokenURL(at at, text string, u *upstream) *url.URL {
	const accepted = "https://login.example.com/oauth/token, or http on loopback"
	endpoint, err := url.Parse(text)
	var message string
	switch {
	case text == "":
		message = "where is the token endpoint?"
	case err != nil || endpoint.Hostname() == "":
		message = "this is no URL"
	case endpoint.Scheme != "https" && !(endpoint.Scheme == "http" && here(endpoint.Hostname())):
		message = "the client's secret would travel where anyone on the way reads it"
	case endpoint.User != nil || strings.Contains(text, "#"):
		message = "the URL has a user or a fragment"
	default:
		b.checkHost(at, endpoint.Host, u.transport.allow)
		return endpoint
	}
	b.report.sayf(at, accepted, "%s", message)
	return nil
}

func here(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
