package expression

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	"toolgate.dev/toolgate/internal/rawjson"
)

const (
	maxNameBytes    = 64
	maxMessageBytes = 512
)

// checkRule finds what can't be right whatever the tool is.
func checkRule(written *catalogv1.ErrorRule, path string, faults *collector) {
	if written.GetClass() == catalogv1.Class_CLASS_UNSPECIFIED {
		faults.add(path+".class", "a rule needs a class", "transient, invalid_request, terminal")
	}
	if written.GetRetryAfter() != "" && written.GetClass() != catalogv1.Class_CLASS_TRANSIENT {
		faults.add(path+".retry_after", "only a transient failure can be waited out", "class: transient, or no retry_after")
	}
	if written.GetUnblockWith() != "" && written.GetBlockedBy() == "" {
		faults.add(path+".unblock_with", "unblock_with needs the condition that it changes", "blocked_by beside it")
	}
	if !rawjson.ValidPointer(written.GetAlternatives()) {
		faults.add(path+".alternatives", quoted(written.GetAlternatives())+" is no JSON Pointer", "/name (RFC 6901)")
	}
	checkRange(written, path, faults)
	checkSizes(written, path, faults)
}

func checkRange(written *catalogv1.ErrorRule, path string, faults *collector) {
	names, ok := rangeNames(written.GetRange())
	if !ok {
		faults.add(path+".range", "a brace is not closed", "{name} of a fact")
	}
	for _, name := range names {
		if _, known := written.GetFacts()[name]; !known {
			faults.add(path+".range", "no fact is named "+quoted(name), factNames(written.GetFacts()))
		}
	}
}

func factNames(facts map[string]string) string {
	if len(facts) == 0 {
		return "a name under facts"
	}
	return strings.Join(slices.Sorted(maps.Keys(facts)), ", ")
}

func checkSizes(written *catalogv1.ErrorRule, path string, faults *collector) {
	for _, text := range []struct {
		field, value string
		limit        int
	}{
		{"code", written.GetCode(), maxNameBytes},
		{"field", written.GetField(), maxNameBytes},
		{"blocked_by", written.GetBlockedBy(), maxNameBytes},
		{"message", written.GetMessage(), maxMessageBytes},
	} {
		if len(text.value) > text.limit {
			faults.add(path+"."+text.field, fmt.Sprintf("%d bytes are too long", len(text.value)), fmt.Sprintf("at most %d", text.limit))
		}
	}
}
