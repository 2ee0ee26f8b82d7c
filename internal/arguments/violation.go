package arguments

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/redact"
)

// The bounds of the contract, in bytes unless said otherwise.
const (
	maxViolations      = 8 // violations
	maxViolationsBytes = 1 << 10
	maxProblem         = 160
	maxAccepted        = 20 // items
	maxAcceptedBytes   = 256
	maxForm            = 96 // format, span
	maxMessage         = 512
	maxNote            = 160
)

// toolError makes the complete INVALID_REQUEST of a finding.
func (f finding) toolError(s *Schema) *toolgatev1.ToolError {
	e := &toolgatev1.ToolError{
		ErrorClass: interceptors.InvalidRequest, Code: interceptors.CodeInvalidArguments,
		Message:      shorten(f.summary(), maxMessage),
		ClassifiedBy: toolgatev1.ClassifiedBy_CLASSIFIED_BY_GATEWAY,
	}
	if f.syntax {
		e.Code = interceptors.CodeMalformedJSON
	}
	e.Violations, e.ViolationsTruncated = f.violations()
	if note := "for example " + s.example; s.example != "" && len(note) <= maxNote {
		e.Note = note
	}
	return e
}

func (f finding) summary() string {
	shown := f.shown(maxViolations)
	if len(f.faults) == 1 {
		return subject(fieldOf(f.root, shown[0].path)) + " " + shown[0].problem
	}
	var fields []string
	for _, fault := range shown {
		fields = append(fields, subject(fieldOf(f.root, fault.path)))
	}
	return fmt.Sprintf("%d arguments are wrong: %s", len(f.faults), strings.Join(fields, ", "))
}

func subject(field string) string {
	if field == "" {
		return "the call"
	}
	return field
}

// detail is how much a violation says.
type detail struct {
	accepted int // items
	value    int // bytes
}

// details are tried in turn until all violations fit.
var details = []detail{{maxAccepted, maxAcceptedBytes}, {8, 64}, {3, 0}}

// violations makes as many as fit, with as much detail as leaves room for all.
func (f finding) violations() ([]*toolgatev1.Violation, bool) {
	var made []*toolgatev1.Violation
	shown := f.shown(maxViolations)
	for _, d := range details {
		made = nil
		left := maxViolationsBytes
		for _, fault := range shown {
			v := fault.violation(f.root, d)
			if left -= proto.Size(v) + 3; left < 0 { // 3: tag and length
				break
			}
			made = append(made, v)
		}
		if len(made) == len(shown) {
			break
		}
	}
	return made, len(made) < len(f.faults)
}

func (f *fault) violation(root *node, d detail) *toolgatev1.Violation {
	v := &toolgatev1.Violation{
		Field: fieldOf(root, f.path), Problem: shorten(f.problem, maxProblem),
		Format: shorten(f.format, maxForm), Range: shorten(f.span, maxForm),
	}
	if f.value != nil {
		v.ValueJson = echo(f.path, f.value.received(), d.value)
	}
	size := 0
	for _, item := range f.accepted {
		if size += len(item); len(v.Accepted) == d.accepted || size > maxAcceptedBytes {
			v.AcceptedTruncated = true
			break
		}
		v.Accepted = append(v.Accepted, item)
	}
	return v
}

// echo shows a value again: redacted JSON text of at most limit bytes, nothing
// of a secret, nothing in part.
func echo(path []string, n *node, limit int) string {
	if secret(path) || holdsSecret(n) {
		return ""
	}
	shown := redact.Value(nearestName(path), []byte(n.render()))
	if len(shown) > limit {
		return ""
	}
	return shown
}

// secret reports whether anything on the way to a value is named like a secret.
func secret(path []string) bool {
	return slices.ContainsFunc(path, redact.SecretName)
}

// holdsSecret looks into a value, and into the JSON that a string holds.
func holdsSecret(n *node) bool {
	for _, m := range n.members {
		if redact.SecretName(m.name) || holdsSecret(m.value) {
			return true
		}
	}
	if slices.ContainsFunc(n.items, holdsSecret) {
		return true
	}
	inner := encoded(strings.Trim(n.text, asciiSpace), isArray|isObject)
	return inner != nil && holdsSecret(inner)
}

func nearestName(path []string) string {
	for _, step := range slices.Backward(path) {
		if _, isIndex := index(step); !isIndex {
			return step
		}
	}
	return ""
}

func index(step string) (int, bool) {
	n := number([]byte(step))
	return n, step != "" && n >= 0
}

// coercions are the changes as the contract shows them.
func (f finding) coercions() (all []*toolgatev1.Coercion) {
	f.root.eachChange(nil, func(path []string, c *change, now *node) {
		made := &toolgatev1.Coercion{Field: fieldOf(f.root, path), Rule: c.rule}
		if was := tree(c.was); (now == nil || !holdsSecret(now)) && !secret(path) {
			made.FromJson = echo(path, was, maxAcceptedBytes)
		}
		if now != nil {
			made.ToJson = echo(path, now, maxAcceptedBytes)
		}
		all = append(all, made)
	})
	return all
}

// shorten cuts text to at most limit bytes, between characters.
func shorten(text string, limit int) string {
	const mark = "…"
	if len(text) <= limit {
		return text
	}
	end := limit - len(mark)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + mark
}
