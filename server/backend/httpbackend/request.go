package httpbackend

import (
	"bytes"
	"context"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpguts"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/rawjson"
)

// draft is a request in the making.
type draft struct {
	plan   *plan
	values map[string][]byte // of the template's variables
	query  []byte
	form   []byte
	whole  []byte      // the argument that is the body
	header http.Header // nil: the plan's own

	arguments []byte
	moved     []move // members that leave the JSON body or change their name, in order
}

// move is a member of the arguments that is not sent as it stands.
type move struct {
	member rawjson.Member
	name   string // its new name; empty: it leaves
}

// build makes the request of one attempt, which f watches.
func (p *plan) build(ctx context.Context, f *flight, call *interceptors.Call) (*http.Request, *refusal) {
	d := &draft{plan: p, arguments: rawjson.Trim(call.Arguments.JSON)}
	if len(d.arguments) == 0 {
		d.arguments = []byte("{}")
	}
	if err := d.spread(); err != nil {
		return nil, err
	}
	d.placeKey(call.IdempotencyKey)
	target, err := d.target()
	if err != nil {
		return nil, err
	}
	req := p.pattern.WithContext(ctx)
	req.URL = target
	if d.header != nil {
		req.Header = d.header
	}
	if p.hasBody && !(p.whole != "" && d.whole == nil) {
		text := d.body(call.IdempotencyKey)
		req.ContentLength, req.GetBody = int64(len(text)), f.body(text)
		req.Body, _ = req.GetBody() // nothing was sent yet
	}
	return req, nil
}

// spread sends each argument to its place.
func (d *draft) spread() *refusal {
	p := d.plan
	if p.asIs {
		return nil
	}
	for member := range rawjson.Members(d.arguments) {
		name := member.Name()
		if p.whole != "" && name == p.whole {
			d.whole = member.Value
			continue
		}
		there, placed := p.places[name]
		if !placed {
			there = place{in: p.rest, name: name}
		}
		if why, taken := p.taken(there); taken {
			return refuse(name, member.Value, "it can't be sent under this name: "+why)
		}
		if err := d.put(name, there, member); err != nil {
			return err
		}
	}
	return nil
}

func (d *draft) put(name string, there place, member rawjson.Member) *refusal {
	if there.in != catalogv1.Location_LOCATION_BODY {
		d.moved = append(d.moved, move{member: member})
	}
	switch there.in {
	case catalogv1.Location_LOCATION_QUERY:
		return d.putQuery(name, there, member.Value)
	case catalogv1.Location_LOCATION_HEADER:
		return d.putHeader(name, there.name, member.Value)
	case catalogv1.Location_LOCATION_BODY:
		if d.plan.form {
			return d.putForm(name, there, member.Value)
		}
		if there.name != name {
			d.moved = append(d.moved, move{member: member, name: there.name})
		}
		return nil
	}
	if d.values == nil {
		d.values = make(map[string][]byte, len(d.plan.template.names))
	}
	d.values[name] = member.Value
	return nil
}

func (d *draft) putQuery(argument string, there place, value []byte) *refusal {
	if there.style != catalogv1.Style_STYLE_UNSPECIFIED {
		return d.putStyled(&d.query, argument, there, value)
	}
	encoded, ok := encodeQuery(d.query, there.name, value)
	if !ok || len(encoded) > maxQueryBytes {
		return refuse(argument, nil, "it is too large or nested too deep for a query string")
	}
	d.query = encoded
	return nil
}

func (d *draft) putForm(argument string, there place, value []byte) *refusal {
	if there.style != catalogv1.Style_STYLE_UNSPECIFIED {
		return d.putStyled(&d.form, argument, there, value)
	}
	encoded, ok := encodeForm(d.form, there.name, value)
	if !ok || len(encoded) > maxFormBytes {
		return refuse(argument, nil, "it is too large or nested too deep for a form")
	}
	d.form = encoded
	return nil
}

func (d *draft) putHeader(argument, name string, value []byte) *refusal {
	if rawjson.KindOf(value) == rawjson.Null {
		return nil
	}
	text, ok := flat(value)
	switch {
	case !ok:
		return refuse(argument, value, "a header holds a single value or a list of them")
	case !httpguts.ValidHeaderFieldValue(text):
		return refuse(argument, value, "a header holds no line breaks or control characters")
	case len(text) > maxHeaderBytes:
		return refuse(argument, nil, "it is too long for a header")
	}
	d.ownHeader()[name] = []string{text}
	return nil
}

func (d *draft) ownHeader() http.Header {
	if d.header == nil {
		d.header = maps.Clone(d.plan.header)
	}
	return d.header
}

func (d *draft) placeKey(key string) {
	if d.plan.key == nil || key == "" {
		return
	}
	switch d.plan.key.in {
	case catalogv1.Location_LOCATION_HEADER:
		d.ownHeader()[d.plan.key.name] = []string{key}
	case catalogv1.Location_LOCATION_QUERY:
		d.query = appendPair(d.query, d.plan.key.name, key)
	case catalogv1.Location_LOCATION_BODY:
		if d.plan.form {
			d.form = appendPair(d.form, d.plan.key.name, key)
		}
	}
}

