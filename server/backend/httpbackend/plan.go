package httpbackend

import (
	"fmt"
	"maps"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
)

// place is where one argument goes.
type place struct {
	in    catalogv1.Location // unspecified: the template
	name  string             // there; a header's in canonical form
	style catalogv1.Style    // how lists and objects are written there
}

// plan says where everything of a request goes. It is made once and never
// changes.
type plan struct {
	method   string
	template *template
	places   map[string]place // arguments that have a place of their own
	rest     catalogv1.Location
	form     bool // the body is form-encoded, else JSON
	hasBody  bool
	asIs     bool   // the body is the arguments as they stand
	whole    string // the argument that is the body; empty: none
	text     bool   // it is sent as its text, else in JSON

	header   http.Header      // the same for every request; shared, never written to
	query    string           // the same for every request, encoded
	reserved map[place]string // what no argument may take, and why

	key *place // of the idempotency key; nil: none

	endpoint Endpoint
	pattern  *http.Request // what every request is a copy of
	fixed    *url.URL      // where every request goes, but for a query; nil: arguments stand in the URL
}

var methods = map[string]catalogv1.Location{
	http.MethodGet: catalogv1.Location_LOCATION_QUERY, http.MethodHead: catalogv1.Location_LOCATION_QUERY,
	http.MethodDelete: catalogv1.Location_LOCATION_QUERY, http.MethodPost: catalogv1.Location_LOCATION_BODY,
	http.MethodPut: catalogv1.Location_LOCATION_BODY, http.MethodPatch: catalogv1.Location_LOCATION_BODY,
}

// headers of the connection or of the message's framing, which are the
// transport's own.
var framing = []string{
	"Connection", "Content-Length", "Expect", "Host", "Keep-Alive", "Proxy-Connection", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade",
}

// headers that say who asks: never an argument.
var credentials = []string{"Authorization", "Cookie", "Proxy-Authorization"}

