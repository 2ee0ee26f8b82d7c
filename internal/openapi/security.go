package openapi

import (
	"slices"
	"strings"
)

// Scheme is one of the document's security schemes.
type Scheme struct {
	Name string
	// Kind says in a few words what it asks for: `bearer token`.
	Kind string
	// In is `header`, `query` or `cookie`; empty where nothing can be sent for it.
	In string
	// Parameter is the name of the header, parameter or cookie.
	Parameter string
	// Prefix stands before the secret.
	Prefix string
}

// Schemes are those of the document, in its order.
func (d *Document) Schemes() (all []Scheme) {
	written := d.top.get("components").get("securitySchemes").members()
	for _, name := range written.names {
		found, err := d.follow(written.get(name))
		if err != nil {
			all = append(all, Scheme{Name: name, Kind: "unknown"})
			continue
		}
		all = append(all, schemeOf(name, found))
	}
	return all
}

func schemeOf(name string, v value) Scheme {
	s := Scheme{Name: name, Kind: v.get("type").text()}
	header := func(kind, prefix string) Scheme {
		s.Kind, s.In, s.Parameter, s.Prefix = kind, "header", "Authorization", prefix
		return s
	}
	switch s.Kind {
	case "apiKey":
		s.In, s.Parameter = v.get("in").text(), v.get("name").text()
		s.Kind = "key in the " + s.In
		if s.In == "cookie" {
			s.Prefix = s.Parameter + "="
		}
	case "http":
		switch scheme := strings.ToLower(v.get("scheme").text()); scheme {
		case "bearer":
			return header("bearer token", "Bearer ")
		case "basic":
			return header("user and password", "Basic ")
		default:
			s.Kind = "http " + scheme
		}
	case "oauth2":
		return header("OAuth 2.0 token", "Bearer ")
	case "openIdConnect":
		return header("OpenID Connect token", "Bearer ")
	}
	return s
}

// needs lists what an operation asks for: one of these sets of schemes. None: it
// asks for nothing.
func (d *Document) needs(op *operation) (sets [][]string) {
	asked := op.fields.get("security")
	if !asked.exists() {
		asked = d.top.get("security")
	}
	for _, set := range asked.items() {
		names := set.members().names
		slices.Sort(names)
		sets = append(sets, names)
	}
	return sets
}
