package runner

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	conformancev1 "toolgate.dev/toolgate/gen/go/toolgate/conformance/v1"
	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// faultsOf tells how a response differs from what a step expects.
func faultsOf(step *conformancev1.Step, got *conformancev1.ExecuteResponse) (faults []string) {
	if broken := got.GetBroken(); broken != "" {
		return []string{"the executor: " + broken}
	}
	if len(got.GetOutcomes()) != len(step.GetOutcomes()) {
		return []string{fmt.Sprintf("%d outcomes, want %d: %s", len(got.GetOutcomes()), len(step.GetOutcomes()), brief(got))}
	}
	for i, want := range step.GetOutcomes() {
		for _, fault := range outcomeFaults(want, got.GetOutcomes()[i]) {
			faults = append(faults, fmt.Sprintf("outcome %d: %s", i, fault))
		}
	}
	if step.GetCalls() != got.GetCalls() {
		faults = append(faults, fmt.Sprintf("the run counts %d calls, want %d", got.GetCalls(), step.GetCalls()))
	}
	return append(faults, shapeFaults(step.GetShapes(), got.GetShapes())...)
}

func outcomeFaults(want *conformancev1.Expected, got *conformancev1.Outcome) (faults []string) {
	if want.GetIndex() != got.GetIndex() && !want.GetAnyIndex() {
		faults = append(faults, fmt.Sprintf("of call %d, want call %d", got.GetIndex(), want.GetIndex()))
	}
	switch {
	case want.GetResult() != nil && got.GetResult() != nil:
		faults = append(faults, differ(want.GetResult(), got.GetResult().GetMessage())...)
		if text := got.GetResult().GetText(); want.GetText() != "" && text != want.GetText() {
			faults = append(faults, fmt.Sprintf("text: %s, want %s", text, want.GetText()))
		}
	case want.GetError() != nil && got.GetFailed() != nil:
		faults = append(faults, errorFaults(want, got.GetFailed())...)
	case want.GetRpc() != nil && got.GetRpc() != nil:
		faults = append(faults, differ(want.GetRpc(), got.GetRpc())...)
	default:
		return append(faults, "it is of another kind: "+brief(got))
	}
	return append(faults, progressFaults(want.GetProgress(), got.GetProgress())...)
}

// errorFaults compares the message, then what the native error made of it.
func errorFaults(want *conformancev1.Expected, got *conformancev1.Failed) []string {
	wanted, message := proto.CloneOf(want.GetError()), proto.CloneOf(got.GetError())
	if message == nil {
		return []string{"without its message"}
	}
	native := nativeFaults(want, got)
	if wanted.GetCorrelationId() == "" {
		message.CorrelationId = ""
	}
	if want.RetryAfterFrom != nil {
		if s := message.GetRetryAfter(); s < want.GetRetryAfterFrom() || s > wanted.GetRetryAfter() {
			native = append(native, fmt.Sprintf("retry_after: %v, want %v to %v", s, want.GetRetryAfterFrom(), wanted.GetRetryAfter()))
		}
		message.RetryAfter = wanted.RetryAfter
		wanted.Observation, message.Observation = untimed(wanted.GetObservation()), untimed(message.GetObservation())
	}
	return append(differ(wanted, message), native...)
}

var timed = regexp.MustCompile(`"retry_after":[0-9.]+`)

// untimed leaves out the one number of an observation that a clock decides.
func untimed(observation string) string {
	return timed.ReplaceAllString(observation, `"retry_after":*`)
}

// longest is the number of seconds beyond which clocks of languages may end.
const longest = 1e9

