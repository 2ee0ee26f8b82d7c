package cli

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/durationpb"

	"toolgate.dev/toolgate/internal/rawjson"
	"toolgate.dev/toolgate/server/catalog"
)

// catalogue writes the tools as an operator would.
func (m *imported) catalogue() ([]byte, error) {
	upstream := mapping(member("url", text(m.server)))
	upstream.Content[0].HeadComment = m.credentials()
	root := mapping(member("upstreams", mapping(member(m.upstream, upstream))))
	tools := &yaml.Node{Kind: yaml.SequenceNode}
	for _, tool := range m.outcome.Tools {
		node, err := messageNode(tool.Written.ProtoReflect())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", tool.Written.GetName(), err)
		}
		node.HeadComment = toolComment(tool)
		tools.Content = append(tools.Content, node)
	}
	root.Content = append(root.Content, member("tools", tools)...)
	document := &yaml.Node{Kind: yaml.DocumentNode, HeadComment: m.header() + "\n", Content: []*yaml.Node{root}}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(document); err != nil {
		return nil, err
	}
	return out.Bytes(), encoder.Close()
}

// header says where the tools come from, and what is not among them.
func (m *imported) header() string {
	lines := []string{(strings.TrimSpace("Tools of "+orDocument(m.document.Title())+" "+m.document.Version()) + ", imported by toolgate.")}
	if len(m.outcome.LeftOut) > 0 {
		lines = append(lines, "", "Left out:")
		for _, left := range m.outcome.LeftOut {
			lines = append(lines, fmt.Sprintf("  %s (%s %s): %s", left.Name, left.Method, left.Path, left.Reason))
		}
	}
	return comment(lines)
}

func orDocument(title string) string {
	if title == "" {
		return "an OpenAPI document"
	}
	return title
}

// credentials shows how the secrets of the document's schemes are named. They are
// left to the operator: a catalogue whose secrets can't be read is refused.
func (m *imported) credentials() string {
	var lines []string
	for _, scheme := range m.document.Schemes() {
		parameter, kind, where := scheme.Parameter, "secret_headers", ""
		switch scheme.In {
		case "":
			continue
		case "cookie":
			parameter = "Cookie"
		case "query":
			kind, where = "secret_query", ", in the http of each tool"
		}
		lines = append(lines, fmt.Sprintf("%s (%s)%s:", scheme.Name, scheme.Kind, where),
			"  "+kind+":", "    "+parameter+":", "      from: env:"+variable(m.upstream, scheme.Name))
		if scheme.Prefix != "" {
			lines = append(lines, fmt.Sprintf("      prefix: %q", scheme.Prefix))
		}
	}
	if lines == nil {
		return ""
	}
	return comment(append([]string{"The document's credentials, one of which most tools need:"}, lines...))
}

// variable names an environment variable.
func variable(parts ...string) string {
	name := strings.ToUpper(strings.Join(parts, "_"))
	return strings.Map(func(c rune) rune {
		if c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return c
		}
		return '_'
	}, name)
}

func toolComment(tool catalog.ImportedTool) string {
	lines := slices.Clone(tool.Notes)
	if tool.Cut {
		lines = append(lines, "The schema was cut: more is taken than is described here.")
	}
	if len(tool.Undecided) > 0 {
		lines = append(lines, fmt.Sprintf("Documented to fail with %s: a rule under errors could say what callers can do then.", strings.Join(tool.Undecided, ", ")))
	}
	return comment(lines)
}

// comment keeps each line one: what documents say is never more than a comment.
func comment(lines []string) string {
	for i, line := range lines {
		clean := strings.Map(func(c rune) rune {
			if c < 0x20 || c == 0x7f || c == 0x85 || c == 0x2028 || c == 0x2029 {
				return ' '
			}
			return c
		}, line)
		lines[i] = strings.TrimRight("# "+clean, " ")
	}
	return strings.Join(lines, "\n")
}

func member(key string, value *yaml.Node) []*yaml.Node { return []*yaml.Node{text(key), value} }

func mapping(pairs ...[]*yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.MappingNode, Content: slices.Concat(pairs...)}
}

