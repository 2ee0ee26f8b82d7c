package diagnose

import "strings"

// Names of codes and messages, the most telling first.
var (
	codeNames = []string{
		"code", "@code", "@exceptionCode", "errorCode", "error_code", "errCode", "err_code", "errcode", "error_name", "errorName", "error_type", "errorType", "error_summary",
		"type", "reason", "exception_code", "fault_code", "faultcode", "errorKey", "error_key", "messageCode", "subcode", "sub_code", "name", "status", "title",
	}
	messageNames = []string{
		"message", "msg", "error_message", "errorMessage", "error_description", "errorDescription", "errmsg", "errMsg", "error_msg",
		"description", "detail", "details", "reason", "title", "error-text", "error_text", "text", "faultstring", "info", "errorText", "userMessage", "developerMessage", "localizedMessage",
		"longMessage", "shortMessage", "explanation", "cause", "errorSummary", "error_summary", "ExceptionText", "#text", "hydra:description", "hydra:title", "faultDetail", "errorDetail",
	}
	partNames = []string{"detail", "details", "hint", "description", "reason", "error_description", "longMessage", "suggestion", "resolution", "developerMessage", "userMessage", "help_text", "action"}
	factWords = map[string]bool{
		"limit": true, "current": true, "max": true, "maximum": true, "min": true, "minimum": true, "available": true, "balance": true,
		"required": true, "remaining": true, "allowed": true, "quota": true, "used": true, "requested": true, "threshold": true,
		"value": true, "currentstate": true, "state": true, "currentstatus": true, "resource": true, "resourcetype": true, "declinecode": true, "subcode": true,
		"comparison": true, "expected": true, "actual": true, "unit": true, "period": true, "window": true, "scope": true, "zone": true, "currency": true,
		"condition": true, "category": true, "severity": true,
		"existingid": true, "conflictingid": true, "conflictid": true, "existingresource": true,
	}
)

// readGeneric fills code, message and facts from the usual names, wherever the
// body keeps its error.
func (d *diagnosis) readGeneric() {
	if d.reading.form == formStatus {
		return
	}
	f, root := &d.finding, d.reading.base()
	home, wrapper := homeOf(root)
	if wrapper != "" {
		f.addCode(wrapper)
	}
	d.readCodes(home)
	inner := innerOf(home)
	d.readCodes(inner)
	if home != root.first() {
		d.readCodes(root.first())
	}
	if f.message == "" {
		for _, n := range []*node{home, root.first()} {
			if text := messageIn(n); text != "" {
				f.addMessage(text)
				break
			}
		}
	}
	f.addMessage(messageIn(inner))
	for _, name := range partNames {
		if part := home.fold(name); part.isString() && strings.Contains(part.str(), " ") {
			f.addMessage(part.str())
		}
	}
	d.readField(home)
	d.readBoundary(home)
	for _, n := range []*node{home, inner, root.first()} {
		d.readAlternatives(n)
	}
	d.fillTemplate(home)
}

// innerOf is the object inside the error that says more: the detail of a proxy,
// the data of JSON-RPC.
func innerOf(home *node) *node {
	for _, name := range []string{"detail", "data", "details", "innerError", "inner"} {
		if n := home.fold(name); n.isObject() && (messageIn(n) != "" || n.any("code", "errorcode", "name") != nil) {
			return n
		}
	}
	return nil
}

// homeOf is the object that is about the error, and the name of a wrapper that
// is itself the fault's name: {"itemNotFound": {"code": 404, "message": "…"}}.
func homeOf(root *node) (*node, string) {
	root = root.first()
	for _, name := range []string{"error", "errors", "Error", "fault", "Fault", "exception", "err", "errorInfo", "apierror", "ErrorResponse", "error_info", "ServiceException"} {
		n := root.fold(name).first().opened()
		if n.isObject() {
			if inner := n.any("error", "detail"); inner.first().isObject() && messageIn(n) == "" {
				n = inner.first()
			}
			return n, ""
		}
	}
	if inner := root.fold("message").opened(); inner.isObject() { // the error of somebody behind, handed on as text
		return homeOf(inner)
	}
	for _, name := range []string{"response", "result", "data", "meta", "status", "header", "detail", "body", "responseStatus", "body"} {
		n := root.fold(name).first().opened()
		if !n.isObject() {
			continue
		}
		if inner := n.any("error", "errors", "status").first(); inner.isObject() {
			return inner, ""
		}
		if messageIn(n) != "" && messageIn(root) == "" {
			return n, ""
		}
	}
	if len(root.elementsOfObject()) == 1 && root.items[0].node.isObject() && messageIn(root.items[0].node) != "" {
		return root.items[0].node, root.items[0].name
	}
	return root, ""
}

// readCodes adds what looks like a code. One that only repeats the status comes
// last; texts with spaces are no codes.
func (d *diagnosis) readCodes(n *node) {
	if !n.isObject() {
		return
	}
	status := itoa(d.reading.status)
	late := ""
	for _, name := range codeNames {
		v := n.fold(name)
		if v == nil || v.isContainer() || v.kind == boolNode {
			continue
		}
		text := v.str()
		switch {
		case text == "200" || text == "0":
		case text == status:
			if late == "" && name != "status" {
				late = text
			}
		case name == "status" && (v.kind == numberNode || statusWord(text)), name == "title" && !codeLike(text), name == "name" && !codeLike(text):
		case name == "type" && statusWord(text):
		default:
			d.finding.addCode(shortCode(text))
		}
	}
	for _, name := range []string{"error", "err"} {
		if v := n.fold(name); v.isString() && codeLike(v.str()) {
			d.finding.addCode(v.str())
		}
	}
	d.finding.addCode(late)
}