// body is what is sent: the arguments as they stand, or without what moved.
func (d *draft) body(key string) []byte {
	switch {
	case d.plan.form:
		return d.form
	case d.plan.whole != "" && d.plan.text:
		return []byte(rawjson.Text(d.whole))
	case d.plan.whole != "":
		return d.whole
	}
	keyed := d.plan.key != nil && d.plan.key.in == catalogv1.Location_LOCATION_BODY && key != ""
	if len(d.moved) == 0 && !keyed {
		return d.arguments
	}
	body := append(make([]byte, 0, len(d.arguments)+len(key)+64), '{')
	moved := d.moved
	for member := range rawjson.Members(d.arguments) {
		var name string
		if len(moved) > 0 && moved[0].member.Start == member.Start {
			if name = moved[0].name; name == "" {
				moved = moved[1:]
				continue
			}
			moved = moved[1:]
		}
		if len(body) > 1 {
			body = append(body, ',')
		}
		if name == "" {
			body = append(body, d.arguments[member.Start:member.End]...)
			continue
		}
		body = append(rawjson.AppendString(body, name), ':')
		body = append(body, member.Value...)
	}
	if keyed {
		body = rawjson.AppendMember(body, d.plan.key.name, rawjson.AppendString(nil, key))
	}
	return append(body, '}')
}

// target expands the template.
func (d *draft) target() (*url.URL, *refusal) {
	t := d.plan.template
	if d.plan.fixed != nil && len(d.query) == 0 {
		return d.plan.fixed, nil
	}
	path, err := d.path()
	if err != nil {
		return nil, err
	}
	query, err := d.fullQuery()
	if err != nil {
		return nil, err
	}
	target := &url.URL{Scheme: t.scheme, Host: t.host, Path: path, RawQuery: query}
	if strings.Contains(path, "%") {
		target.RawPath, target.Path = path, unescapeLoosely(path)
	}
	return target, nil
}

// path refuses what could reach another place: a value that is empty would
// leave a segment out, a dot segment would climb.
func (d *draft) path() (string, *refusal) {
	t := d.plan.template
	path := make([]byte, 0, 128)
	for _, part := range t.path {
		if part.variable == "" {
			path = append(path, part.literal...)
			continue
		}
		value := d.values[part.variable]
		text, ok := flat(value)
		switch {
		case value == nil || rawjson.KindOf(value) == rawjson.Null:
			return "", refuse(part.variable, nil, "the URL's path needs it")
		case !ok:
			return "", refuse(part.variable, value, "the URL's path holds a single value")
		case text == "":
			return "", refuse(part.variable, value, "it may not be empty: it stands in the URL's path")
		case len(text) > maxPathBytes:
			return "", refuse(part.variable, nil, "it is too long for the URL's path")
		case strings.ContainsFunc(text, control):
			return "", refuse(part.variable, value, "the URL's path holds no control characters")
		}
		path = appendEscaped(path, text)
	}
	if bytes.IndexByte(path, '.') < 0 && bytes.IndexByte(path, '%') < 0 {
		return string(path), nil
	}
	if Climbs(string(path)) {
		return "", refuse(d.suspect(), nil, "the URL's path may hold no dot segments")
	}
	return string(path), nil
}

// suspect names the first variable whose value has dots in it.
func (d *draft) suspect() string {
	for _, name := range d.plan.template.names {
		if text, _ := flat(d.values[name]); strings.Contains(unescapeLoosely(text), ".") {
			return name
		}
	}
	return d.plan.template.names[0]
}

func control(c rune) bool { return c < 0x20 || c == 0x7f }

// fullQuery joins the template's own parameters, the fixed and secret ones, and
// the arguments. A parameter of the template whose variable has no value is left
// out.
func (d *draft) fullQuery() (string, *refusal) {
	var query []byte
	for _, parameter := range d.plan.template.query {
		value, present, err := d.parameter(parameter)
		if err != nil {
			return "", err
		}
		if !present {
			continue
		}
		if len(query) > 0 {
			query = append(query, '&')
		}
		query = append(append(appendEscaped(query, parameter.name), '='), value...)
	}
	for _, more := range []string{d.plan.query, string(d.query)} {
		if more != "" && len(query) > 0 {
			query = append(query, '&')
		}
		query = append(query, more...)
	}
	return string(query), nil
}

func (d *draft) parameter(parameter parameter) (value []byte, present bool, err *refusal) {
	for _, part := range parameter.parts {
		if part.variable == "" {
			value = append(value, part.literal...)
			continue
		}
		given := d.values[part.variable]
		if given == nil || rawjson.KindOf(given) == rawjson.Null {
			return nil, false, nil
		}
		text, ok := flat(given)
		if !ok || len(text) > maxQueryBytes {
			return nil, false, refuse(part.variable, nil, "the URL's query holds a single value or a list of them")
		}
		value = appendEscaped(value, text)
	}
	return value, true, nil
}