func text(value string) *yaml.Node {
	node := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: value}
	switch strings.ToLower(value) {
	case "yes", "no", "on", "off", "y", "n": // booleans to readers of YAML 1.1
		node.Style = yaml.DoubleQuotedStyle
	}
	return node
}

func plain(value string) *yaml.Node { return &yaml.Node{Kind: yaml.ScalarNode, Value: value} }

// messageNode writes a message in the form of a catalogue: short enums, durations as
// `20s`, JSON as YAML.
func messageNode(message protoreflect.Message) (*yaml.Node, error) {
	node := mapping()
	fields := message.Descriptor().Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		if !message.Has(field) {
			continue
		}
		value, err := fieldNode(field, message.Get(field))
		if err != nil {
			return nil, err
		}
		node.Content = append(node.Content, member(string(field.Name()), value)...)
	}
	return node, nil
}

func fieldNode(field protoreflect.FieldDescriptor, value protoreflect.Value) (*yaml.Node, error) {
	switch {
	case field.IsList():
		node := &yaml.Node{Kind: yaml.SequenceNode}
		for i := range value.List().Len() {
			item, err := valueNode(field, value.List().Get(i))
			if err != nil {
				return nil, err
			}
			node.Content = append(node.Content, item)
		}
		return node, nil
	case field.IsMap():
		return mapNode(field, value.Map())
	}
	return valueNode(field, value)
}

func mapNode(field protoreflect.FieldDescriptor, members protoreflect.Map) (*yaml.Node, error) {
	var names []string
	for key := range members.Range {
		names = append(names, key.String())
	}
	slices.Sort(names)
	node := mapping()
	for _, name := range names {
		value, err := valueNode(field.MapValue(), members.Get(protoreflect.ValueOfString(name).MapKey()))
		if err != nil {
			return nil, err
		}
		value.Style = yaml.FlowStyle
		node.Content = append(node.Content, member(name, value)...)
	}
	return node, nil
}

func valueNode(field protoreflect.FieldDescriptor, value protoreflect.Value) (*yaml.Node, error) {
	switch {
	case field.FullName() == "toolgate.catalog.v1.Tool.input_schema", field.FullName() == "toolgate.catalog.v1.Fallback.arguments":
		if rawjson.KindOf([]byte(value.String())) != rawjson.Object {
			return nil, errNoObject
		}
		return jsonNode([]byte(value.String())), nil
	case field.Enum() != nil:
		zero := string(field.Enum().Values().Get(0).Name())
		name := string(field.Enum().Values().ByNumber(value.Enum()).Name())
		return text(strings.ToLower(strings.TrimPrefix(name, strings.TrimSuffix(zero, "UNSPECIFIED")))), nil
	case field.Message() != nil && field.Message().FullName() == "google.protobuf.Duration":
		span := &durationpb.Duration{}
		proto.Merge(span, value.Message().Interface())
		return text(span.AsDuration().String()), nil
	case field.Message() != nil:
		return messageNode(value.Message())
	case field.Kind() == protoreflect.StringKind:
		return text(value.String()), nil
	}
	return plain(value.String()), nil
}

// jsonNode writes JSON as YAML: digits and the order of keys stay, what is small
// stands on one line.
func jsonNode(json []byte) *yaml.Node {
	node := &yaml.Node{}
	switch rawjson.KindOf(json) {
	case rawjson.Object:
		node.Kind = yaml.MappingNode
		for m := range rawjson.Members(json) {
			node.Content = append(node.Content, text(m.Name()), jsonNode(m.Value))
		}
	case rawjson.Array:
		node.Kind = yaml.SequenceNode
		for item := range rawjson.Items(json) {
			node.Content = append(node.Content, jsonNode(item))
		}
	case rawjson.String:
		return text(rawjson.Text(json))
	default:
		return plain(string(rawjson.Trim(json)))
	}
	if len(json) <= maxFlowBytes || len(node.Content) == 0 {
		node.Style = yaml.FlowStyle
	}
	return node
}

const maxFlowBytes = 120
