package observation

import (
	"slices"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// reduction takes one piece out of an error that is excess bytes too large and
// reports whether there was one to take.
type reduction func(e *toolgatev1.ToolError, excess int) bool

// reductions in the order in which an error loses what it can best do without.
// Code, class, wait, the first field, maybe_executed, blocked_by and
// unblock_with are in none of them. The last line is for texts that double
// when they are escaped.
func reductions() []reduction {
	return []reduction{
		dropFacts, dropRequested, dropViolation, dropAlternative, cutMessage, dropAccepted, dropLastAlternative, dropNote,
		dropMessage, dropAllButFirstField,
	}
}

// reduce takes pieces out until the error fits.
func reduce(e *toolgatev1.ToolError, max int, size func(*toolgatev1.ToolError) int) {
	excess := size(e) - max
	if excess <= 0 {
		return
	}
	for _, take := range reductions() {
		for excess > 0 && take(e, excess) {
			excess = size(e) - max
		}
	}
}

func dropFacts(e *toolgatev1.ToolError, _ int) bool {
	had := e.FactsJson != ""
	e.FactsJson = ""
	return had
}

func dropRequested(e *toolgatev1.ToolError, _ int) bool {
	had := e.RequestedJson != ""
	e.RequestedJson = ""
	return had
}

func dropViolation(e *toolgatev1.ToolError, _ int) bool {
	n := len(e.Violations)
	if n <= 3 {
		return false
	}
	e.Violations, e.ViolationsTruncated = e.Violations[:n-1], true
	return true
}

func dropAlternative(e *toolgatev1.ToolError, _ int) bool {
	n := len(e.Alternatives)
	if n <= 1 {
		return false
	}
	e.Alternatives, e.AlternativesTruncated = e.Alternatives[:n-1], true
	return true
}

// minMessage is what cutMessage leaves of a message, in bytes.
const minMessage = 96

func cutMessage(e *toolgatev1.ToolError, excess int) bool {
	if len(e.Message) <= minMessage {
		return false
	}
	e.Message = cut(e.Message, max(len(e.Message)-excess, minMessage))
	return true
}

func dropAccepted(e *toolgatev1.ToolError, _ int) bool {
	for _, v := range slices.Backward(e.Violations) {
		if n := len(v.Accepted); n > 3 {
			v.Accepted, v.AcceptedTruncated = v.Accepted[:n-1], true
			return true
		}
	}
	return false
}

func dropLastAlternative(e *toolgatev1.ToolError, _ int) bool {
	had := len(e.Alternatives) > 0
	if had {
		e.Alternatives, e.AlternativesTruncated = nil, true
	}
	return had
}

func dropNote(e *toolgatev1.ToolError, _ int) bool {
	had := e.Note != ""
	e.Note = ""
	return had
}

func dropMessage(e *toolgatev1.ToolError, _ int) bool {
	had := e.Message != ""
	e.Message = ""
	return had
}

func dropAllButFirstField(e *toolgatev1.ToolError, _ int) bool {
	n := len(e.Violations)
	if n > 1 {
		e.Violations, e.ViolationsTruncated = e.Violations[:n-1], true
		return true
	}
	if n == 0 {
		return false
	}
	v := e.Violations[0]
	had := expects(v) || v.Problem != ""
	v.AcceptedTruncated = v.AcceptedTruncated || len(v.Accepted) > 0
	v.Accepted, v.Format, v.Range, v.Problem = nil, "", "", ""
	return had
}
