package diagnose

import (
	"math"
	"strings"

	"google.golang.org/protobuf/proto"

	statuspb "google.golang.org/genproto/googleapis/rpc/status"
	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// ownError is rung 1: the upstream's own ToolError. It is believed from a back
// end that may speak it, in a status detail of our type, and in the body of an
// upstream marked `speaks: toolgate`; from nobody else.
func (d *diagnosis) ownError() *toolgatev1.ToolError {
	r := d.in.Reply
	if r.ToolError != nil {
		return r.ToolError
	}
	if len(r.Details) > 0 {
		if e := detailError(r.Details); e != nil {
			return e
		}
	}
	if !d.tool.Diagnosis.SpeaksToolgate || d.reading.root == nil {
		return nil
	}
	root := d.reading.root
	for _, home := range []*node{root, root.member("error"), root.at("outcome", "error")} {
		if e := errorFrom(home); e != nil {
			return e
		}
	}
	return nil
}

func detailError(encoded []byte) *toolgatev1.ToolError {
	var st statuspb.Status
	if proto.Unmarshal(encoded, &st) != nil {
		return nil
	}
	for _, detail := range st.GetDetails() {
		var e toolgatev1.ToolError
		if detail.MessageIs(&e) && detail.UnmarshalTo(&e) == nil && classOf(e.GetErrorClass().String()) != 0 {
			return &e
		}
	}
	return nil
}

// errorFrom reads a ToolError from its JSON: ProtoJSON in both spellings, and
// the form of an observation. nil where it has no class.
func errorFrom(n *node) *toolgatev1.ToolError {
	class := classOf(n.any("class", "error_class", "errorClass").str())
	if class == 0 {
		return nil
	}
	e := &toolgatev1.ToolError{
		ErrorClass: class, Code: n.any("code", "error").str(), Message: n.any("message").str(),
		BlockedBy: n.any("blocked_by", "blockedBy").str(), UnblockWith: n.any("unblock_with", "unblockWith").str(),
		MaybeExecuted: n.any("maybe_executed", "maybeExecuted").str() == "true", Partial: n.any("partial").str() == "true",
		FactsJson: objectText(n.any("facts", "facts_json", "factsJson")), RequestedJson: objectText(n.any("requested", "requested_json", "requestedJson")),
		AlternativesTruncated: n.any("alternatives_truncated", "alternativesTruncated").str() == "true",
		ViolationsTruncated:   n.any("violations_truncated", "violationsTruncated").str() == "true",
	}
	if seconds, ok := n.any("retry_after", "retryAfter").number(); ok {
		e.RetryAfter = &seconds
	}
	e.Violations = violationsFrom(n)
	for _, item := range n.member("alternatives").elements() {
		if a := alternativeFrom(item.node); a.GetTool()+a.GetArgumentsJson() != "" {
			e.Alternatives = append(e.Alternatives, a)
		}
	}
	return e
}

func violationsFrom(n *node) []*toolgatev1.Violation {
	var out []*toolgatev1.Violation
	for _, item := range n.member("violations").elements() {
		v := item.node
		one := &toolgatev1.Violation{
			Field: v.member("field").str(), Problem: v.member("problem").str(), Format: v.member("format").str(),
			Range: v.member("range").str(), Accepted: valuesOf(v.member("accepted")), ValueJson: v.any("value_json", "valueJson").str(),
			AcceptedTruncated: v.any("accepted_truncated", "acceptedTruncated").str() == "true",
		}
		if value := v.member("value"); value != nil {
			one.ValueJson = string(value.appendJSON(nil))
		}
		out = append(out, one)
	}
	if field := n.member("field").str(); field != "" && len(out) == 0 { // an observation with one violation
		one := &toolgatev1.Violation{Field: field, Problem: n.member("message").str()}
		if expected := n.member("expected"); expected.isList() {
			one.Accepted = valuesOf(expected)
		} else {
			one.Format = expected.str()
		}
		out = append(out, one)
	}
	return out
}

// alternativeFrom reads {tool, arguments, label}, or bare arguments for the same
// tool.
func alternativeFrom(n *node) *toolgatev1.Alternative {
	if !isProposal(n) {
		return &toolgatev1.Alternative{ArgumentsJson: objectText(n)}
	}
	return &toolgatev1.Alternative{Tool: n.member("tool").str(), ArgumentsJson: objectText(argumentsOf(n)), Label: n.member("label").str()}
}

// isProposal tells a call from bare arguments, which may have any names: it has
// arguments of its own, or says nothing but what an Alternative says.
func isProposal(n *node) bool {
	named := n.member("tool").isString()
	if argumentsOf(n) != nil {
		return named || n.member("label") != nil
	}
	for i := range n.items {
		switch n.items[i].name {
		case "tool", "arguments", "arguments_json", "argumentsJson", "label":
		default:
			return false
		}
	}
	return named
}

// argumentsOf is the first that is an object, {} too: a call without arguments is
// ready to be made.
func argumentsOf(n *node) *node {
	for _, name := range []string{"arguments_json", "argumentsJson", "arguments"} {
		if found := n.member(name); objectText(found) != "" {
			return found
		}
	}
	return nil
}

// objectText is an object as JSON, given as such or as text.
func objectText(n *node) string {
	if n = n.opened(); !n.isObject() {
		return ""
	}
	return string(n.appendJSON(nil))
}

func classOf(s string) toolgatev1.ErrorClass {
	switch strings.TrimPrefix(strings.ToUpper(s), "ERROR_CLASS_") {
	case "TRANSIENT":
		return transient
	case "INVALID_REQUEST":
		return invalidRequest
	case "TERMINAL":
		return terminal
	}
	return 0
}

// believe takes what the upstream may say and leaves the rest: counts,
// attempts, notes and the observation are the gateway's.
func (d *diagnosis) believe(own *toolgatev1.ToolError) (*toolgatev1.ToolError, interceptors.Verdict) {
	d.in.Trail.add("upstream", "the upstream speaks for itself: "+className(own.GetErrorClass()), true)
	e := &toolgatev1.ToolError{
		ErrorClass: own.GetErrorClass(), Code: own.GetCode(), Message: own.GetMessage(),
		Alternatives: own.GetAlternatives(), AlternativesTruncated: own.GetAlternativesTruncated(),
		Violations: own.GetViolations(), ViolationsTruncated: own.GetViolationsTruncated(),
		BlockedBy: own.GetBlockedBy(), UnblockWith: own.GetUnblockWith(),
		RequestedJson: own.GetRequestedJson(), FactsJson: own.GetFactsJson(), Partial: own.GetPartial(),
		ClassifiedBy:   toolgatev1.ClassifiedBy_CLASSIFIED_BY_UPSTREAM,
		UpstreamStatus: d.upstreamStatus(),
	}
	verdict := interceptors.Verdict{Executed: interceptors.ExecutedNo, Health: interceptors.HealthAlive}
	if own.GetMaybeExecuted() {
		verdict.Executed = interceptors.ExecutedMaybe
	}
	if d.in.Reply.Failure == interceptors.FailureRequest { // nothing was asked: the back end of this house speaks
		e.ClassifiedBy, verdict.Health = toolgatev1.ClassifiedBy_CLASSIFIED_BY_GATEWAY, interceptors.HealthNeutral
	}
	if e.ErrorClass == transient {
		verdict.Health = interceptors.HealthNeutral
		if w := own.GetRetryAfter(); own.RetryAfter != nil && w >= 0 && !math.IsInf(w, 0) && w <= maxWait {
			w = roundUp(w)
			e.RetryAfter, verdict.Hinted = &w, w > 0
		}
		verdict.RateLimited = d.rateLimited()
	}
	e = d.cleaner().whole(e)
	d.secure(e, &verdict)
	return e, verdict
}

// rateLimited reports a status that means "too many".
func (d *diagnosis) rateLimited() bool {
	if d.reading.http() {
		return d.reading.status == 429
	}
	return d.reading.form == formStatus && d.reading.status == 8
}

func (d *diagnosis) upstreamStatus() uint32 {
	if !d.reading.http() && d.reading.form != formStatus ||
		d.in.Reply.Failure != interceptors.FailureNone && d.in.Reply.Failure != interceptors.FailureBodyCut ||
		d.reading.status < 0 {
		return 0
	}
	return uint32(d.reading.status)
}
