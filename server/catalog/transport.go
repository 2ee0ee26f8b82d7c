package catalog

import (
	"net"
	"path/filepath"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/internal/egress"
	"toolgate.dev/toolgate/server/backend"
	"toolgate.dev/toolgate/server/backend/httpbackend"
)

const (
	maxConnections = 65535
	maxTimeout     = time.Hour
	maxAge         = 24 * time.Hour

	proxyEnvironment = "environment"
	proxyDirect      = "direct"
)

// transport is how the connections of one place of the file are made.
type transport struct {
	written  *catalogv1.HttpTransport // nil: nothing is said
	resolved *catalogv1.HttpTransport // with the places of its files, and the proxy's password put in
	secrets  []string                 // the password
	allow    egress.List              // an upstream's own
}

// settings is what a back end takes. What is out of range was reported where it
// stands.
func (t transport) settings() httpbackend.Transport {
	settings := settingsOf(policyReader{report: newReport("")}, t.resolved)
	settings.Allow = t.allow
	return settings
}

// readTransports reads the defaults of hosts.
func (b *builder) readTransports() {
	b.transports = map[string]transport{}
	all := b.root.field("http")
	for _, host := range sortedKeys(b.message.GetHttp()) {
		if !hostPattern(host) {
			b.report.sayf(all.field(host), "api.example.com, api.example.com:8443, *.example.com, *", "%s is no host", quote(host))
			continue
		}
		b.transports[strings.ToLower(host)] = b.readTransport(all.field(host), b.message.GetHttp()[host])
	}
}

func hostPattern(host string) bool {
	host = strings.TrimPrefix(host, "*.")
	if host == "*" {
		return true
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return host != "" && !strings.ContainsAny(host, "*/@?# ")
}

// readTransport checks what is written in one place.
func (b *builder) readTransport(at at, written *catalogv1.HttpTransport) transport {
	if written == nil {
		return transport{}
	}
	t := transport{written: written, resolved: proto.CloneOf(written)}
	b.locate(t.resolved.GetTls())
	if password := written.GetProxy().GetPassword(); password != nil {
		read := b.readSecrets(at.field("proxy"), map[string]*catalogv1.Secret{"password": password})
		t.secrets = read.values
		t.resolved.Proxy.Password = &catalogv1.Secret{From: read.sent["password"]}
	}
	settings := settingsOf(policyReader{report: b.report, at: at}, t.resolved)
	faults := httpbackend.CheckTransport(settings)
	if !b.settings.unreadFiles {
		faults = append(faults, httpbackend.CheckTransportFiles(settings)...)
	}
	for _, fault := range faults {
		b.report.add(at.below(fault.Path), Problem{Message: fault.Message, Accepted: fault.Accepted})
	}
	return t
}

// locate makes the paths of files absolute: they are relative to the catalogue.
func (b *builder) locate(tls *catalogv1.Tls) {
	if tls == nil {
		return
	}
	for _, path := range []*string{&tls.CaFile, &tls.CertFile, &tls.KeyFile} {
		if *path != "" && !filepath.IsAbs(*path) {
			*path = filepath.Join(filepath.Dir(b.source.name), *path)
		}
	}
}

// transportFor puts together what the file says of a host: the less specific
// below the more specific, the upstream's own on top.
func (b *builder) transportFor(host string, own transport) (merged transport) {
	merged.allow = own.allow
	for _, part := range append(b.fitting(host), own) {
		if part.written == nil {
			continue
		}
		if merged.written == nil {
			merged.written, merged.resolved = &catalogv1.HttpTransport{}, &catalogv1.HttpTransport{}
		}
		if part.written.GetProxy() != nil { // user and password belong to their proxy
			merged.written.Proxy, merged.resolved.Proxy, merged.secrets = nil, nil, part.secrets
		}
		proto.Merge(merged.written, part.written)
		proto.Merge(merged.resolved, part.resolved)
	}
	return merged
}

// fitting lists the defaults that fit a host, the least specific first.
func (b *builder) fitting(host string) (all []transport) {
	host = strings.ToLower(host)
	name := host
	if without, _, err := net.SplitHostPort(host); err == nil {
		name = without
	}
	patterns := []string{"*"}
	labels := strings.Split(name, ".")
	for i := len(labels) - 1; i > 0; i-- {
		patterns = append(patterns, "*."+strings.Join(labels[i:], "."))
	}
	patterns = append(patterns, name)
	if host != name {
		patterns = append(patterns, host)
	}
	for _, pattern := range patterns {
		if fits, ok := b.transports[pattern]; ok {
			all = append(all, fits)
		}
	}
	return all
}

// settingsOf turns the message into what the back end takes; r gets what is out of
// range.
func settingsOf(r policyReader, written *catalogv1.HttpTransport) (t httpbackend.Transport) {
	if written == nil {
		return t
	}
	tls := written.GetTls()
	t.TLS = backend.TLS{
		CAFile: tls.GetCaFile(), CertFile: tls.GetCertFile(), KeyFile: tls.GetKeyFile(), ServerName: tls.GetServerName(),
		TLS13: tls.GetMinVersion() == catalogv1.TlsVersion_TLS_VERSION_TLS13,
	}
	t.Proxy = proxyOf(written.GetProxy())
	switch written.GetHttp2() {
	case catalogv1.Http2_HTTP2_NEVER:
		t.HTTP2 = httpbackend.HTTP2Never
	case catalogv1.Http2_HTTP2_ALWAYS:
		t.HTTP2 = httpbackend.HTTP2Always
	}
	connections := uint32(0)
	r.count("max_connections", written.MaxConnections, &connections, 1, maxConnections)
	t.MaxConnections = int(connections)
	r.span("idle_timeout", written.GetIdleTimeout(), &t.IdleTimeout, time.Millisecond, maxTimeout)
	r.span("max_age", written.GetMaxAge(), &t.MaxAge, time.Second, maxAge)
	r.span("connect_timeout", written.GetConnectTimeout(), &t.ConnectTimeout, time.Millisecond, maxTimeout)
	r.span("tls_timeout", written.GetTlsTimeout(), &t.TLSTimeout, time.Millisecond, maxTimeout)
	return t
}

func proxyOf(written *catalogv1.Proxy) backend.Proxy {
	p := backend.Proxy{Mode: backend.ProxyURL, URL: written.GetUrl(), User: written.GetUser(), Password: written.GetPassword().GetFrom()}
	switch p.URL {
	case "", proxyEnvironment:
		p.Mode, p.URL = backend.ProxyEnvironment, ""
	case proxyDirect:
		p.Mode, p.URL = backend.ProxyNone, ""
	}
	return p
}
