package arguments

import (
	"encoding/json"
	"strings"
)

// maxExplained is how many faults are explained.
const maxExplained = 100

// Explanation tells what would be done with a call's arguments, for people at
// work on a schema. Unlike an error of the gateway it is neither bounded nor
// redacted.
type Explanation struct {
	Outcome   string          `json:"outcome"`             // pass, coerce or reject
	Arguments json.RawMessage `json:"arguments,omitempty"` // as they would be sent; none on reject
	Changed   []Change        `json:"changed"`
	Errors    []Problem       `json:"errors"`
}

// Change is one coercion. From and To are JSON text, digits as they came; To is
// empty where a member is removed.
type Change struct {
	Field string          `json:"field"` // JSON pointer
	From  json.RawMessage `json:"from"`
	To    json.RawMessage `json:"to,omitempty"`
	Rule  string          `json:"rule"`
}

// Problem is one fault that no coercion can mend.
type Problem struct {
	Field    string `json:"field"`              // JSON pointer
	Problem  string `json:"problem"`            // its kind in one word
	Message  string `json:"message"`            // what is wrong, said of the field
	Accepted string `json:"accepted,omitempty"` // what would be accepted
	Suggest  string `json:"suggest,omitempty"`  // the name that was probably meant
}

// Explain compiles a schema and explains one text, the JSON text of a call's
// arguments. It fails where the schema does not compile.
func Explain(schemaJSON []byte, text string) (Explanation, error) {
	s, err := Compile("", schemaJSON)
	if err != nil {
		return Explanation{}, err
	}
	return s.Explain(text), nil
}

// Explain is Check for people.
func (s *Schema) Explain(text string) Explanation {
	explained := Explanation{Outcome: "pass", Changed: []Change{}, Errors: []Problem{}}
	if checked, certain := s.certainly(text); certain && strings.TrimLeft(text, " \t\r\n") != "" {
		explained.Arguments = checked.JSON
		return explained
	}
	found := s.examine(text)
	if len(found.faults) > 0 {
		explained.Outcome = "reject"
		for _, f := range found.shown(maxExplained) {
			explained.Errors = append(explained.Errors, f.problemFor())
		}
		return explained
	}
	explained.Arguments = json.RawMessage(found.root.render())
	found.root.eachChange(nil, func(path []string, c *change, now *node) {
		made := Change{Field: pointer(path), From: json.RawMessage(c.was), Rule: c.rule}
		if now != nil {
			made.To = json.RawMessage(now.render())
		}
		explained.Changed = append(explained.Changed, made)
	})
	if strings.TrimLeft(text, " \t\r\n") == "" {
		explained.Changed = append(explained.Changed, Change{
			From: json.RawMessage(`""`), To: json.RawMessage("{}"), Rule: "empty_arguments_to_object",
		})
	}
	if len(explained.Changed) > 0 {
		explained.Outcome = "coerce"
	}
	return explained
}

func (f *fault) problemFor() Problem {
	p := Problem{Field: pointer(f.path), Problem: f.kind, Message: f.problem, Suggest: f.suggestion}
	var parts []string
	if len(f.accepted) > 0 {
		list := "one of: "
		if f.kind == "additional" {
			list = "accepted names: "
		}
		parts = append(parts, list+strings.Join(f.accepted, ", "))
	}
	for _, part := range []string{f.format, f.span} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	p.Accepted = strings.Join(parts, ", ")
	return p
}
