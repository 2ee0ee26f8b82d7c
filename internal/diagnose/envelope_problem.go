package diagnose

import "strings"

// readProblem reads RFC 9457 (and 7807): type, title, detail, and the
// extensions that frameworks add for faults in fields.
func (d *diagnosis) readProblem() bool {
	root, f := d.reading.root, &d.finding
	if problem := root.member("problem"); d.reading.form == formXML && problem.isObject() {
		root = problem
	}
	title, detail, kind := root.member("title"), root.member("detail"), root.member("type")
	declared := strings.HasPrefix(d.reading.contentType(), "application/problem")
	shaped := kind.isString() && (title.isString() || detail.isString()) && strings.ContainsAny(kind.str(), ":/") ||
		title.isString() && root.member("status").present() && (detail.isString() || root.member("instance") != nil || root.member("traceId") != nil)
	if !declared && !shaped {
		return false
	}
	if own := root.any("code", "errorCode", "error_code"); own != nil && !own.isContainer() {
		f.addCode(own.str())
	}
	f.addCode(problemCode(kind.str()))
	f.addMessage(detail.str())
	if generic := title.str(); f.message == "" || !strings.EqualFold(snake(generic), statusCode(d.reading.status)) {
		f.addMessage(generic)
	}
	return true
}

// problemCode is a type URI as a code: as it stands where it fits, else its last
// part. Types that only repeat the status are none.
func problemCode(uri string) string {
	lower := strings.ToLower(uri)
	for _, generic := range []string{"about:blank", "tools.ietf.org", "www.rfc-editor.org", "datatracker.ietf.org", "httpstatuses", "httpstatus.es", "developer.mozilla.org", "w3.org/protocols"} {
		if uri == "" || strings.Contains(lower, generic) {
			return ""
		}
	}
	if len(uri) <= 64 {
		return uri
	}
	return strings.Trim(uri[strings.LastIndexAny(uri, "/#:")+1:], "/#")
}

// readFastAPI reads {"detail": [{"type", "loc", "msg", "input", "ctx"}]}.
func (d *diagnosis) readFastAPI() bool {
	list := d.reading.root.member("detail")
	first := list.first()
	if !list.isList() || first.member("loc") == nil || first.member("msg") == nil {
		return false
	}
	f := &d.finding
	for i, item := range list.items {
		n := item.node
		if i == 0 {
			f.addCode(n.member("type").str())
		}
		v := violation{field: joinSegments(n.member("loc")), code: n.member("type").str(), problem: n.member("msg").str(), value: n.member("input")}
		if v.value.isContainer() {
			v.value = nil
		}
		if expected := n.at("ctx", "expected").str(); expected != "" {
			v.accepted = splitValues(expected)
		}
		f.addViolation(v)
	}
	f.addMessage(first.member("msg").str())
	f.suggest("invalid_request")
	return true
}

// readSpring reads {"timestamp", "status", "error", "message", "path"}: Spring
// Boot, Micronaut, Express and NestJS write variants of it.
func (d *diagnosis) readSpring() bool {
	root, f := d.reading.root, &d.finding
	status := root.any("status", "statusCode")
	if status == nil || status.kind != numberNode || root.member("error") == nil && root.member("timestamp") == nil {
		return false
	}
	if root.member("error").isContainer() {
		return false
	}
	message := root.member("message")
	if message.isList() { // class-validator's sentences
		for _, item := range message.items {
			f.addViolation(violation{problem: item.node.str()})
		}
		f.addMessage(message.first().str())
	}
	if text := message.str(); text != "" && !strings.EqualFold(text, "No message available") {
		f.addMessage(text)
	}
	f.addCode(root.any("code", "errorCode").str())
	if f.message == "" {
		f.addMessage(root.member("error").str())
	}
	if len(f.violations) > 0 && d.badRequest() {
		f.suggest("invalid_request")
	}
	return true
}
