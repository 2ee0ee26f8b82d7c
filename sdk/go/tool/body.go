package tool

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Bounds of the contract, in bytes and items. The gateway cuts what is larger; a
// tool does not send it.
const (
	maxCode          = 64
	maxMessage       = 512
	maxProblem       = 160
	maxFormat        = 96
	maxTool          = 128
	maxLabel         = 80
	maxObject        = 512
	maxViolations    = 8
	maxAccepted      = 20
	maxAcceptedBytes = 256
	maxAlternatives  = 3
)

// body is a failure as JSON, in the order in which it is read.
type body struct {
	Error                 string          `json:"error"`
	Class                 Class           `json:"class"`
	Retryable             bool            `json:"retryable"`
	Message               string          `json:"message"`
	RetryAfter            *float64        `json:"retry_after,omitempty"`
	Violations            []violation     `json:"violations,omitempty"`
	ViolationsTruncated   bool            `json:"violations_truncated,omitempty"`
	Requested             json.RawMessage `json:"requested,omitempty"`
	Facts                 json.RawMessage `json:"facts,omitempty"`
	Alternatives          []Alternative   `json:"alternatives,omitempty"`
	AlternativesTruncated bool            `json:"alternatives_truncated,omitempty"`
	BlockedBy             string          `json:"blocked_by,omitempty"`
	UnblockWith           string          `json:"unblock_with,omitempty"`
	MaybeExecuted         bool            `json:"maybe_executed,omitempty"`
	Partial               bool            `json:"partial,omitempty"`
}

// violation is a Violation within the bounds.
type violation struct {
	Violation

	AcceptedTruncated bool `json:"accepted_truncated,omitempty"`
}

// bounded is what is sent of a failure.
func (f *Failure) bounded() body {
	b := body{
		Error: cut(f.code, maxCode), Class: f.class, Retryable: f.class == transient, Message: cut(f.message, maxMessage),
		ViolationsTruncated: len(f.violations) > maxViolations, Requested: f.requested, Facts: f.facts,
		BlockedBy: cut(f.blockedBy, maxCode), MaybeExecuted: f.maybeExecuted, Partial: f.partial,
	}
	if b.BlockedBy != "" && len(f.unblockWith) <= maxCode { // a name that is cut is another tool's
		b.UnblockWith = cut(f.unblockWith, maxCode)
	}
	if f.class == transient {
		seconds := f.seconds()
		b.RetryAfter = &seconds
	}
	for _, v := range f.violations[:min(len(f.violations), maxViolations)] {
		if v.Problem == "" {
			v.Problem = f.message
		}
		v.Field, v.Problem = cut(v.Field, maxCode), cut(v.Problem, maxProblem)
		v.Format, v.Range = cut(v.Format, maxFormat), cut(v.Range, maxFormat)
		all := len(v.Accepted)
		v.Accepted = some(v.Accepted)
		b.Violations = append(b.Violations, violation{v, len(v.Accepted) < all})
	}
	for _, alternative := range f.alternatives {
		arguments, err := encode(alternative.Arguments)
		if err != nil || len(arguments) > maxObject || len(alternative.Tool) > maxTool {
			continue // cut, it would be another call
		}
		if b.AlternativesTruncated = len(b.Alternatives) == maxAlternatives; b.AlternativesTruncated {
			break
		}
		alternative.Tool, alternative.Label = cut(alternative.Tool, maxTool), cut(alternative.Label, maxLabel)
		b.Alternatives = append(b.Alternatives, alternative)
	}
	return b
}

// MarshalJSON is the canonical body.
func (f *Failure) MarshalJSON() ([]byte, error) { return encode(f.bounded()) }

// encode writes JSON as people and models read it: `<` is no entity.
func encode(value any) (json.RawMessage, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}

// object is a part of a failure as JSON; nil where there is none, where it has no
// JSON, or is too large: cut, it would be another.
func object(members map[string]any) json.RawMessage {
	text, err := encode(members)
	if err != nil || len(members) == 0 || len(text) > maxObject {
		return nil
	}
	return text
}

// some are the accepted values that fit, the nearest.
func some(accepted []string) []string {
	var fit []string
	size := 0
	for _, value := range accepted {
		value = strings.ToValidUTF8(value, "\uFFFD")
		if size += len(value); len(fit) == maxAccepted || size > maxAcceptedBytes {
			break
		}
		fit = append(fit, value)
	}
	return fit
}

// cut ends a text at a character.
func cut(text string, limit int) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) <= limit {
		return text
	}
	end := limit
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}
