package diagnose

import (
	"regexp"
	"slices"
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

// sentence redacts the message and its parts each by itself: what takes the rest
// of one along, a statement or a trace, does not take the others.
func (c *cleaner) sentence(f *finding) string {
	parts := make([]string, 0, len(f.parts))
	for _, part := range f.parts {
		parts = append(parts, c.text(part))
	}
	return joinParts(c.text(f.message), parts)
}

// prose redacts what a fault says, which may be the sentence itself.
func (c *cleaner) prose(d *diagnosis, s string) string {
	if s == d.finding.sentence() {
		return c.sentence(&d.finding)
	}
	return c.text(s)
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

// code keeps a provider's code as it stands; one that holds a secret or names
// somebody or some place is none.
func (c *cleaner) code(s string) string {
	if plainWord(s) {
		return c.redactor.Secrets(s)
	}
	if c.redactor.Secrets(s) != s || redact.SecretText(s) != s {
		return ""
	}
	if _, behind, prefixed := strings.Cut(s, "_"); c.telling(s) || prefixed && c.telling(behind) {
		return ""
	}
	return s
}

// telling reports a code that names a person, a place or a trace.
func (c *cleaner) telling(code string) bool {
	if !strings.ContainsAny(code, ".:@\\+-$") {
		return false
	}
	clean := c.text(code)
	return clean == "" || marked(clean)
}

// marked reports text from which something was taken that belongs to a person or
// to the inside.
func marked(clean string) bool {
	for _, mark := range [...]string{"[secret]", "[host]", "[path]", "[email]", "[phone]", "[card]", "[sql]"} {
		if strings.Contains(clean, mark) {
			return true
		}
	}
	return false
}

// field keeps a path, less what is secret. One that the tool has no argument for
// is a stranger's text.
func (c *cleaner) field(path, spelled string, own bool) string {
	if !own && !strings.HasPrefix(spelled, "/") && c.short(spelled) != spelled {
		return ""
	}
	return redact.SecretText(c.redactor.Secrets(path))
}

// value echoes an argument that the caller sent.
func (c *cleaner) value(field string, n *node) string {
	return c.redactor.Secrets(redact.Value(field, n.appendJSON(nil)))
}

// echo is the value that the upstream says was sent. What the caller did not
// send is redacted like any other text.
func (c *cleaner) echo(field string, n *node) string {
	if c.keep.Has(n.str()) && !n.isContainer() {
		return c.value(field, n)
	}
	if n = c.scalar(field, n); n == nil {
		return ""
	}
	return c.value(field, n)
}

// foreign reports a value that only the inside or somebody else should see.
// Identifiers are none: the caller must use them.
func (c *cleaner) foreign(n *node) bool {
	if n.isContainer() {
		return slices.ContainsFunc(n.items, func(m member) bool { return c.foreign(m.node) })
	}
	text := n.str()
	if !n.isString() || len(text) < 4 || c.keep.Has(text) {
		return false
	}
	clean := c.text(text)
	if clean == text {
		return false
	}
	return marked(clean) || !strings.Contains(clean, "[id]")
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
	e.Code, e.Message = orElse(c.code(e.GetCode()), "error"), c.text(e.GetMessage())
	e.BlockedBy, e.UnblockWith = c.short(e.GetBlockedBy()), c.short(e.GetUnblockWith())
	e.FactsJson, e.RequestedJson = c.object(e.GetFactsJson()), c.object(e.GetRequestedJson())
	violations := make([]*toolgatev1.Violation, 0, len(e.GetViolations()))
	for _, v := range e.GetViolations()[:min(len(e.GetViolations()), maxViolations)] {
		one := &toolgatev1.Violation{
			Field: c.short(v.GetField()), Problem: c.text(v.GetProblem()), Format: c.short(v.GetFormat()), Range: c.short(v.GetRange()),
			AcceptedTruncated: v.GetAcceptedTruncated(),
		}
		if value := jsonOf(v.GetValueJson()); value != nil {
			one.ValueJson = c.echo(v.GetField(), value)
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
		if c.redactor.Secrets(arguments) != arguments || redact.SecretText(arguments) != arguments || c.foreign(jsonOf(arguments)) {
			continue
		}
		out = append(out, &toolgatev1.Alternative{Tool: c.short(a.GetTool()), ArgumentsJson: arguments, Label: c.text(a.GetLabel())})
	}
	return out
}

// factsJSON is the rule's facts, else what was found. A text that a violation
// names as accepted is not said again.
func (d *diagnosis) factsJSON(c *cleaner, told []*toolgatev1.Violation) string {
	if d.finding.factsJSON != "" {
		return c.object(d.finding.factsJSON)
	}
	facts := objectOf()
	for _, f := range d.finding.facts {
		if value := c.scalar(f.name, f.node); value != nil && !accepts(told, value) {
			facts.items = append(facts.items, member{name: c.short(f.name), node: value})
		}
	}
	if len(facts.items) == 0 {
		return ""
	}
	return string(facts.appendJSON(nil))
}

func accepts(told []*toolgatev1.Violation, n *node) bool {
	return n.isString() && slices.ContainsFunc(told, func(v *toolgatev1.Violation) bool {
		return slices.Contains(v.GetAccepted(), n.str()) || n.str() == v.GetFormat() || n.str() == v.GetRange()
	})
}
