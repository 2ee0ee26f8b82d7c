package openapi

import (
	"fmt"
	"net/textproto"
	"slices"
	"strings"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
)

// argument is one argument of a tool.
type argument struct {
	name     string // the tool's
	written  string // the document's
	sources  []source
	about    string
	example  value
	required bool
	ofBody   bool
	place    *catalogv1.Placement // nil: the URL's template, or the method's default
}

// request collects what one operation's tool is called with.
type request struct {
	doc       *Document
	op        *operation
	schemes   []Scheme
	arguments []argument
	http      *catalogv1.HttpCall
	key       *catalogv1.IdempotencyKey
	notes     []string

	unions []union // of the body, over its members
	open   bool    // names that are not listed may be used, too
	others []source
	least  int // how many members the body must have
}

func (r *request) notef(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// headers that are no parameters (OpenAPI 3.1, section 4.8.12), that are the
// connection's, or that say who asks.
var notArguments = []string{
	"Accept", "Accept-Encoding", "Authorization", "Connection", "Content-Length", "Content-Type", "Cookie", "Expect", "Host", "Keep-Alive",
	"Proxy-Authorization", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "User-Agent",
}

// addParameters gives each parameter its place, those of the path first.
func (r *request) addParameters() error {
	inPath := func(p parameter) int { return order(p.in == "path") }
	sorted, err := r.doc.parameters(r.op.ofPath, r.op.fields.get("parameters"))
	if err != nil {
		return err
	}
	slices.SortStableFunc(sorted, func(a, b parameter) int { return inPath(b) - inPath(a) })
	for _, p := range sorted {
		if err := r.addParameter(p); err != nil {
			return err
		}
	}
	return r.checkPath()
}

func (r *request) addParameter(p parameter) error {
	a := argument{
		written: p.name, sources: []source{{value: p.schema}}, about: p.description, example: p.example, required: p.required,
	}
	if !p.schema.exists() {
		a.sources = []source{{value: value{json: []byte("{}")}}}
	}
	if r.isCredential(p) {
		return nil
	}
	switch p.in {
	case "path":
		if p.style != "simple" {
			return fmt.Errorf("its path parameter %.60q %w", p.name, errStyle)
		}
		return r.addPathArgument(a)
	case "query":
		return r.addQueryArgument(a, p)
	case "header":
		return r.addHeaderArgument(a, p)
	}
	if p.required {
		return fmt.Errorf("it needs the cookie %.60q", p.name)
	}
	r.notef("the cookie %s is not sent", p.name)
	return nil
}

// isCredential reports a parameter that is a security scheme's: it is the gateway's to
// send.
func (r *request) isCredential(p parameter) bool {
	return slices.ContainsFunc(r.schemes, func(s Scheme) bool { return s.In == p.in && strings.EqualFold(s.Parameter, p.name) })
}

func (r *request) addPathArgument(a argument) error {
	if !strings.Contains(r.http.Url, "{"+a.written+"}") {
		r.notef("the path parameter %s stands nowhere in the path", a.written)
		return nil
	}
	a.required = true
	a.name = r.freeName(a.written, "path")
	r.http.Url = strings.ReplaceAll(r.http.Url, "{"+a.written+"}", "{"+a.name+"}")
	r.arguments = append(r.arguments, a)
	return nil
}

func (r *request) addQueryArgument(a argument, p parameter) error {
	kind := r.doc.shapeOf(p.schema)
	style, err := styleOf(p.style, p.explode, kind)
	switch {
	case p.asJSON:
		style = catalogv1.Style_STYLE_JSON
	case err != nil && p.required:
		return fmt.Errorf("its parameter %.60q %w", p.name, err)
	case err != nil:
		r.notef("the parameter %s %v", p.name, err)
		return nil
	}
	a.name = r.freeName(a.written, p.in)
	a.place = &catalogv1.Placement{In: catalogv1.Location_LOCATION_QUERY, Style: style}
	sent := a.written
	if p.style == "deepObject" && kind == isList && !strings.HasSuffix(sent, "]") {
		sent += "[]"
	}
	r.put(a, sent)
	return nil
}

func (r *request) addHeaderArgument(a argument, p parameter) error {
	canonical := textproto.CanonicalMIMEHeaderKey(p.name)
	switch {
	case slices.Contains(notArguments, canonical):
		return nil
	case p.isKey && r.op.reads():
		return nil
	case p.isKey && r.key == nil:
		r.key = &catalogv1.IdempotencyKey{}
		if canonical != "Idempotency-Key" {
			r.key.Name = p.name
		}
		return nil
	case r.doc.shapeOf(p.schema) == isMap:
		if p.required {
			return fmt.Errorf("its header %.60q is an object", p.name)
		}
		r.notef("the header %s is not sent, since it is an object", p.name)
		return nil
	}
	a.name = r.freeName(a.written, p.in)
	a.place = &catalogv1.Placement{In: catalogv1.Location_LOCATION_HEADER}
	r.put(a, a.written)
	return nil
}

// put adds an argument that is sent under a name.
func (r *request) put(a argument, sent string) {
	if sent != a.name {
		a.place.Name = sent
	}
	r.arguments = append(r.arguments, a)
}

// freeName is a name that no argument has: the document's own where it may be.
func (r *request) freeName(written, where string) string {
	name := argumentName(written)
	if name == "" {
		name = where
	}
	for _, candidate := range []string{name, where + "_" + name} {
		if candidate = clip(candidate); !r.has(candidate) {
			return candidate
		}
	}
	for i := 2; ; i++ {
		if candidate := fmt.Sprintf("%s_%d", clip(name)[:min(len(clip(name)), maxNameBytes-4)], i); !r.has(candidate) {
			return candidate
		}
	}
}

func clip(name string) string {
	if len(name) <= maxNameBytes {
		return name
	}
	return name[:maxNameBytes-hashBytes-1] + "_" + hash(name)
}

func (r *request) has(name string) bool {
	return slices.ContainsFunc(r.arguments, func(a argument) bool { return a.name == name })
}

// argumentName makes a name of A-Za-z0-9_.-, which is what makers of models take.
func argumentName(text string) string {
	name := make([]byte, 0, len(text))
	for i := range len(text) {
		switch c := text[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '.', c == '_':
			name = append(name, c)
		case len(name) > 0 && name[len(name)-1] != '_':
			name = append(name, '_')
		}
	}
	if string(name) == text {
		return text
	}
	return strings.Trim(string(name), "_.-")
}

// checkPath gives a parameter that the path has and nobody describes a schema.
func (r *request) checkPath() error {
	for rest := r.http.Url; ; {
		_, after, open := strings.Cut(rest, "{")
		if !open {
			return nil
		}
		name, behind, closed := strings.Cut(after, "}")
		if !closed {
			return fmt.Errorf("its path %.80q has a brace that is not closed", r.op.path)
		}
		rest = behind
		if r.has(name) {
			continue
		}
		if argumentName(name) != name || name == "" {
			return fmt.Errorf("nothing describes {%.60s} in its path", name)
		}
		r.notef("nothing describes {%s} in the path: any text is taken", name)
		r.arguments = append(r.arguments, argument{
			name: name, written: name, required: true, sources: []source{{value: value{json: []byte(`{"type":"string"}`)}}},
		})
	}
}
