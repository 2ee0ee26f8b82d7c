package catalog

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

// maxNodes bounds what aliases may multiply a file to.
const maxNodes = 500_000

// expander puts what aliases and merge keys stand for in their place, so that
// nobody behind it meets one, and refuses keys that stand twice.
type expander struct {
	report *report
	nodes  int
	full   bool
}

func (e *expander) expand(node *yaml.Node) { *node = *e.copy(node, nil) }

// copy returns the node with everything put in; within holds the anchors that
// are being put in, to find circles.
func (e *expander) copy(node *yaml.Node, within []*yaml.Node) *yaml.Node {
	if e.nodes++; e.nodes > maxNodes {
		if !e.full {
			e.report.add(at{node: node}, Problem{Message: "aliases make too much of this file", Accepted: fmt.Sprintf("at most %d values", maxNodes)})
		}
		e.full = true
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: node.Line, Column: node.Column}
	}
	if node.Kind == yaml.AliasNode {
		if slices.Contains(within, node.Alias) {
			e.report.add(at{node: node}, Problem{Message: "the alias *" + node.Value + " stands within its own anchor"})
			return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: node.Line, Column: node.Column}
		}
		return e.copy(node.Alias, append(within, node.Alias))
	}
	copied := *node
	copied.Anchor, copied.Content = "", nil
	if node.Kind == yaml.MappingNode {
		copied.Content = e.mapping(node, within)
		return &copied
	}
	for _, item := range node.Content {
		copied.Content = append(copied.Content, e.copy(item, within))
	}
	return &copied
}

// mapping puts the keys of merged mappings behind its own, those that it has not
// itself. The first of several merged ones wins.
func (e *expander) mapping(node *yaml.Node, within []*yaml.Node) []*yaml.Node {
	var content []*yaml.Node
	seen := map[string]bool{}
	var merged []*yaml.Node
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := e.copy(node.Content[i], within), node.Content[i+1]
		if key.ShortTag() == "!!merge" {
			merged = append(merged, e.merges(value, within)...)
			continue
		}
		if key.Kind == yaml.ScalarNode && seen[key.Value] {
			e.report.add(at{node: key}, Problem{Message: "the key " + quote(key.Value) + " stands here twice", Accepted: "each key once"})
			continue
		}
		seen[key.Value] = true
		content = append(content, key, e.copy(value, within))
	}
	for _, source := range merged {
		for i := 0; i+1 < len(source.Content); i += 2 {
			if key := source.Content[i]; !seen[key.Value] {
				seen[key.Value] = true
				content = append(content, key, source.Content[i+1])
			}
		}
	}
	return content
}

// merges lists the mappings that a merge key names.
func (e *expander) merges(value *yaml.Node, within []*yaml.Node) []*yaml.Node {
	copied := e.copy(value, within)
	sources := []*yaml.Node{copied}
	if copied.Kind == yaml.SequenceNode {
		sources = copied.Content
	}
	for _, source := range sources {
		if source.Kind != yaml.MappingNode {
			e.report.add(at{node: source}, Problem{Message: "what << names is no mapping", Accepted: "<<: *anchor"})
			return nil
		}
	}
	return sources
}
