package evidence

import (
	"encoding/json"
	"slices"
	"testing"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

func TestWhatIsExpectedIsOneWordOfAClosedList(t *testing.T) {
	for _, tc := range []struct {
		name string
		v    *toolgatev1.Violation
		sent string
		want string
	}{
		{"a date", &toolgatev1.Violation{Field: "d", Format: "YYYY-MM-DD"}, `"03/14/2026"`, "date"},
		{"a date in words", &toolgatev1.Violation{Field: "d", Format: "valid date"}, `"x"`, "date"},
		{"a date of ISO 8601", &toolgatev1.Violation{Field: "d", Format: "ISO 8601"}, `"x"`, "date"},
		{"an instant", &toolgatev1.Violation{Field: "d", Format: "RFC 3339 date-time with offset, for example 2026-03-14T09:30:00Z"}, `"x"`, "date-time"},
		{"an instant by letters", &toolgatev1.Violation{Field: "d", Format: "yyyy-MM-dd'T'HH:mm:ss"}, `"x"`, "date-time"},
		{"a time of day", &toolgatev1.Violation{Field: "d", Format: "RFC 3339 time with offset, for example 15:00:00Z"}, `"x"`, "time"},
		{"a day first", &toolgatev1.Violation{Field: "d", Format: "DD/MM/YYYY"}, `"x"`, "DD/MM/YYYY"},
		{"a duration", &toolgatev1.Violation{Field: "d", Format: "ISO 8601 duration, for example PT30M (minutes) or P30M (months)"}, `"x"`, "duration"},
		{"a whole number", &toolgatev1.Violation{Field: "n", Format: "valid integer"}, `"three"`, "integer"},
		{"a number", &toolgatev1.Violation{Field: "n", Format: "numeric"}, `"three"`, "number"},
		{"true or false", &toolgatev1.Violation{Field: "n", Format: "true or false"}, `"ja"`, "boolean"},
		{"an address", &toolgatev1.Violation{Field: "n", Format: "valid email address"}, `"x"`, "email"},
		{"a list of numbers", &toolgatev1.Violation{Field: "n", Format: "JSON array of integers"}, `1`, "array"},
		{"a pattern", &toolgatev1.Violation{Field: "n", Format: "string matching ^date-[0-9]+$"}, `"x"`, "format"},
		{"a form that nobody knows", &toolgatev1.Violation{Field: "n", Format: "AAA-999"}, `"x"`, "format"},
		{"one of a list", &toolgatev1.Violation{Field: "s", Accepted: []string{"open", "paid"}}, `"opne"`, "enum"},
		{"bounds", &toolgatev1.Violation{Field: "n", Problem: "is too large", Format: "integer", Range: "1 to 100"}, `500`, "range"},
		{"a type with bounds", &toolgatev1.Violation{Field: "n", Problem: "is a string, not a number", Format: "integer", Range: "1 to 100"}, `"many"`, "integer"},
		{"a length", &toolgatev1.Violation{Field: "n", Problem: "is too long: 300 characters", Range: "at most 200 characters"}, `"x"`, "length"},
		{"a value that is missing", &toolgatev1.Violation{Field: "action", Problem: "is required", Format: "string"}, "", "required"},
		{"a value that is missing, in a provider's words", &toolgatev1.Violation{Field: "action", Problem: "Field required"}, "", "required"},
		{"blank is not missing where something was sent", &toolgatev1.Violation{Field: "action", Problem: "can't be blank"}, `""`, ""},
		{"no such argument", &toolgatev1.Violation{Field: "x", Problem: "is no argument of this tool", Accepted: []string{"y"}}, `1`, "unknown_argument"},
		{"no such argument, in a provider's words", &toolgatev1.Violation{Field: "x", Problem: "Extra inputs are not permitted"}, `1`, "unknown_argument"},
		{"nothing said", &toolgatev1.Violation{Field: "x", Problem: "is wrong"}, `1`, ""},
		{"the call as a whole", &toolgatev1.Violation{Problem: "bad request", Accepted: []string{"a", "b"}}, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var sent []byte
			if tc.sent != "" {
				sent = []byte(tc.sent)
			}
			got := Expected(tc.v, sent)
			if got != tc.want || !slices.Contains(Labels(), got) {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestTheSchemaOfAFormIsASchema(t *testing.T) {
	for _, label := range Labels() {
		text, found := SchemaOf(label)
		if !found {
			continue
		}
		var schema map[string]any
		if err := json.Unmarshal([]byte(text), &schema); err != nil || schema["type"] == nil {
			t.Errorf("%s: %s: %v", label, text, err)
		}
	}
}

// Whatever an upstream writes, the label is of the list: it stands in logs and
// metrics.
func FuzzExpected(f *testing.F) {
	f.Add("start_date", "is required", "YYYY-MM-DD", "1 to 3", "open", []byte(`"x"`))
	f.Add("a", "Extra fields not permitted", "e.164", "at most 3 items", "", []byte(nil))
	labels := Labels()
	f.Fuzz(func(t *testing.T, field, problem, format, span, accepted string, sent []byte) {
		v := &toolgatev1.Violation{Field: field, Problem: problem, Format: format, Range: span}
		if accepted != "" {
			v.Accepted = []string{accepted}
		}
		if got := Expected(v, sent); !slices.Contains(labels, got) {
			t.Errorf("%q is no label", got)
		}
	})
}
