package diagnose

// fhirLists are the issue types of FHIR (R4, valueset-issue-type) by what they
// mean. Those that are left out say nothing of the class.
var fhirLists = map[string]string{
	"invalid": "invalid_request", "structure": "invalid_request", "required": "invalid_request", "value": "invalid_request", "invariant": "invalid_request",
	"not-found": "invalid_request", "multiple-matches": "invalid_request", "too-long": "invalid_request", "code-invalid": "invalid_request",
	"extension": "invalid_request", "too-costly": "invalid_request", "duplicate": "invalid_request", "conflict": "invalid_request",
	"not-supported": "terminal", "deleted": "terminal", "business-rule": "terminal",
	"security": "denied", "forbidden": "denied", "suppressed": "denied",
	"login": "credentials", "unknown": "credentials", "expired": "credentials",
	"transient": "transient", "lock-error": "transient", "no-store": "transient", "throttled": "throttled",
	"timeout": "uncertain", "incomplete": "uncertain", "exception": "uncertain",
}

// readFHIR reads an OperationOutcome: {"issue": [{"severity", "code",
// "diagnostics", "details": {"text"}, "expression"}]}.
func (d *diagnosis) readFHIR() bool {
	root, f := d.reading.base(), &d.finding
	if root.member("resourceType").str() != "OperationOutcome" && (d.reading.form != formXML || d.reading.root.member("OperationOutcome") == nil) {
		return false
	}
	for _, item := range root.member("issue").elements() {
		n := item.node
		switch valueOf(n.member("severity")).str() {
		case "warning", "information":
			continue
		}
		code := valueOf(n.member("code")).str()
		f.addCode(code)
		text := orElse(valueOf(n.member("diagnostics")).str(), valueOf(n.at("details", "text")).str())
		f.addMessage(text)
		if place := valueOf(n.any("expression", "location").first()).str(); place != "" {
			f.addViolation(violation{field: place, code: code, problem: text})
		}
		if list := fhirLists[code]; list != "" {
			f.suggest(list)
		}
	}
	return true
}

// valueOf is a primitive of FHIR: in XML it stands in an attribute.
func valueOf(n *node) *node {
	if v := n.member("@value"); v != nil {
		return v
	}
	return n
}
