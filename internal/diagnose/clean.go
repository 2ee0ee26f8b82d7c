package diagnose

import (
	"regexp"
	"strings"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/internal/redact"
)

// maxCleaned is how much of a text is redacted: its head and tail.
const maxCleaned = 4 << 10

// cleaner redacts whatever leaves a diagnosis. It is the one seam to
// internal/redact.
type cleaner struct {
	redactor *redact.Redactor
	keep     redact.Keep
	hide     []*regexp.Regexp
	done     map[string]string // texts that were redacted before
}

func (d *diagnosis) cleaner() *cleaner {
	c := &cleaner{redactor: redact.New(d.tool.Diagnosis.Secrets), keep: redact.KeepFrom(d.in.Arguments), done: map[string]string{}}
	d.vocabulary.chain(func(v *vocabulary) bool {
		c.hide = append(c.hide, v.hide...)
		return false
	})
	return c
}

// text redacts a sentence of the provider.
func (c *cleaner) text(s string) string {
	if s == "" {
		return ""
	}
	clean, known := c.done[s]
	if !known {
		clean = c.redacted(s)
		c.done[s] = clean
	}
	return clean
}

func (c *cleaner) redacted(s string) string {
	if len(s) > maxCleaned {
		s = redact.HeadTail([]byte(s), maxCleaned)
	}
	for _, pattern := range c.hide {
		s = cutPattern(pattern, s)
	}
	return c.redactor.Text(s, c.keep)
}

// cutPattern removes what the pattern matches; only its group where it has one.
func cutPattern(pattern *regexp.Regexp, s string) string {
	if !pattern.MatchString(s) {
		return s
	}
	if pattern.NumSubexp() == 0 {
		return strings.TrimSpace(pattern.ReplaceAllString(s, ""))
	}
	var b strings.Builder
	last := 0
	for _, at := range pattern.FindAllStringSubmatchIndex(s, 32) {
		if at[2] >= last {
			b.WriteString(s[last:at[2]])
			last = at[3]
		}
	}
	return b.String() + s[last:]
}

// short redacts a value or a phrase. Plain words skip the rules.
func (c *cleaner) short(s string) string {
	if len(s) > 256 {
		s = s[:256]
	}
	if plainWord(s) {
		return c.redactor.Secrets(s)
	}
	return c.text(s)
}

func plainWord(s string) bool {
	if len(s) > 20 {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c == '_', c == '-', c == ' ':
		case c >= '0' && c <= '9' && len(s) <= 8:
		default:
			return false
		}
	}
	return true
}

// code keeps a provider's code as it stands, less what is secret.
func (c *cleaner) code(s string) string {
	s = c.redactor.Secrets(s)
	if len(s) > 24 {
		s = redact.SecretText(s)
	}
	return s
}

// field keeps a path, less what is secret.
func (c *cleaner) field(path string) string {
	return redact.SecretText(c.redactor.Secrets(path))
}

// value echoes an argument.
func (c *cleaner) value(field string, n *node) string {
	return c.redactor.Secrets(redact.Value(field, n.appendJSON(nil)))
}

// scalar redacts one value of a fact or an object.
func (c *cleaner) scalar(name string, n *node) *node {
	switch {
	case redact.SecretName(name):
		return nil
	case n.isContainer():
		if text := string(n.appendJSON(nil)); len(text) <= 256 {
			if clean, _ := parseJSON(c.object(text)); clean.present() {
				return clean
			}
		}
		return nil
	case n.kind == numberNode && len(n.text) <= 9, n.kind == boolNode:
		return n
	}
	text := c.short(n.str())
	if n.kind == numberNode && text == n.text {
		return n
	}
	if text == "" {
		return nil
	}
	return stringOf(text)
}

// object redacts every value of a JSON object.
func (c *cleaner) object(text string) string {
	n, whole := parseJSON(text)
	if !whole || !n.isContainer() {
		return ""
	}
	return string(c.tree(n, 0).appendJSON(nil))
}

func (c *cleaner) tree(n *node, depth int) *node {
	if depth > 6 {
		return &node{}
	}
	out := &node{kind: n.kind}
	for _, m := range n.items {
		value := m.node
		if value.isContainer() {
			value = c.tree(value, depth+1)
		} else if value = c.scalar(m.name, value); value == nil {
			continue
		}
		out.items = append(out.items, member{name: c.short(m.name), node: value})
	}
	return out
}

// whole redacts a ToolError that an upstream made.
func (c *cleaner) whole(e *toolgatev1.ToolError) *toolgatev1.ToolError {
	e.Code, e.Message = c.code(e.GetCode()), c.text(e.GetMessage())
	e.BlockedBy, e.UnblockWith = c.short(e.GetBlockedBy()), c.short(e.GetUnblockWith())
	e.FactsJson, e.RequestedJson = c.object(e.GetFactsJson()), c.object(e.GetRequestedJson())
	violations := make([]*toolgatev1.Violation, 0, len(e.GetViolations()))
	for _, v := range e.GetViolations()[:min(len(e.GetViolations()), maxViolations)] {
		one := &toolgatev1.Violation{
			Field: c.short(v.GetField()), Problem: c.text(v.GetProblem()), Format: c.short(v.GetFormat()), Range: c.short(v.GetRange()),
			AcceptedTruncated: v.GetAcceptedTruncated(), ValueJson: c.redactor.Secrets(redact.Value(v.GetField(), []byte(v.GetValueJson()))),
		}
		for _, item := range v.GetAccepted()[:min(len(v.GetAccepted()), 24)] {
			one.Accepted = append(one.Accepted, c.short(item))
		}
		violations = append(violations, one)
	}
	e.Violations, e.Alternatives = violations, c.alternatives(e.GetAlternatives())
	return e
}

// alternatives redacts what is offered. An argument that would be redacted is
// none that can be called, so the whole alternative goes.
func (c *cleaner) alternatives(list []*toolgatev1.Alternative) []*toolgatev1.Alternative {
	var out []*toolgatev1.Alternative
	for _, a := range list[:min(len(list), 8)] {
		arguments := a.GetArgumentsJson()
		if c.redactor.Secrets(arguments) != arguments || redact.SecretText(arguments) != arguments {
			continue
		}
		out = append(out, &toolgatev1.Alternative{Tool: c.short(a.GetTool()), ArgumentsJson: arguments, Label: c.text(a.GetLabel())})
	}
	return out
}

// factsJSON is the rule's facts, else what was found.
func (d *diagnosis) factsJSON(c *cleaner) string {
	if d.finding.factsJSON != "" {
		return c.object(d.finding.factsJSON)
	}
	facts := objectOf()
	for _, f := range d.finding.facts {
		if value := c.scalar(f.name, f.node); value != nil {
			facts.items = append(facts.items, member{name: c.short(f.name), node: value})
		}
	}
	if len(facts.items) == 0 {
		return ""
	}
	return string(facts.appendJSON(nil))
}
