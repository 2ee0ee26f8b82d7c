package observation

import (
	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
)

// The bounds of the contract, in bytes.
const (
	maxCode        = 64
	maxMessage     = 512
	maxNote        = 160
	maxCondition   = 64 // blocked_by, unblock_with
	maxObject      = 512
	maxCorrelation = 64
	maxError       = 4 << 10 // encoded, without observation
	maxObservation = 1 << 10
)

// Finish brings a ToolError into its final form, in place: invariants, bounds,
// the codes for consumers that look only there, and `observation`. tool is the
// tool that was called: an alternative for the same tool is rendered as its bare
// arguments. Finishing twice changes nothing. The error must not be shared.
func Finish(tool string, e *toolgatev1.ToolError) {
	if e == nil {
		return
	}
	e.Observation = ""
	cleanTexts(e)
	settleClass(e)
	boundAlternatives(tool, e)
	boundViolations(e)
	nameTheWhole(e)
	setCodes(e)
	reduce(e, maxError, func(e *toolgatev1.ToolError) int { return proto.Size(e) })
	e.Observation = render(tool, e)
}

func cleanTexts(e *toolgatev1.ToolError) {
	e.Code = tidy(e.GetCode(), maxCode)
	if e.Code == "" {
		e.Code = interceptors.CodeInternal
	}
	e.Message = cutMiddle(tidy(e.GetMessage(), 0), maxMessage)
	e.Note = fitSentences(tidy(e.GetNote(), 0), maxNote)
	e.RequestedJson = fitObject(e.GetRequestedJson(), maxObject)
	e.FactsJson = fitObject(e.GetFactsJson(), maxObject)
	e.CorrelationId = tidy(e.GetCorrelationId(), maxCorrelation)
	e.BlockedBy = tidy(e.GetBlockedBy(), maxCondition)
	e.UnblockWith = whole(tidy(e.GetUnblockWith(), 0), maxCondition)
	if e.BlockedBy == "" {
		e.UnblockWith = ""
	}
}

// settleClass keeps what belongs to one class away from the others.
func settleClass(e *toolgatev1.ToolError) {
	if e.GetPartial() && e.GetErrorClass() == interceptors.Transient {
		// Part of it took effect: repeating the whole call would do that part twice.
		e.ErrorClass = interceptors.Terminal
		if len(e.GetViolations()) > 0 {
			e.ErrorClass = interceptors.InvalidRequest
		}
	}
	if e.GetErrorClass() != interceptors.Transient {
		e.RetryAfter, e.Exhausted = nil, false
		return
	}
	wait := roundUp(e.RetryAfter)
	e.RetryAfter = &wait
}

// nameTheWhole gives an INVALID_REQUEST that names nothing a violation of the
// arguments as a whole.
func nameTheWhole(e *toolgatev1.ToolError) {
	if e.GetErrorClass() == interceptors.InvalidRequest && len(e.GetViolations()) == 0 && len(e.GetAlternatives()) == 0 {
		e.Violations = []*toolgatev1.Violation{{Problem: tidy(e.GetMessage(), maxProblem)}}
	}
}
