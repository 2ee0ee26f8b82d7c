package server

import (
	"strings"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/internal/arguments"
	"toolgate.dev/toolgate/internal/evidence"
)

// cures judge what a better schema would have made of a value. They are made
// once, of a closed list of forms.
type cures map[string]*arguments.Schema

func newCures() (cures, error) {
	made := cures{}
	for _, expected := range evidence.Labels() {
		form, found := evidence.SchemaOf(expected)
		if !found {
			continue
		}
		schema, err := arguments.Compile("", []byte(`{"type":"object","properties":{"value":`+form+`}}`))
		if err != nil {
			return nil, err
		}
		made[expected] = schema
	}
	return made, nil
}

// cure is observe's: what would have become of the value that was sent, had the
// tool's schema said what is expected there.
func (c cures) cure(expected string, violation *toolgatev1.Violation, sent []byte) evidence.Cure {
	if expected == evidence.ExpectedEnum {
		return cureOfList(violation.GetAccepted(), sent)
	}
	schema := c[expected]
	if schema == nil {
		return evidence.CureUnknown
	}
	checked := schema.Check(`{"value":` + string(sent) + `}`)
	switch {
	case checked.Fault != nil:
		return evidence.CureRefused
	case len(checked.Coercions) > 0:
		return evidence.CureCoerced
	}
	return evidence.CureNone
}

// cureOfList compares as coercion does: without regard to case and space around.
func cureOfList(accepted []string, sent []byte) evidence.Cure {
	text := strings.Trim(string(sent), `"`)
	for _, value := range accepted {
		switch {
		case value == text:
			return evidence.CureNone
		case strings.EqualFold(value, strings.TrimSpace(text)):
			return evidence.CureCoerced
		}
	}
	return evidence.CureRefused
}
