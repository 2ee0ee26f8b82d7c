package diagnose

import (
	"encoding/base64"
	"strings"
)

// readGoogle reads a google.rpc.Status: from gRPC, from the JSON of a Google
// API, or from grpc-gateway.
func (d *diagnosis) readGoogle() bool {
	r, f := d.reading, &d.finding
	home := d.googleHome()
	if home == nil {
		return false
	}
	d.readDetails()
	if home.member("errors").isList() { // the older form of Google APIs
		first := home.member("errors").first()
		f.addCode(first.member("reason").str())
		if location := first.member("location").str(); location != "" && !strings.EqualFold(location, "Authorization") {
			f.addViolation(violation{field: location, problem: first.member("message").str()})
		}
	}
	f.addMessage(home.member("message").str())
	status := home.member("status").str()
	if r.form == formStatus {
		if len(r.details()) == 0 {
			return true // the code alone is a status
		}
		status = grpcName(r.status)
	} else if code, ok := home.member("code").number(); ok && status == "" && code > 0 && code < float64(len(grpcNames)) {
		status = grpcName(int(code))
	}
	if r.form != formStatus {
		f.addCode(status)
	}
	d.suggestCanonical(status)
	return true
}

// googleHome is the object with the status, nil where the body is none.
func (d *diagnosis) googleHome() *node {
	root := d.reading.root.first()
	if d.reading.form == formStatus {
		return root
	}
	home := root.member("error")
	if !home.isObject() {
		home = root
	}
	canonical := grpcCode(home.member("status").str()) > 0
	switch {
	case canonical && home.member("message") != nil, len(d.reading.details()) > 0:
		return home
	case home.member("errors").first().member("reason") != nil && home.member("errors").first().member("domain") != nil:
		return home
	}
	// grpc-gateway: {"code": 5, "message": "…", "details": []}
	if code, ok := home.member("code").number(); ok && code >= 1 && code <= 16 && home.member("message").isString() && home.member("details").isList() {
		return home
	}
	return nil
}

// suggestCanonical gives the class of a canonical code, refined by details.
func (d *diagnosis) suggestCanonical(name string) {
	code := grpcCode(name)
	if code <= 0 {
		return
	}
	if entry := grpcStatuses[code]; code != 2 && code != 13 {
		d.finding.suggest(entry.list)
	}
}

// readDetails reads every standard detail (google/rpc/error_details.proto).
func (d *diagnosis) readDetails() {
	for _, detail := range d.reading.details() {
		kind := detail.member("@type").str()
		kind = kind[strings.LastIndexAny(kind, "./")+1:]
		switch kind {
		case "ErrorInfo":
			d.readErrorInfo(detail)
		case "RetryInfo":
			d.finding.wait.offer(d.readWait(detail.member("retryDelay"), unitDuration), "RetryInfo")
			d.finding.suggest("transient")
		case "BadRequest":
			d.readBadRequest(detail)
		case "QuotaFailure":
			d.readQuotaFailure(detail)
		case "PreconditionFailure":
			d.readPreconditionFailure(detail)
		case "ResourceInfo":
			d.finding.addFact("resource", detail.member("resourceName"))
			d.finding.addFact("resource_type", detail.member("resourceType"))
			d.finding.addMessage(detail.member("description").str())
		case "LocalizedMessage":
			d.finding.addMessage(detail.member("message").str())
		case "DebugInfo", "RequestInfo", "Help": // for people at the other end
		default:
			d.readOwnDetail(kind, detail)
		}
	}
}

func (d *diagnosis) readErrorInfo(detail *node) {
	d.finding.addCode(detail.member("reason").str())
	for _, m := range detail.member("metadata").elementsOfObject() {
		if !noise(m.name) && plain(m.name) != "service" && plain(m.name) != "consumer" && len(m.node.str()) <= 96 {
			d.finding.addFact(m.name, m.node)
		}
	}
}

