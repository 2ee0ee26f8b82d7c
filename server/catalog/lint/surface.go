package lint

import (
	"fmt"
	"strings"
)

// clue is what speaks for a free string being something else.
type clue struct {
	rule     string
	strength strength
	evidence string   // quoted in the message
	lines    []string // of the schema that would fix it
	// adds: the lines can be added as they are. Otherwise they replace the type.
	adds bool
}

type strength int

const (
	none strength = iota
	byName
	inWords // a description, examples or a rule say it
)

// surface finds free strings that are meant as something else.
func (c *checker) surface(t *tool) {
	if c.unread(t, "input_schema") || t.Tool.Unvalidated {
		return
	}
	for p := range t.schema.properties {
		if !p.isFree() {
			continue
		}
		best := clue{}
		for _, found := range []clue{byRules(t, p), enumClue(p), dateClue(p), booleanClue(p), numberClue(p)} {
			if found.strength > best.strength {
				best = found
			}
		}
		if best.strength > none {
			c.reportClue(t, p, best)
		}
	}
}

func (c *checker) reportClue(t *tool, p *property, found clue) {
	message := fmt.Sprintf("%s is a free string, and %s", p.name, found.evidence)
	f := c.add(found.rule, c.doc.name(p.at), message, strings.Join(found.lines, ", "))
	if t.schema.inText || len(found.lines) == 0 || found.lines[0] == "" || strings.Contains(found.lines[0], "…") {
		return
	}
	kind := p.form.at("type")
	if found.adds {
		f.Edits = c.doc.addBeside(kind, found.lines)
	} else if len(p.samples()) == 0 { // which are text, and would be wrong
		f.Edits = c.doc.replaceValue(kind, strings.TrimPrefix(found.lines[0], "type: "))
	}
	f.Sure = found.adds && found.strength == inWords
}

// byRules reads what the tool's own error rules say is accepted for an argument.
func byRules(t *tool, p *property) clue {
	if p.depth > 0 {
		return clue{}
	}
	for i, rule := range t.Written.GetErrors() {
		if rule.GetField() != p.name {
			continue
		}
		place := fmt.Sprintf("errors[%d] says that it accepts ", i)
		if rule.GetFormat() != "" {
			if found := formOfDate(rule.GetFormat(), p.name); found.strength > none {
				found.evidence = place + rule.GetFormat()
				return found
			}
		}
		if accepted := rule.GetAccepted(); len(accepted) > 1 && !allNumbers(accepted) {
			return clue{
				rule: enumAsText, strength: inWords, evidence: place + strings.Join(accepted, ", "),
				lines: []string{enumLine(accepted)}, adds: true,
			}
		}
	}
	return clue{}
}

func enumLine(values []string) string {
	quoted := make([]string, len(values))
	for i, value := range values {
		quoted[i] = quoteYAML(value)
	}
	return "enum: [" + strings.Join(quoted, ", ") + "]"
}

func quoteWords(words string) string { return "“" + words + "”" }

// saidByDescription quotes the words of a description.
func saidByDescription(words string) string {
	return "its description says " + quoteWords(strings.TrimSpace(words))
}
