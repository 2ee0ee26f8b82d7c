package mcpbackend

import (
	"context"
	"encoding/base64"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"toolgate.dev/toolgate/internal/rawjson"
)

// firstStateless is the version from which on requests stand for themselves: each
// says who asks, and over HTTP its headers say what.
const firstStateless = "2026-07-28"

// asking is how a session's questions are put.
type asking struct {
	version string // of the protocol, as it was agreed upon
	about   []byte // clientInfo, JSON

	followers *followers
}

func (a *asking) stateless() bool { return a.version >= firstStateless }

// meta is a request's `_meta`; empty where there is nothing to say. A token of 0
// asks for no progress.
func (a *asking) meta(ctx context.Context, token int64) []byte {
	meta := []byte{'{'}
	if token != 0 {
		meta = rawjson.AppendMember(meta, "progressToken", strconv.AppendInt(nil, token, 10))
	}
	if a.stateless() {
		meta = rawjson.AppendMember(meta, "io.modelcontextprotocol/protocolVersion", rawjson.AppendString(nil, a.version))
		meta = rawjson.AppendMember(meta, "io.modelcontextprotocol/clientInfo", a.about)
		meta = rawjson.AppendMember(meta, "io.modelcontextprotocol/clientCapabilities", []byte("{}"))
	}
	if trace.SpanContextFromContext(ctx).IsValid() { // SEP-414
		carrier := propagation.MapCarrier{}
		propagation.TraceContext{}.Inject(ctx, carrier)
		for _, name := range []string{"traceparent", "tracestate"} {
			if value := carrier[name]; value != "" {
				meta = rawjson.AppendMember(meta, name, rawjson.AppendString(nil, value))
			}
		}
	}
	return append(meta, '}')
}

// call asks for one call of a back end's tool.
func (a *asking) call(ctx context.Context, of *Backend, arguments []byte, token int64) *question {
	text := rawjson.AppendMember([]byte{'{'}, "_meta", a.meta(ctx, token))
	text = rawjson.AppendMember(text, "name", rawjson.AppendString(nil, of.call.Tool))
	if len(rawjson.Trim(arguments)) == 0 {
		arguments = []byte("{}")
	}
	text = rawjson.AppendMember(text, "arguments", rawjson.AppendCompact(nil, arguments))
	q := &question{method: "tools/call", params: append(text, '}'), limit: of.limit}
	if a.stateless() {
		q.header = a.headers(q.method)
		q.header.Set(headerName, headerText(of.call.Tool))
		for _, p := range of.params {
			p.set(q.header, arguments)
		}
	}
	return q
}

// page asks for a page of the list of tools.
func (a *asking) page(ctx context.Context, cursor string, limit int) *question {
	text := rawjson.AppendMember([]byte{'{'}, "_meta", a.meta(ctx, 0))
	if cursor != "" {
		text = rawjson.AppendMember(text, "cursor", rawjson.AppendString(nil, cursor))
	}
	q := &question{method: "tools/list", params: append(text, '}'), limit: limit}
	if a.stateless() {
		q.header = a.headers(q.method)
	}
	return q
}

func (*asking) headers(method string) http.Header { return http.Header{headerMethod: {method}} }

// paramHeader is an argument that is said in a header, too, so that what stands
// before the server can read it (`x-mcp-header` in the schema, SEP-2243).
type paramHeader struct {
	path []string
	name string // canonical
}

const maxParamDepth = 8

// paramHeaders lists those of a schema.
func paramHeaders(schema []byte, path []string) (all []paramHeader) {
	properties, _ := rawjson.Get(schema, "properties")
	for m := range rawjson.Members(properties) {
		at := slices.Concat(path, []string{m.Name()})
		if name := member(m.Value, "x-mcp-header"); token(name) {
			all = append(all, paramHeader{path: at, name: http.CanonicalHeaderKey(headerParam + name)})
		}
		if len(at) < maxParamDepth {
			all = append(all, paramHeaders(m.Value, at)...)
		}
	}
	return all
}

// token reports a name that a header may have (RFC 9110 section 5.6.2).
func token(name string) bool {
	for _, c := range []byte(name) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return name != ""
}

// set says the argument, where it is there and a text, a whole number or a truth.
func (p paramHeader) set(header http.Header, arguments []byte) {
	value := arguments
	for _, step := range p.path {
		next, found := rawjson.Get(value, step)
		if !found {
			return
		}
		value = next
	}
	switch rawjson.KindOf(value) {
	case rawjson.String:
		header.Set(p.name, headerText(rawjson.Text(value)))
	case rawjson.True, rawjson.False:
		header.Set(p.name, string(rawjson.Trim(value)))
	case rawjson.Number:
		if whole, err := strconv.ParseInt(string(rawjson.Trim(value)), 10, 64); err == nil {
			header.Set(p.name, strconv.FormatInt(whole, 10))
		}
	}
}

const (
	encodedPrefix = "=?base64?"
	encodedSuffix = "?="
)

// headerText writes text so that a header can hold it.
func headerText(text string) string {
	plain := text == strings.TrimSpace(text) && !strings.HasPrefix(text, encodedPrefix)
	for _, c := range []byte(text) {
		plain = plain && c >= ' ' && c < 0x7f
	}
	if plain {
		return text
	}
	return encodedPrefix + base64.StdEncoding.EncodeToString([]byte(text)) + encodedSuffix
}
