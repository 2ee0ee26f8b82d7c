package observation

import (
	"google.golang.org/protobuf/proto"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/internal/redact"
)

// Scrubber removes the gateway's own secret values from what leaves. It is the
// last line: diagnosis has redacted errors by then, and results are nobody
// else's to redact. Safe for concurrent use.
type Scrubber struct {
	redactor *redact.Redactor
}

// NewScrubber makes a Scrubber for the values that the gateway sends to one
// upstream. None: nothing is scrubbed.
func NewScrubber(secrets []string) *Scrubber {
	return &Scrubber{redactor: redact.New(secrets)}
}

// Error scrubs every text of an error, in place.
func (s *Scrubber) Error(e *toolgatev1.ToolError) {
	for _, text := range []*string{
		&e.Code, &e.Message, &e.BlockedBy, &e.UnblockWith, &e.Note, &e.CorrelationId,
	} {
		*text = s.redactor.Secrets(*text)
	}
	for _, text := range []*string{&e.RequestedJson, &e.FactsJson} {
		*text = s.redactor.JSON(*text)
	}
	for _, a := range e.GetAlternatives() {
		a.ArgumentsJson, a.Label = s.redactor.JSON(a.GetArgumentsJson()), s.redactor.Secrets(a.GetLabel())
	}
	for _, v := range e.GetViolations() {
		s.violation(v)
	}
}

func (s *Scrubber) violation(v *toolgatev1.Violation) {
	for _, text := range []*string{&v.Field, &v.Problem, &v.Format, &v.Range} {
		*text = s.redactor.Secrets(*text)
	}
	v.ValueJson = s.redactor.JSON(v.GetValueJson())
	for i, item := range v.GetAccepted() {
		v.Accepted[i] = s.redactor.Secrets(item)
	}
}

// Result returns the result without the values: the same message where it holds
// none, which is nearly always.
func (s *Scrubber) Result(r *toolgatev1.ToolResult) *toolgatev1.ToolResult {
	if !s.touches(r) {
		return r
	}
	clean := proto.CloneOf(r)
	clean.StructuredJson = s.redactor.JSON(r.GetStructuredJson())
	for _, block := range clean.GetContent() {
		s.block(block)
	}
	for _, c := range clean.GetCoercions() {
		c.FromJson, c.ToJson = s.redactor.JSON(c.GetFromJson()), s.redactor.JSON(c.GetToJson())
	}
	return clean
}

func (s *Scrubber) block(block *toolgatev1.ContentBlock) {
	if text := block.GetText(); text != nil {
		text.Text = s.redactor.Secrets(text.GetText())
	}
	if resource := block.GetResource(); resource != nil {
		resource.Uri, resource.Text = s.redactor.Secrets(resource.GetUri()), s.redactor.Secrets(resource.GetText())
	}
}

func (s *Scrubber) touches(r *toolgatev1.ToolResult) bool {
	if s.holds(r.GetStructuredJson()) {
		return true
	}
	for _, block := range r.GetContent() {
		if s.holds(block.GetText().GetText()) || s.holds(block.GetResource().GetUri()) || s.holds(block.GetResource().GetText()) {
			return true
		}
	}
	for _, c := range r.GetCoercions() {
		if s.holds(c.GetFromJson()) || s.holds(c.GetToJson()) {
			return true
		}
	}
	return false
}

func (s *Scrubber) holds(text string) bool { return s.redactor.Secrets(text) != text }