// statusWord says only that something failed.
func statusWord(s string) bool {
	switch strings.ToLower(s) {
	case "error", "fail", "failed", "failure", "ok", "success", "err", "false", "true", "0":
		return true
	}
	return false
}

// codeLike reports a text that is an identifier with more than one part or in
// capitals: `not_found`, `NotFound`, `E1001`.
func codeLike(s string) bool {
	if s == "" || len(s) > 80 || strings.ContainsAny(s, " \t\n<>{}\"',;!?()") {
		return false
	}
	if strings.ContainsAny(s, "_.:-/") {
		return !strings.HasSuffix(s, ".")
	}
	upper := 0
	for i := range len(s) {
		if s[i] >= 'A' && s[i] <= 'Z' || s[i] >= '0' && s[i] <= '9' {
			upper++
		}
	}
	return upper > 1 || upper == 1 && (s[0] < 'A' || s[0] > 'Z')
}

// messageIn is the first sentence under the usual names.
func messageIn(n *node) string {
	for _, name := range messageNames {
		v := textOf(n.fold(name).first())
		if v.isString() && strings.TrimSpace(v.str()) != "" && !(name == "reason" && codeLike(v.str())) {
			return v.str()
		}
	}
	for _, name := range []string{"error", "errors", "err", "exception", "messages", "errorMessages"} {
		v := n.fold(name).first()
		if v.isString() && !codeLike(v.str()) && strings.TrimSpace(v.str()) != "" {
			return v.str()
		}
	}
	return ""
}

// readField takes the argument that the error object names.
func (d *diagnosis) readField(home *node) {
	f := &d.finding
	if len(f.violations) > 0 || !home.isObject() {
		return
	}
	for _, name := range []string{"param", "parameter", "field", "fieldName", "argument", "property", "attribute", "parameterName", "param_name", "fields", "invalidField", "pointer", "key", "target", "@locator"} {
		n := home.fold(name)
		if n.isList() {
			for _, item := range n.items[:min(len(n.items), 8)] {
				if text := item.node.str(); text != "" && !strings.Contains(text, " ") {
					f.addViolation(violation{field: text, problem: f.message})
				}
			}
			continue
		}
		if text := n.str(); n.isString() && text != "" && len(text) <= 128 && !strings.Contains(text, " ") {
			f.addViolation(violation{field: text, problem: f.message, value: home.any(faultValues...), accepted: valuesOf(home.any(faultAccepted...))})
			return
		}
	}
}

// readBoundary keeps the numbers of the error object, and the words that say
// what they are of.
func (d *diagnosis) readBoundary(home *node) {
	d.boundaryIn(home, 0)
	for _, name := range []string{"details", "meta", "metadata", "data", "extra", "context", "context_info", "info", "params", "parameters", "extensions"} {
		if inner := home.fold(name); inner.isObject() {
			d.boundaryIn(inner, 1)
		}
	}
	if cost := d.reading.root.at("extensions", "cost"); cost != nil {
		d.boundaryIn(cost, 1)
		d.boundaryIn(cost.member("throttleStatus"), 1)
	}
}

func (d *diagnosis) boundaryIn(n *node, depth int) {
	for _, m := range n.elementsOfObject() {
		name := plain(m.name)
		if noise(m.name) || errorWord(m.name) || bodyWaitName(name) {
			continue
		}
		switch {
		case m.node.kind == numberNode && len(m.node.text) <= 20 && !isEpoch(m.node) && !strings.HasSuffix(name, "id") && !strings.Contains(name, "code"):
			d.finding.addFact(m.name, m.node)
		case m.node.kind == stringNode && factWords[name] && len(m.node.text) <= 64,
			m.node.kind == stringNode && isJSONNumber(m.node.str()) && len(m.node.text) <= 16 && factWords[name]:
			d.finding.addFact(m.name, m.node)
		case m.node.isList() && depth > 0 && strings.Contains(name, "conflict"):
			if first := m.node.first(); first.isObject() {
				d.finding.addFact("conflicting_id", first.any("id"))
			}
		}
	}
}

func bodyWaitName(name string) bool {
	_, known := bodyWaits[name]
	return known
}

// isEpoch reports a number that is a moment, not an amount.
func isEpoch(n *node) bool {
	v, ok := n.number()
	return ok && v >= 1.5e9 && v < 2.2e9 || v >= 1.5e12 && v < 2.2e12
}

// fillTemplate puts parameters into a message that came as a template:
// `No such entity with %fieldName = %fieldValue`.
func (d *diagnosis) fillTemplate(home *node) {
	f := &d.finding
	if !strings.ContainsRune(f.message, '%') && !strings.ContainsRune(f.message, '{') {
		return
	}
	parameters := home.any("parameters", "params", "args", "arguments", "messageParameters", "placeholders")
	if parameters == nil {
		return
	}
	text := f.message
	for i := range parameters.items {
		name, value := itemName(parameters, i), parameters.items[i].node.str()
		if parameters.isList() {
			text = strings.ReplaceAll(text, "%"+itoa(i+1), value)
		}
		for _, mark := range []string{"%" + name, "{{" + name + "}}", "{" + name + "}"} {
			text = strings.ReplaceAll(text, mark, value)
		}
	}
	f.message = text
	if field := parameters.any("fieldName", "field", "attribute", "property", "fieldname"); field.isString() {
		f.addViolation(violation{field: field.str(), value: parameters.any("fieldValue", "value"), problem: text})
	}
}
