package diagnose

import (
	"regexp"
	"strings"
)

// readGraphQL reads errors of a GraphQL answer (spec section 7), and what
// mutations report beside them as userErrors.
func (d *diagnosis) readGraphQL() bool {
	root := d.reading.root
	if d.readUserErrors() {
		return true
	}
	list := root.member("errors")
	first := list.first()
	if !list.isList() || !isGraphQL(root) && !(len(root.items) == 1 && first.member("message").isString() && d.sendsDocument()) {
		return false
	}
	f := &d.finding
	for i, item := range list.items[:min(len(list.items), 8)] {
		d.readGraphQLError(item.node, i == 0)
	}
	for _, m := range root.member("data").elementsOfObject() {
		if m.node.present() {
			f.partial = true
			break
		}
	}
	located := first.member("locations").present() && !first.member("path").present()
	if !root.member("data").present() && !first.member("path").present() && len(f.violations) == 0 {
		if path := d.index().top(queryArguments); path != "" { // refused as a whole: the document is the argument
			f.addViolation(violation{field: path, mapped: true, problem: first.member("message").str()})
		}
	}
	if located && !f.partial && len(f.codes) == 0 {
		f.suggest("invalid_request") // refused before it ran
	}
	return true
}

// queryArguments are usual names of the argument that holds the document.
var queryArguments = map[string]bool{"query": true, "document": true, "mutation": true, "graphql": true, "operation": true}

// sendsDocument reports whether the call carries a GraphQL document.
func (d *diagnosis) sendsDocument() bool {
	path := d.index().top(queryArguments)
	if path == "" {
		return false
	}
	text := strings.TrimSpace(d.index().argument(path).str())
	for _, start := range []string{"{", "query", "mutation", "subscription", "fragment"} {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	return false
}

func (d *diagnosis) readGraphQLError(n *node, first bool) {
	f, extensions := &d.finding, n.member("extensions")
	code := extensions.any("code", "errorCode", "error_code", "errorType", "type", "classification", "category")
	if code.isContainer() {
		code = nil
	}
	if first {
		f.addCode(code.str())
		f.addCode(n.any("type", "code", "errorType").str())
		f.addMessage(n.member("message").str())
	} else if path := n.member("path"); path.isList() {
		f.addMessage(n.member("message").str())
	}
	if path := variableIn(n.member("message").str()); path != "" && len(f.violations) == 0 {
		f.addViolation(violation{field: "variables." + path, problem: n.member("message").str()})
	}
	for _, p := range extensions.any("problems", "validationErrors", "invalidArgs", "userErrors").elements() {
		field := p.node.any("path", "field", "name", "property")
		f.addViolation(violation{field: pathText(field), problem: p.node.any("explanation", "message", "reason").str()})
	}
	for _, name := range []string{"argumentName", "field", "inputField", "argument"} {
		if field := extensions.member(name); field.isString() {
			f.addViolation(violation{field: field.str(), problem: n.member("message").str()})
		}
	}
}

// The sentences in which graphql-js, its ports, and graphql-ruby refuse a
// variable; the group is where inside it the fault is.
var variableForms = [...]*regexp.Regexp{
	regexp.MustCompile(`^Variable ["']?\$\w+["']? got invalid value [^\n]*? at ["']([\w.\[\]]+)["']`),
	regexp.MustCompile(`^Variable ["']?\$(\w+)["']? got invalid value\b`),
	regexp.MustCompile(`^Variable ["']?\$(\w+)["']? of (?:required )?type ["']?[\w!\[\]]+["']? (?:was not provided|must not be null|was provided invalid value(?: for ([\w.\[\]]+))?)`),
}

// variableIn is the path of the variable that a sentence is about, without its
// dollar sign; "" where it is about none.
func variableIn(message string) string {
	if !strings.HasPrefix(message, "Variable ") {
		return ""
	}
	message = message[:min(len(message), 1024)]
	for _, form := range &variableForms {
		m := form.FindStringSubmatch(message)
		switch {
		case m == nil:
		case len(m) > 2 && m[2] != "":
			return m[1] + "." + m[2]
		default:
			return m[1]
		}
	}
	return ""
}

// isGraphQL reports the closed set of keys that an answer has.
func isGraphQL(root *node) bool {
	if !root.isObject() || !root.member("errors").first().member("message").isString() {
		return false
	}
	for _, m := range root.items {
		switch m.name {
		case "errors", "data", "extensions", "hasNext", "path", "label":
		default:
			return false
		}
	}
	first := root.member("errors").first()
	return root.member("data") != nil || root.member("extensions") != nil || first.member("locations") != nil ||
		first.member("path") != nil || first.member("extensions") != nil
}

// readUserErrors reads data.*.userErrors, where a mutation reports what is wrong
// with its input.
func (d *diagnosis) readUserErrors() bool {
	f := &d.finding
	for _, payload := range d.reading.root.member("data").elementsOfObject() {
		for _, m := range payload.node.elementsOfObject() {
			if !strings.HasSuffix(plain(m.name), "usererrors") || !m.node.isList() || len(m.node.items) == 0 {
				continue
			}
			for _, item := range m.node.items {
				f.addCode(item.node.member("code").str())
				f.addMessage(item.node.member("message").str())
				f.addViolation(violation{
					field: pathText(item.node.member("field")), problem: item.node.member("message").str(),
					code: item.node.member("code").str(),
				})
			}
			f.suggest("invalid_request")
			return true
		}
	}
	return false
}

// pathText is a path that came as a text or as a list of steps.
func pathText(n *node) string {
	if n.isList() {
		return joinSegments(n)
	}
	return n.str()
}

// readJSONAPI reads {"errors": [{"status", "code", "title", "detail",
// "source"}]}.
func (d *diagnosis) readJSONAPI() bool {
	list := d.reading.root.member("errors")
	first := list.first()
	if !list.isList() || !first.isObject() {
		return false
	}
	source := first.member("source")
	titled := first.member("title").isString() && (first.member("detail") != nil || first.member("status") != nil || first.member("code") != nil)
	if !source.isObject() && !titled && !(first.member("detail").isString() && first.member("status").present()) {
		return false
	}
	f := &d.finding
	named := false
	for _, item := range list.items {
		n := item.node
		f.addCode(n.member("code").str())
		text := n.any("detail", "title").str()
		where := n.member("source").any("pointer", "parameter", "header").str()
		if where != "" && where != "/data" {
			named = true
			f.addViolation(violation{field: where, code: n.member("code").str(), problem: text})
		}
		f.addMessage(text)
	}
	if named && (d.reading.status == 400 || d.reading.status == 422) {
		f.suggest("invalid_request")
	}
	return true
}
