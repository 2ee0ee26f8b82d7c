package diagnose

import "strings"

// Names under which frameworks list faults, without case and separators.
var (
	faultHomes = []string{
		"errors", "violations", "invalid-params", "invalid_params", "fieldErrors", "field_errors", "fields", "validationErrors",
		"validation_errors", "validation", "details", "issues", "ModelState", "errorCauses", "invalidFields", "invalid_fields", "fieldViolations",
		"parameterViolations", "causes", "errorDetails", "error_details", "messages", "error_messages", "errorMessages", "additionalDetails", "reasons", "params", "detail", "data", "source",
	}
	faultFields = []string{
		"field", "fieldName", "field_name", "path", "param", "parameter", "parameterName", "property", "propertyPath",
		"property_path", "propertyName", "pointer", "attribute", "instancePath", "dataPath", "argument", "location",
		"loc", "key", "target", "element", "name", "source", "fields", "propertyPaths",
	}
	faultProblems = []string{
		"message", "msg", "reason", "description", "detail", "defaultMessage", "error", "problem", "explanation", "title", "issue",
		"text", "longMessage", "errorSummary", "errorMessage", "error_message", "userMessage", "constraints",
	}
	faultValues   = []string{"value", "rejectedValue", "rejected_value", "invalidValue", "invalid_value", "received", "input", "actual"}
	faultAccepted = []string{"allowedValues", "allowed_values", "accepted", "acceptedValues", "expected", "options", "enum", "validValues", "valid_values", "choices"}
	faultCodes    = []string{"code", "errorCode", "error_code", "type", "keyword", "rule", "kind", "validator", "constraint"}
	wholeNames    = map[string]bool{
		"": true, "base": true, "nonfielderrors": true, "__all__": true, "all": true, "schema": true, "_schema": true, "_errors": true,
		"errors": true, "general": true, "root": true, "form": true, "global": true,
	}
)

// readFaults finds lists and maps of faults in fields: Rails, Laravel, Django,
// ASP.NET, Spring, Express, and their kin.
func (d *diagnosis) readFaults() {
	f := &d.finding
	if len(f.violations) > 0 || !d.badRequest() && d.reading.status < 500 && d.reading.http() {
		return
	}
	root := d.reading.base().first()
	homes := []*node{
		root.member("error"), root, root.member("errors").first(), root.member("data"), root.member("Fault"), root.member("detail"),
		root.member("details"), root.member("message"), root.member("_embedded"),
	}
	for _, home := range homes {
		if !home.isObject() {
			continue
		}
		if d.takeHome(home) {
			return
		}
	}
	if d.deepFaults(root, 0) {
		return
	}
	for _, whole := range []*node{root.member("message"), root.member("error"), root} {
		if whole.isObject() && d.isFaultMap(whole) {
			d.takeMap(whole)
			return
		}
	}
}

// deepNames mean lists of faults wherever they stand.
var deepNames = map[string]bool{"validationerrors": true, "fielderrors": true, "violations": true, "invalidfields": true, "errorcauses": true, "invalidparams": true}

// deepFaults looks for such a list anywhere.
func (d *diagnosis) deepFaults(n *node, depth int) bool {
	if depth > 5 || n == nil {
		return false
	}
	for _, m := range n.items[:min(len(n.items), 64)] {
		if !m.node.isContainer() {
			continue
		}
		if m.name != "" && deepNames[plain(m.name)] && d.takeFaults(m.node, m.name) || d.deepFaults(m.node, depth+1) {
			return true
		}
	}
	return false
}

// takeHome looks for faults in the lists and maps of one object, by the order of
// faultHomes.
func (d *diagnosis) takeHome(home *node) bool {
	containers := false
	for i := range home.items {
		containers = containers || home.items[i].node.isContainer()
	}
	if !containers {
		return false
	}
	for _, name := range faultHomes {
		if n := home.fold(name); n.isContainer() && d.takeFaults(n, name) {
			return true
		}
	}
	return false
}

// takeFaults reads a list or a map; false where it is neither.
func (d *diagnosis) takeFaults(n *node, name string) bool {
	switch {
	case !n.present():
		return false
	case n.isList():
		return d.takeList(n, name)
	case n.isObject() && isNested(n, 0):
		d.takeNested(n, nil)
	case n.isObject() && d.isFaultMap(n):
		d.takeMap(n)
	default:
		return false
	}
	d.faultsFound()
	return len(d.finding.violations) > 0
}

func (d *diagnosis) faultsFound() {
	if len(d.finding.violations) > 0 && d.badRequest() {
		d.finding.suggest("invalid_request")
	}
}

// sentenceLists hold faults as bare sentences.
var sentenceLists = map[string]bool{
	"errors": true, "messages": true, "violations": true, "details": true, "error_messages": true, "errorMessages": true, "additionalDetails": true, "reasons": true,
}

func (d *diagnosis) takeList(n *node, name string) bool {
	f := &d.finding
	named := false
	for _, item := range n.items {
		v := violation{}
		switch {
		case item.node.isString() && (deepNames[plain(name)] || sentenceLists[name]):
			v.problem = item.node.str()
		case item.node.isObject() && item.node.member("@type") == nil: // typed details are read by their type
			v = faultOf(item.node)
		}
		if v.problem == "" && v.field == "" {
			continue
		}
		named = named || v.field != ""
		f.violations = append(f.violations, v)
		if len(f.violations) == 24 {
			break
		}
	}
	if !named {
		// Sentences alone name nothing; they are read as prose later.
		for _, v := range f.violations {
			f.addMessage(v.problem)
		}
		if len(f.violations) == 1 || name == "details" || name == "detail" || name == "data" {
			f.violations = nil
		}
		return len(f.violations) > 0
	}
	d.faultsFound()
	return true
}

