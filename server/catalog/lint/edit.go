package lint

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// addBeside adds members to the mapping that a member stands in, right behind
// it: on its line in a flow mapping, below it in a block. nil where that can't be
// done without moving anything else.
func (d *document) addBeside(member spot, lines []string) []Edit {
	if !member.exists() || member.key == nil {
		return nil
	}
	end, ok := d.end(member.value)
	if !ok || member.key.Line != member.value.Line {
		return nil
	}
	if d.inFlow(member.key) {
		return []Edit{{Start: end, End: end, New: ", " + strings.Join(lines, ", ")}}
	}
	line := d.start[member.value.Line-1] + len(d.lines[member.value.Line-1])
	indent := "\n" + strings.Repeat(" ", member.key.Column-1)
	return []Edit{{Start: line, End: line, New: indent + strings.Join(lines, indent)}}
}

// replaceValue puts another scalar in a member's place.
func (d *document) replaceValue(member spot, value string) []Edit {
	if !member.exists() || member.value.Kind != yaml.ScalarNode {
		return nil
	}
	end, ok := d.end(member.value)
	if !ok {
		return nil
	}
	return []Edit{{Start: d.offset(member.value.Line, member.value.Column), End: end, New: value}}
}

// inFlow reports that a key stands within braces: a block's key is the first
// thing on its line, list marks apart.
func (d *document) inFlow(key *yaml.Node) bool {
	before := d.text[d.start[key.Line-1]:d.offset(key.Line, key.Column)]
	return strings.Trim(before, " -") != ""
}

// addItem adds a word to a list that stands in a mapping under a name, or adds
// the list behind another member.
func (d *document) addItem(list, behind spot, name, item string) []Edit {
	if !list.exists() {
		return d.addBeside(behind, []string{name + ": [" + quoteYAML(item) + "]"})
	}
	if list.value.Kind != yaml.SequenceNode || len(list.value.Content) == 0 {
		return nil
	}
	final := list.value.Content[len(list.value.Content)-1]
	end, ok := d.end(final)
	if !ok {
		return nil
	}
	if list.value.Style&yaml.FlowStyle != 0 {
		return []Edit{{Start: end, End: end, New: ", " + quoteYAML(item)}}
	}
	before := d.text[d.start[final.Line-1]:d.offset(final.Line, final.Column)]
	if strings.Trim(before, " -") != "" {
		return nil
	}
	line := d.start[final.Line-1] + len(d.lines[final.Line-1])
	return []Edit{{Start: line, End: line, New: "\n" + before + quoteYAML(item)}}
}