func (d *diagnosis) readBadRequest(detail *node) {
	for _, item := range detail.member("fieldViolations").elements() {
		d.finding.addViolation(violation{
			field: item.node.member("field").str(), problem: item.node.member("description").str(),
			code: item.node.member("reason").str(),
		})
	}
	if len(d.finding.violations) > 0 {
		d.finding.suggest("invalid_request")
	}
}

func (d *diagnosis) readQuotaFailure(detail *node) {
	for _, item := range detail.member("violations").elements() {
		v := item.node
		d.finding.addFact("quota", v.any("quotaId", "quotaMetric", "subject"))
		d.finding.addFact("quota_value", v.member("quotaValue"))
		d.finding.addMessage(v.member("description").str())
	}
	d.finding.suggest("throttled")
}

func (d *diagnosis) readPreconditionFailure(detail *node) {
	for _, item := range detail.member("violations").elements() {
		v := item.node
		if d.finding.blockedBy == "" {
			d.finding.blockedBy = v.any("type", "subject").str()
		}
		d.finding.addFact("subject", v.member("subject"))
		d.finding.addMessage(v.member("description").str())
	}
	d.finding.suggest("terminal")
}

// readOwnDetail reads a type of the provider's: a code of its own if it has
// one, else the type's name, which is as good as one.
func (d *diagnosis) readOwnDetail(kind string, detail *node) {
	f := &d.finding
	own := detail.any("errorCode", "error_code", "code", "reason")
	switch {
	case own != nil && !own.isContainer() && own.kind == stringNode:
		f.addCode(own.str())
	case strings.HasSuffix(kind, "Failure") || strings.HasSuffix(kind, "Error") || strings.HasSuffix(kind, "Exception"):
		f.addCode(kind)
	}
	for _, m := range detail.items {
		if m.name != "@type" && !noise(m.name) && !m.node.isContainer() && len(m.node.str()) <= 96 {
			f.addFact(m.name, m.node)
		}
	}
}

// readConnect reads Connect's {"code": "not_found", "message", "details"} and
// Twirp's {"code": "not_found", "msg", "meta"}.
func (d *diagnosis) readConnect() bool {
	root, f := d.reading.root, &d.finding
	code := root.member("code").str()
	canonical := connectCode(code)
	if canonical == "" || root.member("message") == nil && root.member("msg") == nil && len(root.items) > 1 {
		return false
	}
	for _, item := range root.member("details").elements() {
		if detail := connectDetail(item.node); detail != nil {
			d.reading.detailList = append(d.reading.detailList, detail)
		}
	}
	d.readDetails()
	if argument := root.at("meta", "argument").str(); argument != "" { // Twirp's convention
		f.addViolation(violation{field: argument, problem: root.member("msg").str()})
	}
	f.addCode(code)
	f.addMessage(root.any("message", "msg").str())
	d.suggestCanonical(canonical)
	return true
}

// connectDetail is a detail of Connect in JSON form: as the server spelled it
// out for people to read, else as it is encoded.
func connectDetail(item *node) *node {
	kind, value := item.member("type").str(), item.member("value").str()
	if kind == "" {
		return nil
	}
	kind = "type.googleapis.com/" + kind
	if plain := item.member("debug"); plain.isObject() && len(plain.items) > 0 {
		return objectOf(append([]member{{"@type", stringOf(kind)}}, plain.items...)...)
	}
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(value, "="))
	if err != nil {
		return nil
	}
	return detailNode(kind, raw)
}

// connectCode is the canonical name of Connect's or Twirp's spelling.
func connectCode(code string) string {
	if code == "" || strings.ToLower(code) != code || digits(code) > 0 {
		return ""
	}
	switch code {
	case "canceled":
		return "CANCELLED"
	case "malformed":
		return "INVALID_ARGUMENT"
	case "bad_route":
		return "UNIMPLEMENTED"
	case "dataloss":
		return "DATA_LOSS"
	case "ok", "unknown":
		return ""
	}
	if upper := strings.ToUpper(code); grpcCode(upper) > 0 {
		return upper
	}
	return ""
}
