package rest

import (
	"net/http"
	"net/url"
	"strings"
)

// handler answers a request; an error is written in its place. name is the
// variable part of the path, decoded.
type handler func(w http.ResponseWriter, r *http.Request, name string) error

// route is one method of one path.
type route struct {
	method string
	path   string // as the OpenAPI document writes it
	handle handler

	before, behind string // of the variable part
	variable       bool
}

func newRoute(method, path string, handle handler) route {
	r := route{method: method, path: path, handle: handle, before: path}
	if before, rest, found := strings.Cut(path, "{"); found {
		_, behind, _ := strings.Cut(rest, "}")
		r.before, r.behind, r.variable = before, behind, true
	}
	return r
}

// match finds the variable part in the path of a request as it was sent: a name
// may hold a slash, as %2F.
func (r *route) match(escaped string) (name string, ok bool) {
	if !r.variable {
		return "", escaped == r.before
	}
	rest, ok := strings.CutPrefix(escaped, r.before)
	if !ok {
		return "", false
	}
	if rest, ok = strings.CutSuffix(rest, r.behind); !ok || rest == "" || strings.Contains(rest, "/") {
		return "", false
	}
	name, err := url.PathUnescape(rest)
	return name, err == nil
}
