package openapi

import (
	"regexp"
	"strings"
)

var serverVariable = regexp.MustCompile(`\{[^{}]*\}`)

// Server is the URL of the document's first server, its variables put in, without a
// slash at its end. It may be relative to where the document stands (`/v1`), and is
// empty where the document names none.
func (d *Document) Server() string { return serverOf(d.top.get("servers")) }

// serverOf is the first server of a list. A variable stands for its default.
func serverOf(list value) string {
	servers := list.items()
	if len(servers) == 0 {
		return ""
	}
	server := servers[0]
	variables := server.get("variables")
	url := serverVariable.ReplaceAllStringFunc(server.get("url").text(), func(written string) string {
		variable := variables.get(strings.Trim(written, "{}"))
		if known := variable.get("default"); known.kind().Scalar() {
			return scalarText(known)
		}
		if values := variable.get("enum").items(); len(values) > 0 {
			return scalarText(values[0])
		}
		return written
	})
	return strings.TrimRight(strings.TrimSpace(url), "/")
}

func scalarText(v value) string {
	if text := v.text(); text != "" {
		return text
	}
	return string(v.json)
}
