package diagnose

import (
	"net/http"
	"strings"

	"toolgate.dev/toolgate/interceptors"
)

// reading is a reply, decoded for the rungs. It belongs to one diagnosis.
type reading struct {
	reply  *interceptors.Reply
	status int // HTTP status or gRPC code
	method string

	form bodyForm
	root *node  // JSON, XML, form data or a gRPC status; nil: none
	text string // the body where it is not structured
	html string // the markup, where the body is a page
	cut  bool   // the body is only the head of the whole

	detailList []*node // google.rpc.Status details, JSON form
	detailsSet bool
}

// bodyForm is the notation of a body.
type bodyForm uint8

const (
	formEmpty bodyForm = iota
	formJSON
	formXML
	formFields // a=b&c=d
	formHTML
	formText
	formBinary
	formStatus // a gRPC status
)

var formNames = [...]string{"empty", "JSON", "XML", "form data", "an HTML page", "plain text", "binary", "a gRPC status"}

// read decodes a reply's body by its shape.
func read(in *Input) *reading {
	r := &reading{reply: in.Reply, status: in.Reply.Status, method: in.Tool.Diagnosis.Method}
	switch {
	case in.Reply.Failure != interceptors.FailureNone && len(in.Reply.Body) == 0:
	case in.Reply.Transport == interceptors.TransportGRPC:
		r.readStatus()
	default:
		r.readBody()
	}
	return r
}

// matched is the status that rules compare with. Back ends without one count as
// refusals.
func (r *reading) matched() int {
	if !r.http() && r.form != formStatus {
		return http.StatusBadRequest
	}
	return r.status
}

// base is the root, of XML the document's element.
func (r *reading) base() *node {
	if r.form == formXML && len(r.root.items) == 1 && r.root.items[0].node.isObject() {
		return r.root.items[0].node
	}
	return r.root
}

// http reports whether the status is an HTTP one: back ends without statuses of
// their own borrow them.
func (r *reading) http() bool {
	return r.reply.Transport == interceptors.TransportHTTP || r.reply.Transport != interceptors.TransportGRPC && r.status >= 100
}

// header is the first value of a header in its canonical spelling, "" where
// there is none.
func (r *reading) header(name string) string {
	if values := r.reply.Header[name]; len(values) > 0 {
		return strings.TrimSpace(values[0])
	}
	return ""
}

// contentType is the media type without parameters, lower case.
func (r *reading) contentType() string {
	kind, _, _ := strings.Cut(r.header("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// details lists the google.rpc.Status details of the answer, wherever they
// stand.
func (r *reading) details() []*node {
	if r.detailsSet {
		return r.detailList
	}
	r.detailsSet = true
	for _, list := range []*node{r.root.at("error", "details"), r.root.at("details"), r.root.at("status", "details")} {
		if !list.isList() {
			continue
		}
		for _, item := range list.items {
			if item.node.member("@type").isString() {
				r.detailList = append(r.detailList, item.node)
			}
		}
	}
	return r.detailList
}

// detail is the first detail of a type, nil where there is none.
func (r *reading) detail(name string) *node {
	for _, d := range r.details() {
		if typeEnds(d.member("@type").str(), name) {
			return d
		}
	}
	return nil
}
