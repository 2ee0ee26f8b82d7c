package httpbackend

import (
	"fmt"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
)

// placeBody finds the argument that is the whole body. Beside it no other can go
// there.
func (p *plan) placeBody(spec Spec, faults *collector) {
	p.text = spec.Call.GetBody() == catalogv1.BodyEncoding_BODY_ENCODING_TEXT
	p.whole = spec.Call.GetBodyArgument()
	const path = "http.body_argument"
	switch {
	case p.whole == "" && p.text:
		faults.add("http.body", "a body of text is one argument, and none is named", "body_argument")
	case p.whole == "":
	case p.form:
		faults.add(path, "a form is made of several arguments", "body: json, body: text")
	case !spec.knows(p.whole):
		faults.add(path, fmt.Sprintf("%q is no argument of the tool", p.whole), spec.known())
	default:
		p.checkBodyAlone(spec, faults)
	}
}

func (p *plan) checkBodyAlone(spec Spec, faults *collector) {
	if _, twice := p.places[p.whole]; twice {
		faults.add("http.body_argument", "this argument has another place already", "one place for each argument")
	}
	for name, there := range p.places {
		if there.in == catalogv1.Location_LOCATION_BODY {
			faults.add("http.arguments."+name, fmt.Sprintf("the body is %q as a whole", p.whole), "query, header")
		}
	}
	if key := spec.IdempotencyKey; key != nil && key.GetIn() == catalogv1.Location_LOCATION_BODY {
		faults.add("idempotency_key.in", fmt.Sprintf("the body is %q as a whole", p.whole), "header, query")
	}
	if p.rest == catalogv1.Location_LOCATION_BODY { // what has no place has to go somewhere else
		p.rest = catalogv1.Location_LOCATION_QUERY
	}
}
