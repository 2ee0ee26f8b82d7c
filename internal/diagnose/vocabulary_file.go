package diagnose

import (
	"fmt"
	"reflect"

	"go.yaml.in/yaml/v3"
)

// The YAML of a vocabulary; docs/vocabularies.md describes it.
type vocabularyFile struct {
	Provider string             `yaml:"provider"`
	Also     []string           `yaml:"also"`
	Docs     string             `yaml:"docs"`
	Extends  string             `yaml:"extends"`
	Hosts    []string           `yaml:"hosts"`
	Services []string           `yaml:"services"`
	Shape    []conditionsFile   `yaml:"shape"`
	Hidden   *hiddenFile        `yaml:"hidden"`
	Read     readFile           `yaml:"read"`
	Hide     []entry            `yaml:"hide"`
	Codes    map[string][]entry `yaml:"codes"`
	Rules    []ruleFile         `yaml:"rules"`
}

type hiddenFile struct {
	Markers []string         `yaml:"markers"`
	When    []conditionsFile `yaml:"when"`
}

type readFile struct {
	Code       entries          `yaml:"code"`
	Message    entries          `yaml:"message"`
	Detail     entries          `yaml:"detail"`
	Field      entries          `yaml:"field"`
	Value      entries          `yaml:"value"`
	Accepted   entries          `yaml:"accepted"`
	Wait       entries          `yaml:"wait"`
	Facts      map[string]entry `yaml:"facts"`
	Violations *violationsFile  `yaml:"violations"`
	Batch      *batchFile       `yaml:"batch"`
}

type violationsFile struct {
	Each     entries `yaml:"each"`
	Field    entries `yaml:"field"`
	Code     entries `yaml:"code"`
	Problem  entries `yaml:"problem"`
	Value    entries `yaml:"value"`
	Accepted entries `yaml:"accepted"`
}

type batchFile struct {
	Each     entries          `yaml:"each"`
	Failed   []conditionsFile `yaml:"failed"`
	Code     entries          `yaml:"code"`
	Message  entries          `yaml:"message"`
	ID       entries          `yaml:"id"`
	Argument entries          `yaml:"argument"`
}

type ruleFile struct {
	Code    entries          `yaml:"code"`
	Status  entries          `yaml:"status"`
	Method  entries          `yaml:"method"`
	Message entries          `yaml:"message"`
	Where   conditionsFile   `yaml:"where"`
	Match   map[string]entry `yaml:"match"`

	Class        string            `yaml:"class"`
	CodeAs       string            `yaml:"code_as"`
	Field        entries           `yaml:"field"`
	Problem      string            `yaml:"problem"`
	Format       string            `yaml:"format"`
	Range        string            `yaml:"range"`
	Accepted     entries           `yaml:"accepted"`
	BlockedBy    string            `yaml:"blocked_by"`
	Executed     string            `yaml:"executed"`
	Scope        string            `yaml:"scope"`
	Wait         entries           `yaml:"wait"`
	WaitUnit     string            `yaml:"wait_unit"`
	WaitDefault  float64           `yaml:"wait_default"`
	Facts        map[string]entry  `yaml:"facts"`
	Alternatives *alternativesFile `yaml:"alternatives"`
	Partial      bool              `yaml:"partial"`

	line int
}

type alternativesFile struct {
	Each     entry  `yaml:"each"`
	Argument string `yaml:"argument"`
}

// UnmarshalYAML keeps the line for the checks that come later.
func (r *ruleFile) UnmarshalYAML(n *yaml.Node) error {
	type plain ruleFile
	if err := knownKeys(n, (*plain)(r)); err != nil {
		return err
	}
	r.line = n.Line
	return nil
}

// entry is one text with its line.
type entry struct {
	text string
	line int
}

// UnmarshalYAML takes any scalar as the text that stands in the file.
func (e *entry) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.ScalarNode {
		return fmt.Errorf("line %d: a single value was expected", n.Line)
	}
	e.text, e.line = n.Value, n.Line
	if n.Tag == "!!null" {
		e.text = nullText
	}
	return nil
}

// nullText is YAML's null as a wanted value.
const nullText = "\x00null"

// entries is one text or a list of them.
type entries []entry

// UnmarshalYAML takes a scalar or a list of scalars.
func (l *entries) UnmarshalYAML(n *yaml.Node) error {
	nodes := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		nodes = n.Content
	}
	for _, item := range nodes {
		var e entry
		if err := e.UnmarshalYAML(item); err != nil {
			return err
		}
		*l = append(*l, e)
	}
	return nil
}

// conditionsFile is a mapping of places to wanted values, in order.
type conditionsFile []conditionFile

type conditionFile struct {
	place  entry
	values entries
}

// UnmarshalYAML reads the mapping in its order.
func (c *conditionsFile) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: a mapping of places to values was expected", n.Line)
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		one := conditionFile{place: entry{text: n.Content[i].Value, line: n.Content[i].Line}}
		if err := one.values.UnmarshalYAML(n.Content[i+1]); err != nil {
			return err
		}
		*c = append(*c, one)
	}
	return nil
}

// knownKeys decodes a node and refuses keys that the target lacks; yaml's own
// check does not reach through custom decoders.
func knownKeys(n *yaml.Node, into any) error {
	if n.Kind != yaml.MappingNode {
		return fmt.Errorf("line %d: a mapping was expected", n.Line)
	}
	known := map[string]bool{}
	for _, field := range reflect.VisibleFields(reflect.TypeOf(into).Elem()) {
		known[field.Tag.Get("yaml")] = true
	}
	for i := 0; i < len(n.Content); i += 2 {
		if key := n.Content[i]; !known[key.Value] {
			return fmt.Errorf("line %d: field %s not found in a rule", key.Line, key.Value)
		}
	}
	return n.Decode(into)
}
