package httpbackend

import (
	"net/url"
	"strconv"
	"strings"

	"toolgate.dev/toolgate/internal/redact"
)

// Endpoint is where a tool's requests go, as far as it may be shown: no query, no
// value of an argument, nothing that looks like a secret.
type Endpoint struct {
	Method  string
	Address string // the host without its port
	Port    int    // also where the URL leaves it to the scheme
	// URL has REDACTED in the place of each argument, Template its name in braces
	// and no host.
	URL, Template string
}

// Endpoint tells where the tool's requests go.
func (b *Backend) Endpoint() Endpoint { return b.plan.endpoint }

const hidden = "REDACTED"

func endpointOf(method string, t *template) Endpoint {
	var path, shown strings.Builder
	for _, part := range t.path {
		if part.variable != "" {
			path.WriteString("{" + part.variable + "}")
			shown.WriteString(hidden)
			continue
		}
		literal := withoutSecrets(part.literal)
		path.WriteString(literal)
		shown.WriteString(literal)
	}
	e := Endpoint{
		Method: method, Address: (&url.URL{Host: t.host}).Hostname(),
		URL: t.scheme + "://" + t.host + shown.String(), Template: path.String(),
	}
	e.Port, _ = strconv.Atoi(port(&url.URL{Scheme: t.scheme, Host: t.host})) // one that is none is refused by the template
	if e.Template == "" {
		e.Template = "/"
	}
	return e
}

// withoutSecrets hides the segments of a path that look like keys: some webhooks
// have theirs there.
func withoutSecrets(path string) string {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		if redact.SecretText(segment) != segment {
			segments[i] = hidden
		}
	}
	return strings.Join(segments, "/")
}