// nativeFaults hold the members of the native error against the message.
func nativeFaults(want *conformancev1.Expected, got *conformancev1.Failed) []string {
	message := got.GetError()
	class := want.GetNativeClass()
	if class == toolgatev1.ErrorClass_ERROR_CLASS_UNSPECIFIED {
		class = want.GetError().GetErrorClass()
	}
	native := &conformancev1.Failed{
		ErrorClass: nameOf(class), Code: message.GetCode(), Message: message.GetMessage(),
		Exhausted: message.GetExhausted(), Violations: message.GetViolations(), Alternatives: message.GetAlternatives(),
		BlockedBy: message.GetBlockedBy(), UnblockWith: message.GetUnblockWith(), Observation: message.GetObservation(),
		RetryAfter: got.RetryAfter, Error: message,
	}
	var faults []string
	seconds := math.Min(message.GetRetryAfter(), longest)
	if math.Abs(seconds-math.Min(got.GetRetryAfter(), longest)) > 0.001 {
		faults = append(faults, fmt.Sprintf("native retry_after: %v, want %v", got.GetRetryAfter(), seconds))
	}
	for _, fault := range differ(native, got) {
		faults = append(faults, "native "+fault)
	}
	return faults
}

// nameOf is how SDKs name a class. What nobody knows is terminal.
func nameOf(class toolgatev1.ErrorClass) string {
	switch class {
	case toolgatev1.ErrorClass_ERROR_CLASS_TRANSIENT:
		return "transient"
	case toolgatev1.ErrorClass_ERROR_CLASS_INVALID_REQUEST:
		return "invalid_request"
	}
	return "terminal"
}

// differ names each field in which two messages of a type differ.
func differ(want, got proto.Message) (faults []string) {
	if proto.Equal(want, got) {
		return nil
	}
	wanted, found := want.ProtoReflect(), got.ProtoReflect()
	fields := wanted.Descriptor().Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		if wanted.Has(field) != found.Has(field) || !wanted.Get(field).Equal(found.Get(field)) {
			faults = append(faults, fmt.Sprintf("%s: %s, want %s", field.Name(), one(found, field), one(wanted, field)))
		}
	}
	if !bytes.Equal(wanted.GetUnknown(), found.GetUnknown()) && len(wanted.GetUnknown()) > 0 {
		faults = append(faults, "its unknown fields")
	}
	return faults
}

// one is a message's field as text.
func one(message protoreflect.Message, field protoreflect.FieldDescriptor) string {
	if !message.Has(field) {
		return "nothing"
	}
	if field.Kind() == protoreflect.StringKind && !field.IsList() && !field.IsMap() {
		return message.Get(field).String()
	}
	alone := message.New()
	alone.Set(field, message.Get(field))
	return brief(alone.Interface())
}

func brief(message proto.Message) string {
	text, err := protojson.Marshal(message)
	if err != nil {
		return err.Error()
	}
	var compact bytes.Buffer
	if json.Compact(&compact, text) != nil {
		return string(text)
	}
	return compact.String()
}

// progressFaults look for what must have been heard, in its order.
func progressFaults(want, got []*toolgatev1.CallProgress) []string {
	rest := got
	for _, wanted := range want {
		for len(rest) > 0 && !sameProgress(wanted, rest[0]) {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			var heard []string
			for _, progress := range got {
				heard = append(heard, brief(progress))
			}
			return []string{fmt.Sprintf("progress %s was not heard in its place: [%s]", brief(wanted), strings.Join(heard, " "))}
		}
		rest = rest[1:]
	}
	return nil
}

// sameProgress leaves the wait out where none is wanted: it is jittered.
func sameProgress(want, got *toolgatev1.CallProgress) bool {
	if want.GetWait() != 0 {
		return proto.Equal(want, got)
	}
	got = proto.CloneOf(got)
	got.Wait = 0
	return proto.Equal(want, got)
}

func shapeFaults(want, got []*conformancev1.Shape) (faults []string) {
	found := map[string]string{}
	for _, shape := range got {
		found[shape.GetName()] = shape.GetJson()
	}
	for _, shape := range want {
		var wanted, had any
		if json.Unmarshal([]byte(shape.GetJson()), &wanted) != nil {
			return []string{"the vector's " + shape.GetName() + " is not JSON"}
		}
		if json.Unmarshal([]byte(found[shape.GetName()]), &had) != nil || !reflect.DeepEqual(wanted, had) {
			faults = append(faults, fmt.Sprintf("%s: %s, want %s", shape.GetName(), found[shape.GetName()], shape.GetJson()))
		}
	}
	return faults
}
