package diagnose

import (
	"net/http"
	"time"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// diagnosis is one reply on its way down the ladder. It belongs to one
// goroutine.
type diagnosis struct {
	engine     *Engine
	in         *Input
	tool       *interceptors.Tool
	reading    *reading
	vocabulary *vocabulary // nil: the provider is not known
	rule       *interceptors.RuleVerdict
	now        time.Time
	finding    finding
	hint       hint
	arguments  *argumentIndex // made on demand
	said       []sentence     // made on demand
}

// rung is one step of the ladder: it decides the class or leaves it.
type rung struct {
	name string
	ask  func(*diagnosis) string // returns what it saw, for the trail
}

// ladder is design section 3, rungs 2 to 7; rung 1 answers before a body is
// read.
var ladder = [...]rung{
	{"rules", (*diagnosis).rungRules},
	{"verdict_header", (*diagnosis).rungVerdictHeader},
	{"provider", (*diagnosis).rungProvider},
	{"envelope", (*diagnosis).rungEnvelope},
	{"hint", (*diagnosis).rungHint},
	{"status", (*diagnosis).rungStatus},
}

// climb asks every rung; the first that speaks has decided.
func (d *diagnosis) climb() {
	for _, r := range ladder {
		before := d.finding.decided()
		saw := r.ask(d)
		d.in.Trail.add(r.name, saw, !before && d.finding.decided())
	}
}

func (d *diagnosis) rungRules() string {
	if d.rule == nil {
		return "no rule matched"
	}
	m := meaning{class: d.rule.Class, executed: d.rule.Executed}
	if m.executed == interceptors.ExecutedUnknown && m.class != transient {
		m.executed = interceptors.ExecutedNo
	}
	d.finding.decide(m, toolgatev1.ClassifiedBy_CLASSIFIED_BY_RULE)
	return "a rule of the tool matched"
}

// rungVerdictHeader reads the upstream's own word on repetition. A no leaves
// the class to the later rungs, and only keeps it from being transient.
func (d *diagnosis) rungVerdictHeader() string {
	for _, name := range [...]string{"X-Should-Retry", "Stripe-Should-Retry"} {
		switch d.reading.header(name) {
		case "true":
			d.finding.decide(meaning{class: transient}, toolgatev1.ClassifiedBy_CLASSIFIED_BY_VERDICT_HEADER)
			return name + ": true"
		case "false":
			d.finding.noRepeat = true
			return name + ": false, the class is left to the rungs below"
		}
	}
	return "no verdict header"
}

func (d *diagnosis) rungProvider() string {
	if d.vocabulary == nil {
		return "the provider is not known"
	}
	m := d.askProvider(d.vocabulary)
	if m.class == 0 {
		return "the vocabulary " + d.vocabulary.name + " knows nothing of this failure"
	}
	d.finding.decide(m, toolgatev1.ClassifiedBy_CLASSIFIED_BY_PROVIDER)
	return "the vocabulary " + d.vocabulary.name + " says " + className(m.class)
}

// rungEnvelope asks the codes and sentence forms that mean the same everywhere,
// then the shape itself.
func (d *diagnosis) rungEnvelope() string {
	f := &d.finding
	saw := "the body is " + formNames[d.reading.form]
	if f.shapeSaid != "" {
		saw = "the body is " + f.shapeSaid
	}
	if m := d.askProvider(d.engine.registry.common); m.class != 0 && !d.contradicts(m) {
		f.decide(m, toolgatev1.ClassifiedBy_CLASSIFIED_BY_ENVELOPE)
		return saw + "; its code or sentence says " + className(m.class)
	}
	if f.shape.class != 0 && !d.contradicts(f.shape) {
		f.decide(f.shape, toolgatev1.ClassifiedBy_CLASSIFIED_BY_ENVELOPE)
		return saw + "; its shape says " + className(f.shape.class)
	}
	return saw
}

// contradicts reports a general code that the status gainsays: a refused
// permission is no mistake in the arguments, whatever its code is called.
func (d *diagnosis) contradicts(m meaning) bool {
	if !d.reading.http() || m.class != invalidRequest {
		return false
	}
	status := d.reading.status
	return status == http.StatusUnauthorized || status == http.StatusForbidden || status == http.StatusPaymentRequired ||
		status == http.StatusProxyAuthRequired || status == http.StatusTooManyRequests
}

func (d *diagnosis) rungHint() string {
	d.collectHints()
	if !d.hint.found {
		return "nothing says when to come back"
	}
	d.finding.decide(meaning{class: transient, limited: !d.down()}, toolgatev1.ClassifiedBy_CLASSIFIED_BY_HINT)
	return "come back in " + formatSeconds(d.hint.seconds) + " s, says " + d.hint.from
}

// down reports a status of a server that is away, whoever asks how often.
func (d *diagnosis) down() bool {
	if d.reading.http() {
		return d.reading.status/100 == 5
	}
	return d.reading.form == formStatus && d.reading.status == 14
}

func (d *diagnosis) rungStatus() string {
	m := meanings[d.finding.status.list]
	if d.finding.status.maybe {
		m.executed = interceptors.ExecutedMaybe // nobody who knows has spoken
	}
	d.finding.decide(m, toolgatev1.ClassifiedBy_CLASSIFIED_BY_STATUS)
	switch {
	case d.reading.http():
		return "HTTP " + itoa(d.reading.status)
	case d.reading.byTool() && d.reading.status < 0:
		return "JSON-RPC " + itoa(d.reading.status)
	case d.reading.byTool():
		return "the tool says that it failed"
	}
	return "gRPC " + grpcName(d.reading.status)
}

// collectHints finds the wait that binds: the rule's, the vocabulary's, the
// exact headers, the body, the windows.
func (d *diagnosis) collectHints() {
	h := &d.hint
	if d.rule != nil && d.rule.RetryAfter != nil {
		h.offer(goodOrAbsurd(*d.rule.RetryAfter), "the rule")
	}
	if d.finding.wait.found {
		h.offer(wait{d.finding.wait.seconds, goodWait}, d.finding.wait.from)
	}
	d.offerExact(h)
	d.offerBody(h)
	d.offerWindows(h)
	if !h.found && d.finding.waitElse > 0 {
		h.offer(goodOrAbsurd(d.finding.waitElse), "the vocabulary's default")
	}
}

// parse reads one wait and counts what is absurd.
func (d *diagnosis) parse(s string, unit waitUnit) wait {
	w := parseWait(s, unit, d.now)
	if w.kind == absurdWait {
		d.engine.ignoredWaits.Add(1)
		d.in.Trail.add("hint", "a wait was ignored: negative, not finite or over a year", false)
	}
	return w
}

func (d *diagnosis) readWait(n *node, unit waitUnit) wait {
	if n == nil {
		return wait{}
	}
	return d.parse(n.str(), unit)
}

// moment is the response's own Date, else the caller's clock.
func moment(r *reading, now time.Time) time.Time {
	if at, ok := parseInstant(r.header("Date")); ok {
		return at
	}
	return now
}

func className(c toolgatev1.ErrorClass) string {
	switch c {
	case transient:
		return "transient"
	case invalidRequest:
		return "invalid_request"
	case terminal:
		return "terminal"
	}
	return "nothing"
}
