package observe

import (
	"strings"
	"time"

	"google.golang.org/grpc/status"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/evidence"
	"toolgate.dev/toolgate/internal/rawjson"
)

// abandonedClass stands in Class of a call that ended in a gRPC status.
const abandonedClass = "abandoned"

// tellFailure is what may be said of a failed call.
func (r *Room) tellFailure(call *interceptors.Call, e *toolgatev1.ToolError, took time.Duration) evidence.Call {
	told := evidence.Call{
		Time: call.Arrived.Add(took), Message: evidence.FailedMessage, CorrelationID: e.GetCorrelationId(),
		Principal: call.Run.Principal, Run: call.Run.ID, ID: call.ID, Tool: toolName(call),
		Class: className(e.GetErrorClass()), Code: r.metrics.codeLabel(e.GetCode()), ClassifiedBy: classifiedBy(e.GetClassifiedBy()),
		UpstreamStatus: e.GetUpstreamStatus(), Attempts: uint64(e.GetAttempts()), Rejections: uint64(e.GetRejectionsInRun()),
		Exhausted: e.GetExhausted(), MaybeExecuted: e.GetMaybeExecuted(), AnsweredBy: call.Trace.Answered,
		ObservationBytes: uint64(len(e.GetObservation())), Waited: call.Trace.Waited, Took: took,
	}
	if len(e.GetViolations()) == 0 {
		return told
	}
	violation := e.GetViolations()[0]
	told.Field = violation.GetField()
	sent := sentAt(call, violation.GetField())
	told.Expected = evidence.Expected(violation, sent)
	if told.Expected != "" && sent != nil && e.GetClassifiedBy() != toolgatev1.ClassifiedBy_CLASSIFIED_BY_GATEWAY {
		told.Cure = r.cure(told.Expected, violation, sent)
	}
	return told
}

// sentAt is the value that was sent at a field; nil where there was none.
func sentAt(call *interceptors.Call, field string) []byte {
	arguments := call.Arguments.JSON
	if len(arguments) == 0 { // refused before it was sent
		arguments = []byte(call.Text)
	}
	if field == "" {
		return nil
	}
	sent, found := rawjson.Field(arguments, field)
	if !found {
		return nil
	}
	return sent
}

func tellAnswer(call *interceptors.Call, turn uint64, took time.Duration) evidence.Call {
	return evidence.Call{
		Time: call.Arrived.Add(took), Message: evidence.AnsweredMessage, CorrelationID: call.CorrelationID,
		Principal: call.Run.Principal, Run: call.Run.ID, ID: call.ID, Tool: toolName(call), Class: evidence.ResultClass,
		Attempts: uint64(call.Trace.Attempts), Coerced: uint64(len(call.Arguments.Coercions)), Turn: turn,
		Waited: call.Trace.Waited, Took: took,
	}
}

func (r *Room) abandoned(call *interceptors.Call, err error, took time.Duration) evidence.Call {
	return evidence.Call{
		Time: call.Arrived.Add(took), Message: "tool call abandoned", CorrelationID: call.CorrelationID,
		Principal: call.Run.Principal, Run: call.Run.ID, ID: call.ID, Tool: toolName(call),
		Class: abandonedClass, Code: strings.ToLower(status.Code(err).String()),
		Attempts: uint64(call.Trace.Attempts), Waited: call.Trace.Waited, Took: took,
	}
}