// faultOf reads one fault of a list.
func faultOf(n *node) violation {
	v := violation{code: scalarOf(n.any(faultCodes...))}
	problem := n.any(faultProblems...)
	if problem.isObject() { // class-validator: {"isInt": "x must be an integer"}
		for _, m := range problem.items {
			problem = m.node
			break
		}
	}
	v.problem = scalarOf(problem.first())
	for _, name := range faultFields {
		field := n.fold(name)
		if !field.present() || field == problem {
			continue
		}
		if field.isObject() {
			field = field.any("pointer", "parameter", "field", "path", "name")
		}
		if text := pathText(field); text != "" && len(text) <= 128 && !locationWord(text) && !strings.Contains(text, " ") {
			v.field = text
			break
		}
	}
	if v.field != "" && v.problem == "" {
		v.problem = v.code
	}
	for _, name := range faultValues {
		if value := n.fold(name); value != nil && !value.isContainer() && value.kind != nullNode {
			v.value = value
			break
		}
	}
	if list := n.any(faultAccepted...); list.isList() {
		v.accepted = valuesOf(list)
	}
	if params := n.member("params"); params.isObject() { // ajv
		v.accepted = append(v.accepted, valuesOf(params.member("allowedValues"))...)
		if missing := params.member("missingProperty").str(); missing != "" {
			v.field = strings.Trim(v.field+"/"+missing, "/")
		}
	}
	return v
}

// locationWord is a place of arguments, not an argument.
func locationWord(s string) bool {
	switch strings.ToLower(s) {
	case "body", "query", "path", "params", "header", "headers", "cookies", "cookie", "request":
		return true
	}
	return false
}

func scalarOf(n *node) string { return n.str() }

// isFaultMap reports a map of names to sentences.
func (d *diagnosis) isFaultMap(n *node) bool {
	if len(n.items) == 0 || len(n.items) > 40 {
		return false
	}
	words := 0
	for _, m := range n.items {
		word := errorWord(m.name)
		if word {
			words++
		}
		if noise(m.name) || words > 1 || word && plain(m.name) != "title" && !d.sends(m.name) || strings.Contains(m.name, " ") {
			return false
		}
		switch v := m.node; {
		case v.isString():
			if !strings.Contains(strings.TrimSpace(v.str()), " ") {
				return false
			}
		case v.isList():
			first := v.first()
			if !first.isString() && !(first.isObject() && first.any("message", "msg", "error", "code") != nil) && !d.isFaultList(v) {
				return false
			}
		case v.isObject():
			if v.any("message", "msg", "reason", "description", "error") == nil && !d.isFaultMap(v) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// isFaultList reports maps of faults by position: the items of an argument that
// is a list, empty where one has no fault.
func (d *diagnosis) isFaultList(list *node) bool {
	said := false
	for _, item := range list.items {
		switch n := item.node; {
		case !n.isObject():
			return false
		case len(n.items) > 0:
			if !d.isFaultMap(n) {
				return false
			}
			said = true
		}
	}
	return said
}

// sends reports whether the call has an argument of that name.
func (d *diagnosis) sends(name string) bool { return d.index().leafs[plain(name)] != nil }

// errorWord is a member that belongs to the error itself, not to a field.
func errorWord(name string) bool {
	switch plain(name) {
	case "response", "result", "results", "fault", "exception", "errors", "data", "message", "msg", "error", "code", "status", "detail", "title", "errordescription", "reason", "success", "ok", "hint", "errormessage", "errorcode", "errortype":
		return true
	}
	return false
}

func (d *diagnosis) takeMap(n *node) {
	d.takeMapAt(n, nil)
	d.faultsFound()
}

// takeMapAt reads a map of names to sentences; maps inside it are arguments
// inside arguments.
func (d *diagnosis) takeMapAt(n *node, at []string) {
	for _, m := range n.items {
		if m.node.isObject() && m.node.any("message", "msg", "reason", "description", "error") == nil && len(at) < 8 {
			d.takeMapAt(m.node, extend(at, m.name))
			continue
		}
		if m.node.isList() && len(at) < 8 && d.isFaultList(m.node) {
			for i, item := range m.node.items {
				d.takeMapAt(item.node, extend(extend(at, m.name), itoa(i)))
			}
			continue
		}
		v := violation{field: strings.Join(extend(at, m.name), "/")}
		if wholeNames[strings.ToLower(m.name)] || wholeNames[plain(m.name)] {
			v.field = strings.Join(at, "/")
		}
		switch first := m.node.first(); {
		case first.isObject():
			fault := faultOf(first)
			v.problem, v.code, v.value, v.accepted = fault.problem, fault.code, fault.value, fault.accepted
		default:
			v.problem = first.str()
		}
		d.finding.addViolation(v)
	}
}

// isNested reports Discord's and zod's tree: names down to `_errors` lists.
func isNested(n *node, depth int) bool {
	if depth > 12 || !n.isObject() {
		return false
	}
	for _, m := range n.items {
		if m.name == "_errors" && m.node.isList() || isNested(m.node, depth+1) {
			return true
		}
	}
	return false
}

func (d *diagnosis) takeNested(n *node, at []string) {
	for _, m := range n.items {
		if m.name == "_errors" {
			if first := m.node.first(); first.isString() {
				d.finding.addViolation(violation{field: joinPath(at), problem: first.str()})
			} else if first.present() {
				v := faultOf(first)
				v.field = joinPath(at)
				d.finding.addViolation(v)
			}
			continue
		}
		if m.node.isObject() && len(at) < 16 {
			d.takeNested(m.node, extend(at, m.name))
		}
	}
}
