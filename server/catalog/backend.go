package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"net/textproto"
	"net/url"
	"strings"

	"toolgate.dev/toolgate/server/backend"
	"toolgate.dev/toolgate/server/backend/funcbackend"
	"toolgate.dev/toolgate/server/backend/httpbackend"
)

// compileBackend makes the tool's back end: one line per kind.
func (b *builder) compileBackend(e *entry) {
	switch {
	case e.added != nil:
		b.compileFunction(e, e.at, e.added)
	case e.written.GetHttp() != nil:
		b.compileHTTP(e)
	case e.written.GetFunction() != nil:
		b.findFunction(e)
	case e.written.GetGrpc() != nil:
		b.compileGRPC(e)
	case e.written.GetMcp() != nil:
		b.compileMCP(e)
	case !b.backendIsDark(e):
		b.report.sayf(e.at, "http: …, grpc: …, mcp: …, function: …", "the tool goes nowhere")
	}
}

// backendIsDark reports whether a back end stands there that was complained about.
func (b *builder) backendIsDark(e *entry) bool {
	for _, kind := range []string{"http", "grpc", "mcp", "function"} {
		if b.report.isDark(e.at.path + "." + kind) {
			return true
		}
	}
	return false
}

func (b *builder) findFunction(e *entry) {
	name := e.written.GetFunction().GetName()
	if name == "" {
		name = e.tool.Name
	}
	function, known := b.settings.functions[name]
	if !known && b.settings.anyFunction {
		function, known = nobody, true
	}
	if !known {
		b.report.add(e.at.field("function"), Problem{
			Message:    "no Go function is registered as " + quote(name),
			Suggestion: nearest(name, sortedKeys(b.settings.functions)), Accepted: strings.Join(sortedKeys(b.settings.functions), ", "),
		})
		return
	}
	b.compileFunction(e, e.at.field("function"), function)
}

// nobody stands for a function that is not looked for.
func nobody(context.Context, json.RawMessage) (any, error) { return nil, errNobody }

var errNobody = errors.New("the function was not looked for")

func (b *builder) compileFunction(e *entry, at at, function Function) {
	var options []funcbackend.Option
	if b.settings.panicked != nil {
		options = append(options, funcbackend.WithPanicHook(b.settings.panicked))
	}
	backend, err := funcbackend.New(function, options...)
	if err != nil {
		b.report.add(at, Problem{Message: err.Error()})
		return
	}
	e.tool.Backend = backend
	e.tool.Diagnosis.SpeaksToolgate = true
	if e.tool.Upstream == "" {
		e.tool.Upstream = "function/" + e.tool.Name
	}
}

func (b *builder) compileHTTP(e *entry) {
	call, place := e.written.GetHttp(), e.at.field("http")
	headers := b.readSecrets(place.field("secret_headers"), call.GetSecretHeaders())
	query := b.readSecrets(place.field("secret_query"), call.GetSecretQuery())
	e.secrets = append(append(e.secrets, headers.values...), query.values...)
	spec := httpbackend.Spec{
		Upstream: e.tool.Upstream, Call: call, SecretHeaders: headers.sent, SecretQuery: query.sent,
		IdempotencyKey: e.written.GetIdempotencyKey(), Arguments: e.outline.names, Open: e.outline.open,
		MaxResultBytes: int64(e.tool.Policy.MaxResultBytes),
	}
	if !b.takeUpstream(e, &spec) {
		return
	}
	if spec.Upstream == "" {
		spec.Upstream = hostOf(call.GetUrl())
		e.tool.Upstream = spec.Upstream
	}
	b.takeTransport(e, &spec)
	made, err := httpbackend.New(b.pool, spec)
	if faults, wrong := errors.AsType[backend.Faults](err); wrong {
		for _, fault := range faults {
			b.report.add(e.at.below(fault.Path), Problem{Message: fault.Message, Accepted: fault.Accepted})
		}
		return
	}
	e.tool.Backend, e.tool.Diagnosis.Host = made, made.Host()
}

// takeTransport gives the request the connections that the file describes for its
// host. What is wrong there was reported where it stands.
func (b *builder) takeTransport(e *entry, spec *httpbackend.Spec) {
	host, own := hostOf(spec.Call.GetUrl()), transport{}
	if e.upstream != nil {
		own = e.upstream.transport
	}
	if host == "" && spec.Base != nil {
		host = spec.Base.Host
	}
	merged := b.transportFor(host, own)
	e.transport, e.secrets = merged.written, append(e.secrets, merged.secrets...)
	spec.Transport = merged.settings()
	b.checkHost(e.at.field("http").field("url"), hostOf(spec.Call.GetUrl()), merged.allow)
}

// takeUpstream gives the request what its upstream says; false where the
// upstream is wrong itself.
func (b *builder) takeUpstream(e *entry, spec *httpbackend.Spec) bool {
	u := e.upstream
	if u == nil {
		return true
	}
	if u.wrong {
		return false
	}
	spec.Base, spec.Headers = u.base, u.written.GetHeaders()
	spec.SecretHeaders = joined(u.secrets.sent, spec.SecretHeaders)
	if u.bearer != nil {
		spec.Bearer = u.bearer
	}
	if u.base == nil || strings.HasPrefix(spec.Call.GetUrl(), "/") {
		return true
	}
	if other := hostOf(spec.Call.GetUrl()); other != "" && !strings.EqualFold(other, u.base.Host) {
		b.report.sayf(e.at.field("http").field("url"), "a path, or another upstream",
			"the tool belongs to %s and would take its headers to another host", quote(u.name))
		return false
	}
	return true
}

// joined puts the second set of headers over the first, whatever their case.
func joined(under, over map[string]string) map[string]string {
	all := make(map[string]string, len(under)+len(over))
	for _, set := range []map[string]string{under, over} {
		for name, value := range set {
			all[textproto.CanonicalMIMEHeaderKey(name)] = value
		}
	}
	return all
}

// hostOf is the host and port of a whole URL, variables or not.
func hostOf(template string) string {
	_, rest, found := strings.Cut(template, "://")
	if !found {
		return ""
	}
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	parsed, err := url.Parse("//" + rest)
	if err != nil {
		return ""
	}
	return strings.ToLower(parsed.Host)
}
