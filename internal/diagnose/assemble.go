package diagnose

import (
	"net/http"
	"strconv"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// noteGuess is on everything that the status alone decided.
const noteGuess = "the class is a guess from the status"

// assemble makes the error of what the rungs found.
func (d *diagnosis) assemble() (*toolgatev1.ToolError, interceptors.Verdict) {
	f := &d.finding
	d.overrule()
	d.settle()
	d.sayProblems()
	c := d.cleaner()
	e := &toolgatev1.ToolError{
		ErrorClass: f.meaning.class, Code: d.code(c), Message: c.sentence(f),
		BlockedBy: c.text(f.blockedBy), UnblockWith: f.unblockWith, Partial: f.partial,
		Alternatives: c.alternatives(f.alternatives), AlternativesTruncated: f.moreAlternatives,
		RequestedJson: c.object(f.requested),
		ClassifiedBy:  f.by, UpstreamStatus: d.upstreamStatus(), HttpStatus: d.httpStatus(),
	}
	if e.Message == "" {
		e.Message = d.plainSentence(e.Code)
	}
	switch {
	case f.by != toolgatev1.ClassifiedBy_CLASSIFIED_BY_STATUS:
	case d.reading.byTool():
		interceptors.AddNote(e, noteUnclassified)
	default:
		interceptors.AddNote(e, noteGuess)
	}
	if e.ErrorClass == invalidRequest {
		e.Violations = d.violations(c)
	}
	e.FactsJson = d.factsJSON(c, e.Violations)
	verdict := d.verdict(e)
	d.secure(e, &verdict)
	return e, verdict
}

// overrule lets the matching rule replace what it sets.
func (d *diagnosis) overrule() {
	f, rule := &d.finding, d.rule
	if rule == nil {
		return
	}
	if rule.Code != "" {
		f.codes = append([]string{rule.Code}, f.codes...)
	}
	if rule.Message != "" {
		f.message, f.parts = rule.Message, nil
	}
	if v := rule.Violation; v != nil {
		f.violations = []violation{{
			field: v.GetField(), mapped: true, problem: v.GetProblem(), accepted: v.GetAccepted(), format: v.GetFormat(), span: v.GetRange(),
			value: jsonOf(v.GetValueJson()),
		}}
	}
	f.blockedBy, f.unblockWith = orElse(rule.BlockedBy, f.blockedBy), rule.UnblockWith
	f.factsJSON, f.requested = rule.FactsJSON, rule.RequestedJSON
	f.account = f.account || rule.Scope == interceptors.ScopeAccount
	if len(rule.Alternatives) > 0 {
		f.alternatives, f.moreAlternatives = rule.Alternatives, rule.Truncated
	}
	if rule.Class != invalidRequest && rule.BlockedBy == "" && f.by == toolgatev1.ClassifiedBy_CLASSIFIED_BY_RULE {
		f.blockedBy = ""
	}
}

func jsonOf(text string) *node {
	if text == "" {
		return nil
	}
	n, _ := parseJSON(text)
	return n
}

// settle brings the class in line with what forbids it.
func (d *diagnosis) settle() {
	f := &d.finding
	if d.tool.Reads() {
		f.partial = false // a read takes no effect, so no part of one
	}
	if f.meaning.class == transient && f.partial {
		f.meaning = meaning{class: terminal, executed: f.meaning.executed}
		if len(f.violations) > 0 {
			f.meaning.class = invalidRequest
		}
	}
	if f.meaning.class == transient && f.noRepeat {
		executed := f.executedBy()
		f.meaning = meaning{class: terminal, executed: executed}
	}
	if f.meaning.class == transient {
		f.blockedBy, f.unblockWith = "", ""
		f.alternatives, f.moreAlternatives = nil, false
	}
}

// code is the reported one: the provider's first, else the status's name.
func (d *diagnosis) code(c *cleaner) string {
	for _, code := range d.finding.codes {
		if clean := c.code(code); clean != "" {
			return clean
		}
	}
	switch {
	case d.reading.form == formStatus:
		return grpcName(d.reading.status)
	case !d.reading.http(), d.finding.hiddenIn:
		return "error"
	}
	return statusCode(d.reading.status)
}

// plainSentence stands where the upstream said nothing but a code, perhaps. That
// an answer was "200 OK" says nothing about the failure in it.
func (d *diagnosis) plainSentence(code string) string {
	switch {
	case d.reading.http() && d.reading.status/100 == 2 && code != "error" && code != statusCode(d.reading.status):
		return "the tool answered " + code
	case d.reading.http() && d.reading.status/100 == 2:
		return "the tool answered that it failed"
	case d.reading.form == formStatus:
		return "gRPC " + grpcName(d.reading.status)
	case d.reading.http() && http.StatusText(d.reading.status) != "":
		return "HTTP " + strconv.Itoa(d.reading.status) + " " + http.StatusText(d.reading.status)
	case d.reading.http():
		return "HTTP " + strconv.Itoa(d.reading.status)
	}
	return "the tool failed without a message"
}

// httpStatus is set where the class's usual one would say less; 0 leaves it to
// the rendering.
func (d *diagnosis) httpStatus() uint32 {
	f := &d.finding
	switch {
	case f.meaning.class == transient && (f.meaning.limited || d.rateLimited()):
		return http.StatusTooManyRequests
	case f.meaning.class == terminal && (f.blockedBy == blockedByPermission || f.blockedBy == blockedByCredentials):
		return http.StatusForbidden
	}
	return 0
}

// verdict is what the rooms need to know.
func (d *diagnosis) verdict(e *toolgatev1.ToolError) interceptors.Verdict {
	f := &d.finding
	v := interceptors.Verdict{Executed: f.executedBy(), NeverRetry: f.noRepeat, Health: d.health()}
	if f.account {
		v.Scope = interceptors.ScopeAccount
	}
	if e.ErrorClass == transient {
		v.RateLimited = f.meaning.limited || d.rateLimited()
		if d.hint.found && d.hint.seconds > 0 {
			seconds := roundUp(d.hint.seconds)
			e.RetryAfter, v.Hinted = &seconds, true
		}
	}
	v.TimedOut = d.reading.form == formStatus && d.reading.status == 4
	return v
}

// health is the breaker's row of design section 2.
func (d *diagnosis) health() interceptors.Health {
	f := &d.finding
	switch {
	case f.meaning.class != transient:
		if f.by == toolgatev1.ClassifiedBy_CLASSIFIED_BY_STATUS && d.reading.http() && d.reading.status >= 500 {
			return interceptors.HealthNeutral
		}
		return interceptors.HealthAlive
	case !f.status.down || d.hint.found:
		return interceptors.HealthNeutral
	}
	switch f.by {
	case toolgatev1.ClassifiedBy_CLASSIFIED_BY_STATUS, toolgatev1.ClassifiedBy_CLASSIFIED_BY_ENVELOPE:
		return interceptors.HealthToolDown
	}
	return interceptors.HealthNeutral // the provider spoke
}