func newPlan(spec Spec, faults *collector) *plan {
	call := spec.Call
	p := &plan{method: call.GetMethod(), places: map[string]place{}, reserved: map[place]string{}}
	rest, known := methods[p.method]
	if !known {
		faults.add("http.method", fmt.Sprintf("%q is no method", p.method), "GET, HEAD, POST, PUT, PATCH, DELETE")
	}
	p.rest = rest
	p.form = call.GetBody() == catalogv1.BodyEncoding_BODY_ENCODING_FORM
	template, err := parseTemplate(spec.Base, call.GetUrl())
	if err != nil {
		faults.add("http.url", err.Error(), "a path under the upstream's URL, /customers/{id}, or a whole http or https URL")
		template = &templateNone
	}
	p.template = template
	p.endpoint = endpointOf(p.method, template)
	p.fixHeaders(spec, faults)
	p.fixQuery(spec, faults)
	p.placeArguments(spec, faults)
	p.placeBody(spec, faults)
	p.placeKey(spec, faults)
	p.describeBody(faults)
	p.pattern = &http.Request{
		Method: p.method, Host: template.host, Header: p.header, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	if len(template.names) == 0 {
		p.fixed, _ = (&draft{plan: p}).target() // without a variable nothing can be refused
	}
	return p
}

var templateNone template

// fixHeaders joins the headers that every request carries: the gateway's own
// under the upstream's under the tool's under the secret ones.
func (p *plan) fixHeaders(spec Spec, faults *collector) {
	p.header = http.Header{
		"User-Agent": {spec.userAgent},
		"Accept":     {"application/json, text/plain;q=0.9, */*;q=0.5"},
		// net/http would add it to each request anew; it is unpacked here.
		"Accept-Encoding": {"gzip"},
	}
	for _, set := range []struct {
		path    string
		headers map[string]string
	}{
		{"", spec.Headers}, {"http.headers", spec.Call.GetHeaders()}, {"http.secret_headers", spec.SecretHeaders},
	} {
		for _, name := range slices.Sorted(maps.Keys(set.headers)) {
			path := strings.TrimPrefix(set.path+"."+name, ".")
			if message := CheckHeader(name, set.headers[name]); message != "" {
				faults.add(path, message, "")
				continue
			}
			p.header[textproto.CanonicalMIMEHeaderKey(name)] = []string{set.headers[name]}
		}
	}
}

// headerName accepts a header that may be set by hand.
func headerName(path, name string, faults *collector) (canonical string, ok bool) {
	if message := CheckHeader(name, ""); message != "" {
		faults.add(path, message, "")
		return "", false
	}
	return textproto.CanonicalMIMEHeaderKey(name), true
}

// CheckHeader says what is wrong with a header that is to be set by hand; empty
// where nothing is. It never repeats the value.
func CheckHeader(name, value string) string {
	canonical := textproto.CanonicalMIMEHeaderKey(name)
	switch {
	case !httpguts.ValidHeaderFieldName(name):
		return fmt.Sprintf("%q is no header name: letters, digits and dashes (RFC 9110 section 5.1)", name)
	case slices.Contains(framing, canonical):
		return canonical + " belongs to the connection and can't be set"
	case !httpguts.ValidHeaderFieldValue(value):
		return "the value holds a line break or a control character"
	}
	return ""
}

// fixQuery encodes the parameters that every request carries.
func (p *plan) fixQuery(spec Spec, faults *collector) {
	var query []byte
	for _, parameter := range p.template.query {
		p.reserve(queryPlace(parameter.name), "it stands in the URL")
	}
	for _, set := range []struct {
		path, why  string
		parameters map[string]string
	}{
		{"http.query", "it is fixed", spec.Call.GetQuery()}, {"http.secret_query", "it is secret", spec.SecretQuery},
	} {
		for _, name := range slices.Sorted(maps.Keys(set.parameters)) {
			if why, taken := p.taken(queryPlace(name)); taken {
				faults.add(set.path+"."+name, "this parameter is set twice: "+why, "")
			}
			p.reserve(queryPlace(name), set.why)
			query = appendPair(query, name, set.parameters[name])
		}
	}
	p.query = string(query)
}

// placeArguments finds each argument's place.
func (p *plan) placeArguments(spec Spec, faults *collector) {
	for _, name := range p.template.names {
		if !spec.knows(name) {
			faults.add("http.url", fmt.Sprintf("{%s} is no argument of the tool", name), spec.known())
		}
		p.places[name] = place{}
	}
	written := spec.Call.GetArguments()
	for _, name := range slices.Sorted(maps.Keys(written)) {
		path := "http.arguments." + name
		if _, twice := p.places[name]; twice {
			faults.add(path, "this argument stands in the URL already", "one place for each argument")
			continue
		}
		if !spec.knows(name) {
			faults.add(path, fmt.Sprintf("%q is no argument of the tool", name), spec.known())
		}
		there := place{in: written[name].GetIn(), name: written[name].GetName(), style: written[name].GetStyle()}
		if there.name == "" {
			there.name = name
		}
		p.places[name] = p.checkPlace(path, there, faults)
	}
	for _, name := range spec.Arguments {
		if _, placed := p.places[name]; placed || p.rest != catalogv1.Location_LOCATION_QUERY || name == p.whole {
			continue
		}
		if why, taken := p.taken(queryPlace(name)); taken {
			faults.add("http.arguments."+name, "no argument may be the query parameter "+name+": "+why, "another name for it")
		}
	}
}

// checkPlace refuses places that are taken or forbidden.
func (p *plan) checkPlace(path string, there place, faults *collector) place {
	switch there.in {
	case catalogv1.Location_LOCATION_QUERY:
		if why, taken := p.taken(there); taken {
			faults.add(path, "no argument may be the query parameter "+there.name+": "+why, "another name for it")
		}
	case catalogv1.Location_LOCATION_HEADER:
		canonical, ok := headerName(path, there.name, faults)
		there.name = canonical
		if _, taken := p.header[canonical]; ok && taken && canonical != "User-Agent" && canonical != "Accept" {
			faults.add(path, "no argument may be the header "+canonical+": it is fixed", "another name for it")
		}
		if slices.Contains(credentials, canonical) {
			faults.add(path, "no argument may be the header "+canonical+": it says who asks", "secret_headers")
		}
		if there.style != catalogv1.Style_STYLE_UNSPECIFIED {
			faults.add(path+".style", "a header has no styles", "")
		}
	case catalogv1.Location_LOCATION_BODY:
		if there.style != catalogv1.Style_STYLE_UNSPECIFIED && !p.form {
			faults.add(path+".style", "a body in JSON has no styles", "body: form")
		}
	default:
		faults.add(path+".in", "the place is missing", "query, header, body")
	}
	return there
}

const defaultKeyHeader = "Idempotency-Key"

// placeKey finds the idempotency key's place, which no argument may take.
func (p *plan) placeKey(spec Spec, faults *collector) {
	if spec.IdempotencyKey == nil {
		return
	}
	key := place{in: spec.IdempotencyKey.GetIn(), name: spec.IdempotencyKey.GetName()}
	if key.in == catalogv1.Location_LOCATION_UNSPECIFIED {
		key.in = catalogv1.Location_LOCATION_HEADER
	}
	if key.name == "" {
		key.name = defaultKeyHeader
	}
	const path = "idempotency_key.name"
	key = p.checkPlace(path, key, faults)
	for name, there := range p.places {
		if there.in == key.in && there.name == key.name {
			faults.add(path, fmt.Sprintf("the argument %q goes to the same place", name), "another name")
		}
	}
	if _, placed := p.places[key.name]; !placed && key.in == p.rest && slices.Contains(spec.Arguments, key.name) {
		faults.add(path, fmt.Sprintf("the argument %q goes to the same place", key.name), "another name")
	}
	p.reserve(key, "it is the idempotency key")
	p.key = &key
}

// describeBody finds out whether requests have a body and names its type.
func (p *plan) describeBody(faults *collector) {
	p.hasBody = p.rest == catalogv1.Location_LOCATION_BODY || p.whole != ""
	for _, there := range p.places {
		p.hasBody = p.hasBody || there.in == catalogv1.Location_LOCATION_BODY
	}
	p.hasBody = p.hasBody || p.key != nil && p.key.in == catalogv1.Location_LOCATION_BODY
	p.asIs = p.rest == catalogv1.Location_LOCATION_BODY && !p.form && p.whole == "" && len(p.places) == 0 &&
		(p.key == nil || p.key.in != catalogv1.Location_LOCATION_BODY)
	if p.hasBody && p.method == http.MethodHead {
		faults.add("http.arguments", "a HEAD request has no body", "query, header")
	}
	if _, own := p.header["Content-Type"]; own || !p.hasBody {
		return
	}
	switch {
	case p.form:
		p.header["Content-Type"] = []string{"application/x-www-form-urlencoded"}
	case p.text:
		p.header["Content-Type"] = []string{"text/plain; charset=utf-8"}
	default:
		p.header["Content-Type"] = []string{"application/json"}
	}
}

func queryPlace(name string) place {
	return place{in: catalogv1.Location_LOCATION_QUERY, name: name}
}

func (p *plan) reserve(there place, why string) { p.reserved[folded(there)] = why }

// taken reports whether somebody could read an argument at that place as what
// stands at a reserved one: servers differ about case and about brackets.
func (p *plan) taken(there place) (why string, taken bool) {
	if len(p.reserved) == 0 {
		return "", false
	}
	why, taken = p.reserved[folded(there)]
	return why, taken
}

func folded(there place) place {
	name, _, _ := strings.Cut(there.name, "[")
	return place{in: there.in, name: strings.ToLower(strings.TrimSpace(name))}
}

func appendPair(dst []byte, name, value string) []byte {
	if len(dst) > 0 {
		dst = append(dst, '&')
	}
	dst = append(appendEscaped(dst, name), '=')
	return appendEscaped(dst, value)
}
