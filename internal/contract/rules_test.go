package contract

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

const (
	toolCall   = protoreflect.FullName("toolgate.v1.ToolCall")
	toolResult = protoreflect.FullName("toolgate.v1.ToolResult")
	toolError  = protoreflect.FullName("toolgate.v1.ToolError")
	errorClass = protoreflect.FullName("toolgate.v1.ErrorClass")
)

// schema is what a rule looks at: every service, message and enum of a set of
// files, nested ones included.
type schema struct {
	services []protoreflect.ServiceDescriptor
	messages []protoreflect.MessageDescriptor
	enums    []protoreflect.EnumDescriptor
}

// rule returns what breaks it, one sentence each.
type rule func(schema) []string

// rules are our own, beside buf's. The keys are what a finding starts with.
var rules = map[string]rule{
	"outcome":      outcomeIsResultOrError,
	"first field":  classIsTheFirstField,
	"four values":  classHasFourValues,
	"hidden class": noClassUnderAnotherName,
}

// outcomeIsResultOrError: a tool's failure travels in-band, in the one oneof
// that a reader can't overlook.
func outcomeIsResultOrError(s schema) (faults []string) {
	for _, service := range s.services {
		for i := range service.Methods().Len() {
			method := service.Methods().Get(i)
			if reaches(method.Input(), toolCall) && !slices.ContainsFunc(within(method.Output()), hasOutcome) {
				faults = append(faults, fmt.Sprintf("%s runs a tool and its response has no oneof of result and error", method.FullName()))
			}
		}
	}
	for _, message := range s.messages {
		for i := range message.Fields().Len() {
			field := message.Fields().Get(i)
			if carriesOutcome(field) && !hasOutcome(message) {
				faults = append(faults, fmt.Sprintf("%s stands outside of a oneof of result and error", field.FullName()))
			}
		}
	}
	return faults
}

// classIsTheFirstField: every reader finds the branch at the same place.
func classIsTheFirstField(s schema) (faults []string) {
	for _, message := range s.messages {
		if message.FullName() != toolError {
			continue
		}
		field := message.Fields().ByNumber(1)
		if field == nil || !isClass(field) {
			faults = append(faults, "field 1 of ToolError is not error_class with the JSON name class")
		}
	}
	return faults
}

// classHasFourValues: a class earns its place only if it selects another move.
func classHasFourValues(s schema) (faults []string) {
	want := []string{
		"ERROR_CLASS_UNSPECIFIED=0", "ERROR_CLASS_TRANSIENT=1", "ERROR_CLASS_INVALID_REQUEST=2", "ERROR_CLASS_TERMINAL=3",
	}
	for _, enum := range s.enums {
		if enum.FullName() != errorClass {
			continue
		}
		if got := values(enum); !slices.Equal(got, want) {
			faults = append(faults, fmt.Sprintf("ErrorClass has %v", got))
		}
	}
	return faults
}

// noClassUnderAnotherName: a second field or enum to branch on would soon say
// something else than the first.
func noClassUnderAnotherName(s schema) (faults []string) {
	for _, message := range s.messages {
		if message.ParentFile().Package() != "toolgate.v1" {
			continue // the catalogue is not read by callers
		}
		for i := range message.Fields().Len() {
			field := message.Fields().Get(i)
			if speaksOfClass(field) && !isClass(field) {
				faults = append(faults, fmt.Sprintf("%s is a class under another name or type", field.FullName()))
			}
		}
	}
	for _, enum := range s.enums {
		if enum.ParentFile().Package() == "toolgate.v1" && enum.FullName() != errorClass && looksLikeClass(enum) {
			faults = append(faults, fmt.Sprintf("%s is a second ErrorClass", enum.FullName()))
		}
	}
	return faults
}

func isClass(field protoreflect.FieldDescriptor) bool {
	return field.Name() == "error_class" && field.JSONName() == "class" && !field.IsList() &&
		field.Enum() != nil && field.Enum().FullName() == errorClass
}

func speaksOfClass(field protoreflect.FieldDescriptor) bool {
	if field.Enum() != nil && field.Enum().FullName() == errorClass {
		return true
	}
	return field.JSONName() == "class" || containsWord(string(field.Name()),
		"class", "category", "kind", "severity", "retryable", "retriable", "transient", "terminal", "permanent")
}

func looksLikeClass(enum protoreflect.EnumDescriptor) bool {
	return slices.ContainsFunc(values(enum), func(value string) bool {
		name, _, _ := strings.Cut(value, "=")
		return containsWord(strings.ToLower(name), "transient", "terminal", "permanent", "retryable") ||
			strings.HasSuffix(name, "INVALID_REQUEST")
	})
}

func containsWord(name string, words ...string) bool {
	return slices.ContainsFunc(strings.Split(name, "_"), func(part string) bool { return slices.Contains(words, part) })
}

func carriesOutcome(field protoreflect.FieldDescriptor) bool {
	return field.Message() != nil && (field.Message().FullName() == toolResult || field.Message().FullName() == toolError)
}

// hasOutcome: one oneof, two members, no third way for a call to end.
func hasOutcome(message protoreflect.MessageDescriptor) bool {
	oneof := message.Oneofs().ByName("outcome")
	if oneof == nil || oneof.Fields().Len() != 2 {
		return false
	}
	result, failure := oneof.Fields().ByName("result"), oneof.Fields().ByName("error")
	return result != nil && result.Message() != nil && result.Message().FullName() == toolResult &&
		failure != nil && failure.Message() != nil && failure.Message().FullName() == toolError
}

func reaches(from protoreflect.MessageDescriptor, name protoreflect.FullName) bool {
	return slices.ContainsFunc(within(from), func(m protoreflect.MessageDescriptor) bool { return m.FullName() == name })
}

// within lists a message and every message that its fields lead to.
func within(from protoreflect.MessageDescriptor) []protoreflect.MessageDescriptor {
	found := []protoreflect.MessageDescriptor{from}
	for i := 0; i < len(found); i++ {
		fields := found[i].Fields()
		for j := range fields.Len() {
			next := fields.Get(j).Message()
			if next != nil && !slices.ContainsFunc(found, func(m protoreflect.MessageDescriptor) bool { return m.FullName() == next.FullName() }) {
				found = append(found, next)
			}
		}
	}
	return found
}

func values(enum protoreflect.EnumDescriptor) (all []string) {
	for i := range enum.Values().Len() {
		value := enum.Values().Get(i)
		all = append(all, fmt.Sprintf("%s=%d", value.Name(), value.Number()))
	}
	return all
}
