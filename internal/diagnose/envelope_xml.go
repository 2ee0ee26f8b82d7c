package diagnose

import "strings"

// readAWS reads the errors of AWS and of those who speak its protocols: query
// and REST XML, EC2, S3, and JSON with __type or the x-amzn-errortype header.
func (d *diagnosis) readAWS() bool {
	root, f := d.reading.root, &d.finding
	home := firstObject(root.at("ErrorResponse", "Error"), root.at("Response", "Errors", "Error"), root.member("Error"),
		root.at("ErrorResponse", "Errors", "Error"))
	header := d.reading.header("X-Amzn-Errortype")
	kind := root.any("__type", "__Type").str()
	switch {
	case home != nil && home.member("Code").isString() && d.reading.form == formXML:
		d.readAWSXML(home)
		return true
	case header != "" || kind != "":
		f.addCode(shortCode(header))
		f.addCode(shortCode(kind))
		f.addMessage(root.any("message", "Message", "errorMessage").str())
		for _, item := range root.member("fieldList").elements() {
			f.addViolation(violation{field: item.node.any("path", "name").str(), problem: item.node.member("message").str()})
		}
		return true
	}
	return false
}

func (d *diagnosis) readAWSXML(home *node) {
	f := &d.finding
	f.addCode(home.member("Code").str())
	f.addMessage(home.member("Message").str())
	if name := home.any("ArgumentName", "Condition", "Header"); name != nil {
		f.addViolation(violation{field: name.str(), value: home.member("ArgumentValue"), problem: home.member("Message").str()})
		f.addFact("condition", home.member("Condition"))
	}
	for _, m := range home.items {
		switch m.name {
		case "Region", "Endpoint", "MaxSizeAllowed", "ProposedSize", "MinSizeAllowed", "BucketName", "Key", "StorageClass", "AllowedMethod",
			"ActualObjectSize", "RangeRequested", "MaxMessageLengthBytes", "MaxKeysAllowed":
			f.addFact(plain(m.name), m.node)
		}
	}
	if home.member("Type").str() == "Sender" && d.badRequest() {
		f.suggest("invalid_request")
	}
}

func firstObject(candidates ...*node) *node {
	for _, n := range candidates {
		if n = n.first(); n.isObject() {
			return n
		}
	}
	return nil
}

// readSOAP reads the faults of SOAP 1.1 and 1.2.
func (d *diagnosis) readSOAP() bool {
	fault := d.reading.root.at("Envelope", "Body", "Fault")
	if !fault.isObject() {
		return false
	}
	f := &d.finding
	detail := fault.any("detail", "Detail")
	for _, found := range []*node{
		deepest(detail, "errorcode", "code", "faultcode", "exceptioncode", "errornumber"),
		innerSubcode(fault.member("Code")), codeOnly(fault.any("faultstring")), fault.any("faultcode"), fault.at("Code", "Value"),
	} {
		f.addCode(local(found.str()))
	}
	f.addMessage(deepest(detail, "errormessage", "message", "description", "exceptionmessage", "errordescription").str())
	reason := fault.any("faultstring")
	if reason == nil {
		reason = textOf(fault.at("Reason", "Text"))
	}
	f.addMessage(textOf(reason).str())
	f.addMessage(textOf(detail).str())
	if field := deepest(detail, "field", "fieldname", "invalidfield", "parameter", "parametername", "path"); field != nil {
		f.addViolation(violation{field: field.str(), problem: f.message})
	}
	switch side := local(orElse(fault.any("faultcode").str(), fault.at("Code", "Value").str())); {
	case strings.HasPrefix(side, "Client"), strings.HasPrefix(side, "Sender"):
		f.suggest("invalid_request")
	case strings.HasPrefix(side, "MustUnderstand"), strings.HasPrefix(side, "VersionMismatch"), strings.HasPrefix(side, "DataEncodingUnknown"):
		f.suggest("terminal")
	}
	return true
}

// codeOnly is a text that is nothing but a code in capitals.
func codeOnly(n *node) *node {
	if text := n.str(); n.isString() && codeLike(text) && text == strings.ToUpper(text) {
		return n
	}
	return nil
}

// readXMLRPC reads the fault struct of XML-RPC.
func (d *diagnosis) readXMLRPC() bool {
	members := d.reading.root.at("methodResponse", "fault", "value", "struct")
	if !members.isObject() {
		return false
	}
	for _, m := range members.items {
		value := m.node.member("value")
		for value.isObject() && len(value.items) > 0 {
			value = value.items[0].node
		}
		switch m.node.member("name").str() {
		case "faultCode":
			d.finding.addCode(value.str())
		case "faultString":
			d.finding.addMessage(value.str())
		}
	}
	return true
}

func innerSubcode(code *node) *node {
	for code.member("Subcode") != nil {
		code = code.member("Subcode")
	}
	if code.member("Subcode") == nil && code.member("Value").isString() {
		return code.member("Value")
	}
	return nil
}

// textOf is an element's text, with or without attributes.
func textOf(n *node) *node {
	if n.isObject() {
		return n.member("#text")
	}
	return n
}

// deepest finds a scalar under one of the names, at any depth, in the order of
// the names.
func deepest(n *node, names ...string) *node {
	for _, name := range names {
		if found := search(n, name, 0); found != nil {
			return found
		}
	}
	return nil
}

func search(n *node, name string, depth int) *node {
	if depth > 8 || !n.isContainer() {
		return nil
	}
	for _, m := range n.items {
		if m.name != "" && plain(m.name) == name {
			if text := textOf(m.node); text.present() && !text.isContainer() {
				return text
			}
		}
	}
	for _, m := range n.items {
		if found := search(m.node, name, depth+1); found != nil {
			return found
		}
	}
	return nil
}

// readOData reads {"error": {"code", "message", "target", "details",
// "innererror"}} of OData 4, Azure and Microsoft Graph, and OData 2's message
// objects.
func (d *diagnosis) readOData() bool {
	home := d.reading.root.any("error", "odata.error")
	if !home.isObject() || home.member("code") == nil || home.member("message") == nil {
		return false
	}
	if home.fold("innererror") == nil && home.member("target") == nil && !home.member("details").isList() &&
		!home.member("message").isObject() && d.reading.header("Odata-Version") == "" {
		return false
	}
	f := &d.finding
	f.addCode(home.member("code").str())
	message := home.member("message")
	if message.isObject() {
		message = message.member("value")
	}
	f.addMessage(message.str())
	if target := home.member("target"); target.present() {
		f.addViolation(violation{field: target.str(), problem: f.message})
	}
	for _, item := range home.member("details").elements() {
		n := item.node
		f.addCode(n.member("code").str())
		if n.member("target").present() {
			f.addViolation(violation{field: n.member("target").str(), code: n.member("code").str(), problem: n.member("message").str()})
		}
		f.addMessage(n.member("message").str())
	}
	for inner := home.fold("innererror"); inner.isObject(); inner = inner.any("innererror") {
		f.addCode(inner.member("code").str())
	}
	return true
}
