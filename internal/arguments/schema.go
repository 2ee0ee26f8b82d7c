package arguments

import (
	"unsafe"

	"toolgate.dev/toolgate/interceptors"
)

// Schema judges the arguments of one tool. It is compiled once, never changes,
// and is safe for concurrent use.
type Schema struct {
	tool    string
	root    *schema
	index   map[string]*schema // by location
	kinds   map[*schema]kinds
	rules   map[*schema]*rule
	walk    *rule
	example string // a valid call, or empty
}

var _ interceptors.Schema = (*Schema)(nil)

// Compile compiles a tool's JSON Schema. It fails where the text is not JSON, is
// not a schema, points outside of itself, or accepts no object at all; the error
// is a *SchemaError, which says where.
func Compile(tool string, schemaJSON []byte) (*Schema, error) {
	doc, err := readSchema(string(schemaJSON))
	if err != nil {
		return nil, err
	}
	root, err := judge(doc)
	if err != nil {
		return nil, err
	}
	s := assemble(tool, root)
	if s.kinds[root]&isObject == 0 {
		return nil, &SchemaError{message: "at its root: arguments are always an object, and it accepts " + kindWords(s.kinds[root])}
	}
	s.example = exampleCall(root, doc)
	return s, nil
}

// Unchecked judges the arguments of a tool without a schema, or with one that
// does not compile: any object is valid.
func Unchecked(tool string) *Schema {
	anything := true
	return assemble(tool, &schema{Bool: &anything})
}

func assemble(tool string, root *schema) *Schema {
	s := &Schema{tool: tool, root: root, index: map[string]*schema{}, kinds: map[*schema]kinds{}}
	s.collect(root)
	walks := newWalkCompiler(s.kinds)
	for part := range s.kinds {
		walks.rule(part)
	}
	s.rules, s.walk = walks.made, walks.rule(root)
	return s
}

// collect finds every schema that can be reached.
func (s *Schema) collect(from *schema) {
	if _, known := s.kinds[from]; known {
		return
	}
	s.kinds[from] = admitted(from, nil)
	s.index[from.Location] = from
	for _, part := range append(applicators(from), inside(from)...) {
		s.collect(part)
	}
}

// Check judges the text of a call's arguments, as described at the package. An
// empty text is {}.
func (s *Schema) Check(text string) interceptors.Checked {
	if checked, certain := s.certainly(text); certain {
		return checked
	}
	found := s.examine(text)
	if len(found.faults) > 0 {
		return interceptors.Checked{Fault: found.toolError(s)}
	}
	return interceptors.Checked{JSON: []byte(found.root.render()), Keyer: s, Coercions: found.coercions()}
}

// MakeKey implements interceptors.Keyer.
func (s *Schema) MakeKey(argumentsJSON []byte) interceptors.Key {
	key, _ := KeyOf(s.tool, argumentsJSON) // it was read before
	return key
}

// certainly is the way of nearly every call: one look at the text, no tree. What
// that leaves open is brought into its canonical form and walked again.
func (s *Schema) certainly(text string) (interceptors.Checked, bool) {
	json := readOnly(text)
	if obvious(s.walk, json) {
		return interceptors.Checked{JSON: json, Keyer: s}, true
	}
	c := borrow(nil, text)
	defer c.release()
	if c.document() != nil || c.duplicate || c.out[0] != '{' || !certain(s.walk, c.out) {
		return interceptors.Checked{}, false
	}
	if len(c.out) == len("{}") && isBlank(text) {
		json = []byte("{}")
	}
	return interceptors.Checked{JSON: json, Keyer: s}, true
}

func isBlank(text string) bool {
	for i := range len(text) {
		if text[i] == '{' {
			return false
		}
	}
	return true
}

// readOnly is a text as bytes, without a copy: of large arguments that would be
// all that is allocated. Nobody writes to what is sent.
func readOnly(text string) []byte {
	return unsafe.Slice(unsafe.StringData(text), len(text)) //nolint:gosec // see above
}
