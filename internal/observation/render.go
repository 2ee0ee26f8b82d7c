package observation

import (
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// render writes the observation of a bounded error, within its own bound.
func render(tool string, e *toolgatev1.ToolError) string {
	text := encode(tool, e)
	if len(text) <= maxObservation {
		return string(text)
	}
	shorter := proto.CloneOf(e)
	reduce(shorter, maxObservation, func(e *toolgatev1.ToolError) int { return len(encode(tool, e)) })
	return string(encode(tool, shorter))
}

// encode writes one compact JSON object. Unset keys are left out.
func encode(tool string, e *toolgatev1.ToolError) []byte {
	w := writer{buf: make([]byte, 0, 512)}
	w.text("error", e.GetCode())
	w.text("class", className(e.GetErrorClass()))
	w.raw("retryable", strconv.FormatBool(e.GetErrorClass() == interceptors.Transient))
	w.text("message", message(e))
	if e.RetryAfter != nil {
		w.raw("retry_after", number(e.GetRetryAfter()))
	}
	w.violations(e.GetViolations())
	w.raw("requested", e.GetRequestedJson())
	w.raw("facts", e.GetFactsJson())
	w.alternatives(tool, e.GetAlternatives())
	w.flag("alternatives_truncated", e.GetAlternativesTruncated())
	w.text("blocked_by", e.GetBlockedBy())
	w.text("unblock_with", e.GetUnblockWith())
	w.flag("maybe_executed", e.GetMaybeExecuted())
	w.flag("partial", e.GetPartial())
	w.text("note", note(e))
	return append(w.buf, '}')
}

// className is the class as the model reads it; what nobody classified reads as
// terminal.
func className(class toolgatev1.ErrorClass) string {
	switch class {
	case interceptors.Transient:
		return "transient"
	case interceptors.InvalidRequest:
		return "invalid_request"
	}
	return "terminal"
}

// message adds the problem of a single violation where neither the message nor
// an expectation tells it.
func message(e *toolgatev1.ToolError) string {
	if len(e.GetViolations()) != 1 {
		return e.GetMessage()
	}
	v := e.GetViolations()[0]
	switch {
	case tells(e.GetMessage(), v.GetProblem()):
		return e.GetMessage()
	case e.GetMessage() == "":
		return v.GetProblem()
	}
	sentence := e.GetMessage()
	if !strings.HasSuffix(sentence, "..") {
		sentence = strings.TrimSuffix(sentence, ".")
	}
	return sentence + interceptors.NoteSeparator + v.GetProblem()
}

// tells reports whether the message already says what the problem says.
func tells(message, problem string) bool {
	problem = strings.TrimRight(strings.TrimSuffix(problem, ellipsis), ". ")
	return strings.Contains(strings.ToLower(message), strings.ToLower(problem))
}

// note leads with what a transient failure asks of the model, since it is read
// only when the runtime has given up waiting.
func note(e *toolgatev1.ToolError) string {
	if e.GetErrorClass() != interceptors.Transient {
		return e.GetNote()
	}
	text := standing(e)
	if e.GetMaybeExecuted() { // another call would do it twice; this one keeps its idempotency key
		text += "; repeat only the identical call"
	}
	text += "; report the delay"
	if len(e.GetAlternatives()) > 0 {
		text += ", use nothing but the alternatives listed"
	}
	text += ", don't answer from memory"
	if e.GetNote() != "" {
		text += interceptors.NoteSeparator + e.GetNote()
	}
	return fitSentences(text, maxNote)
}

func standing(e *toolgatev1.ToolError) string {
	n := e.GetAttempts()
	switch {
	case e.GetExhausted() && n == 0:
		return "unavailable"
	case e.GetExhausted() && n == 1:
		return "unavailable after 1 attempt"
	case e.GetExhausted():
		return "unavailable after " + strconv.FormatUint(uint64(n), 10) + " attempts"
	}
	if e.GetRetryAfter() == 0 {
		return "not now, can be repeated at once"
	}
	return "not now, can be repeated in " + number(e.GetRetryAfter()) + " s"
}

func expects(v *toolgatev1.Violation) bool {
	return len(v.GetAccepted()) > 0 || v.GetFormat() != "" || v.GetRange() != ""
}
