package observation

import (
	"encoding/json"
	"strings"

	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/internal/rawjson"
)

// The bounds of lists and their items, in bytes unless said otherwise.
const (
	maxAlternatives = 3 // items
	maxTool         = 128
	maxArguments    = 512
	maxLabel        = 80

	maxViolations      = 8 // items
	maxViolationsBytes = 1 << 10
	maxField           = 64
	maxValue           = 256
	maxProblem         = 160
	maxAccepted        = 20 // items
	maxAcceptedBytes   = 256
	maxExpectation     = 96 // format, range
)

// boundAlternatives keeps whole alternatives: one whose arguments are too large
// loses them, and goes where nothing is left to call.
func boundAlternatives(tool string, e *toolgatev1.ToolError) {
	var kept []*toolgatev1.Alternative
	for _, a := range e.GetAlternatives() {
		a = boundAlternative(tool, a)
		switch {
		case a == nil, holdsAlternative(kept, a):
		case len(kept) == maxAlternatives:
			e.AlternativesTruncated = true
		default:
			kept = append(kept, a)
		}
	}
	e.Alternatives = kept
}

func boundAlternative(tool string, a *toolgatev1.Alternative) *toolgatev1.Alternative {
	bounded := &toolgatev1.Alternative{
		Tool:          whole(tidy(a.GetTool(), 0), maxTool),
		ArgumentsJson: whole(object(a.GetArgumentsJson()), maxArguments),
		Label:         tidy(a.GetLabel(), maxLabel),
	}
	if a.GetTool() == "" {
		bounded.Tool = tool
	}
	if bounded.Tool == "" || (bounded.Tool == tool && bounded.ArgumentsJson == "") {
		return nil
	}
	return bounded
}

func holdsAlternative(list []*toolgatev1.Alternative, a *toolgatev1.Alternative) bool {
	for _, b := range list {
		if a.Tool == b.Tool && a.ArgumentsJson == b.ArgumentsJson {
			return true
		}
	}
	return false
}

func boundViolations(e *toolgatev1.ToolError) {
	var kept []*toolgatev1.Violation
	left := maxViolationsBytes
	for _, v := range e.GetViolations() {
		if v == nil {
			continue
		}
		v = boundViolation(v)
		left -= proto.Size(v) + 3 // tag and length
		if len(kept) == maxViolations || left < 0 {
			e.ViolationsTruncated = true
			break
		}
		kept = append(kept, v)
	}
	e.Violations = kept
}

func boundViolation(v *toolgatev1.Violation) *toolgatev1.Violation {
	bounded := &toolgatev1.Violation{
		Field:             cutPath(tidy(v.GetField(), 0), maxField),
		ValueJson:         whole(compactJSON(v.GetValueJson()), maxValue),
		Problem:           tidy(v.GetProblem(), maxProblem),
		Format:            tidy(v.GetFormat(), maxExpectation),
		Range:             tidy(v.GetRange(), maxExpectation),
		AcceptedTruncated: v.GetAcceptedTruncated(),
	}
	left := maxAcceptedBytes
	for _, item := range v.GetAccepted() {
		item = tidy(item, 0)
		if item == "" {
			continue
		}
		left -= len(item)
		if len(bounded.Accepted) == maxAccepted || left < 0 {
			bounded.AcceptedTruncated = true
			break
		}
		bounded.Accepted = append(bounded.Accepted, item)
	}
	return bounded
}

// cutPath shortens a path to the enclosing value that it can still name.
func cutPath(path string, max int) string {
	if len(path) <= max {
		return path
	}
	if end := strings.LastIndexAny(path[:max+1], ".["); end > 0 {
		return strings.TrimRight(path[:end], " ")
	}
	return cut(path, max)
}

// compactJSON returns JSON text without white space, or nothing where it is not
// JSON. Digits and key order stay.
func compactJSON(raw string) string {
	if raw == "" {
		return ""
	}
	text := []byte(printable(raw))
	if !json.Valid(text) {
		return ""
	}
	return string(rawjson.AppendCompact(nil, rawjson.Trim(text)))
}

// object is compactJSON for text that must be a JSON object with members.
func object(raw string) string {
	text := compactJSON(raw)
	if len(text) < 3 || text[0] != '{' {
		return ""
	}
	return text
}

// fitObject bounds a JSON object between members: a member that does not fit
// goes, whole.
func fitObject(raw string, max int) string {
	text := object(raw)
	if len(text) <= max {
		return text
	}
	fitted := []byte{'{'}
	for m := range rawjson.Members([]byte(text)) {
		if longer := appendRaw(fitted, text[m.Start:m.End]); len(longer)+1 <= max {
			fitted = longer
		}
	}
	if len(fitted) == 1 {
		return ""
	}
	return string(append(fitted, '}'))
}

// appendRaw adds a member as it is written.
func appendRaw(object []byte, member string) []byte {
	if len(object) > 1 {
		object = append(object, ',')
	}
	return append(object, member...)
}
