package openapi

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// operation is one method of one path, as the document says it.
type operation struct {
	method, path string
	id           string
	tags         []string
	fields       *object
	servers      value // its own, or its path's; nowhere: the document's
	ofPath       value // parameters that it shares with the other methods
	hints        hints
	fault        error // it can't be described

	summary, description string
}

// methods are those of a path item, in the order in which their operations become
// tools.
var methods = []string{"get", "head", "post", "put", "patch", "delete", "options", "trace", "query"}

var errTooMany = fmt.Errorf("it has more than %d operations", maxOperations)

// operations reads all operations, in the order of the document.
func (d *Document) operations() (all []*operation, err error) {
	paths := d.top.get("paths").members()
	for _, path := range paths.names {
		item, err := d.follow(paths.get(path))
		fields := item.members()
		if err != nil {
			all = append(all, &operation{method: "*", path: path, fault: err})
			continue
		}
		for _, method := range methods {
			if fields.get(method).isObject() {
				all = append(all, d.operation(method, path, fields))
			}
		}
		if len(all) > maxOperations {
			return nil, errTooMany
		}
	}
	return all, nil
}

func (d *Document) operation(method, path string, item *object) *operation {
	fields := item.get(method).members()
	op := &operation{
		method: strings.ToUpper(method), path: path, id: fields.get("operationId").text(), tags: fields.get("tags").texts(), fields: fields,
		summary: fields.get("summary").text(), description: fields.get("description").text(), servers: fields.get("servers"),
	}
	if op.summary == "" && op.description == "" {
		op.summary, op.description = item.get("summary").text(), item.get("description").text()
	}
	if !op.servers.exists() {
		op.servers = item.get("servers")
	}
	op.hints, op.fault = readHints(fields)
	switch {
	case op.fault != nil:
	case op.method == "OPTIONS" || op.method == "TRACE" || op.method == "QUERY":
		op.fault = errors.New("its method is " + op.method)
	case !strings.HasPrefix(path, "/"):
		op.fault = errors.New("its path does not start with a slash")
	case op.hints.ignored:
		op.fault = errIgnored
	}
	op.ofPath = item.get("parameters")
	return op
}

var errIgnored = errors.New("x-toolgate-ignore says so")

// parameter is one parameter of an operation.
type parameter struct {
	name, in    string
	required    bool
	description string
	style       string
	explode     bool
	asJSON      bool // its value is a text in JSON
	schema      value
	example     value
	isKey       bool // the idempotency key
}

// parameters joins those of the path with those of the operation, which win.
func (d *Document) parameters(ofPath, ofOperation value) (all []parameter, err error) {
	for _, written := range slices.Concat(ofPath.items(), ofOperation.items()) {
		found, err := d.follow(written)
		if err != nil {
			return nil, fmt.Errorf("a parameter can't be read: %w", err)
		}
		if !d.spend(len(found.json)) {
			return nil, errExhausted
		}
		p, err := readParameter(found)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(all, func(other parameter) bool { return other.name == p.name && other.in == p.in })
		if i >= 0 {
			all[i] = p
			continue
		}
		all = append(all, p)
	}
	return all, nil
}

func readParameter(v value) (parameter, error) {
	o := v.members()
	p := parameter{
		name: o.get("name").text(), in: o.get("in").text(), required: o.get("required").isTrue(), description: o.get("description").text(),
		style: o.get("style").text(), schema: o.get("schema"), example: o.get("example"),
	}
	if p.name == "" {
		return p, errors.New("a parameter has no name")
	}
	switch p.in {
	case "path", "header":
		p.style = orElse(p.style, "simple")
	case "query", "cookie":
		p.style = orElse(p.style, "form")
	default:
		return p, fmt.Errorf("the parameter %.60q stands nowhere that is known: %.20q", p.name, p.in)
	}
	p.explode = p.style == "form" || p.style == "deepObject"
	if explode := o.get("explode"); explode.exists() {
		p.explode = explode.isTrue()
	}
	if media := o.get("content").members(); len(media.names) > 0 && !p.schema.exists() {
		p.schema, p.asJSON = media.get(media.names[0]).get("schema"), isJSON(media.names[0])
	}
	if first := o.get("examples").members(); !p.example.exists() && len(first.names) > 0 {
		p.example = first.get(first.names[0]).get("value")
	}
	p.isKey = p.in == "header" && (strings.Contains(strings.ToLower(p.name), "idempoten") || o.get("x-toolgate-idempotency-key").isTrue())
	return p, nil
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// reads reports that the method says of itself that it changes nothing.
func (op *operation) reads() bool { return op.method == "GET" || op.method == "HEAD" }
