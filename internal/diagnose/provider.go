package diagnose

import (
	"strings"

	"toolgate.dev/toolgate/interceptors"
)

// readProvider takes code, message, fields, facts and waits from where the
// vocabulary says that they are.
func (d *diagnosis) readProvider() {
	d.vocabulary.chain(func(v *vocabulary) bool {
		d.readPlaces(v)
		return false
	})
}

func (d *diagnosis) readPlaces(v *vocabulary) {
	f, r := &d.finding, d.reading
	for _, p := range v.code {
		if n := p.first(r); n != nil && !n.isContainer() {
			f.addCode(shortCode(n.str()))
		}
	}
	if n := firstOf(v.message, r); n != nil && f.message == "" {
		f.addMessage(n.first().str())
	}
	for _, p := range v.detail {
		if n := p.first(r); n != nil {
			f.addMessage(n.first().str())
		}
	}
	for _, p := range v.facts {
		f.addFact(p.name, p.place.first(r))
	}
	if v.violations != nil && len(f.violations) == 0 {
		d.readViolations(v.violations)
	}
	if n := firstOf(v.field, r); n != nil && len(f.violations) == 0 {
		for _, item := range n.elements()[:min(3, len(n.elements()))] {
			f.addViolation(violation{field: item.node.str(), value: firstOf(v.value, r), accepted: valuesOf(firstOf(v.accepted, r))})
		}
	}
	for _, w := range v.wait {
		f.wait.offer(d.readWait(w.place.first(r), w.unit), "the vocabulary's place")
	}
}

// shortCode is the name at the end of a qualified code: AWS writes
// `com.amazonaws.dynamodb.v20111205#ThrottlingException` and
// `ThrottlingException:http://…`.
func shortCode(s string) string {
	if i := strings.LastIndexByte(s, '#'); i >= 0 && i+1 < len(s) {
		s = s[i+1:]
	}
	if i := strings.Index(s, ":http"); i > 0 {
		s = s[:i]
	}
	return strings.TrimRight(strings.TrimSpace(s), "./")
}

func (d *diagnosis) readViolations(v *violationPlaces) {
	for _, each := range v.each {
		for _, item := range each.find(d.reading.root) {
			one := violation{
				code:     firstIn(item.node, v.code).str(),
				problem:  firstIn(item.node, v.problem).first().str(),
				value:    firstIn(item.node, v.value),
				accepted: valuesOf(firstIn(item.node, v.accepted)),
			}
			for _, place := range v.field {
				if one.field = place.in(item); one.field != "" {
					break
				}
			}
			d.finding.addViolation(one)
		}
		if len(d.finding.violations) > 0 {
			return
		}
	}
}

// in is the field that the place names for an item.
func (p fieldPlace) in(item found) string {
	switch {
	case p.key:
		return item.key()
	case p.path:
		return strings.Join(item.deep, ".")
	}
	n := firstAt(item.node, p.place.steps)
	if n.isList() {
		return joinSegments(n)
	}
	return n.str()
}

// firstIn is the first present value among places below n.
func firstIn(n *node, places []place) *node {
	for _, p := range places {
		if found := firstAt(n, p.steps); found != nil {
			return found
		}
	}
	return nil
}

// joinSegments writes a list of names and numbers as a dotted path.
func joinSegments(n *node) string {
	parts := make([]string, 0, len(n.items))
	for _, item := range n.items {
		parts = append(parts, item.node.str())
	}
	return strings.Join(parts, ".")
}

// valuesOf lists accepted values: a list's scalars, or a text separated by
// commas.
func valuesOf(n *node) []string {
	if !n.present() {
		return nil
	}
	var out []string
	if n.isList() {
		for _, item := range n.items {
			if s := item.node.str(); s != "" {
				out = append(out, s)
			}
		}
		return out
	}
	for s := range strings.SplitSeq(n.str(), ",") {
		if s = strings.Trim(strings.TrimSpace(s), `"'`); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// askProvider applies the vocabulary's rules and codes and returns what they
// say of the class; class 0 where they say nothing.
func (d *diagnosis) askProvider(v *vocabulary) meaning {
	var said meaning
	v.chain(func(v *vocabulary) bool {
		for i := range v.rules {
			rule := &v.rules[i]
			groups, ok := d.matches(rule)
			if !ok {
				continue
			}
			d.apply(rule, groups)
			if rule.classed {
				said = rule.meaning
				if rule.result.executed != interceptors.ExecutedUnknown {
					said.executed = rule.result.executed
				}
				return true
			}
		}
		return false
	})
	if said.class != 0 {
		return said
	}
	for _, code := range d.finding.codes {
		if m, ok := v.lookup(code); ok {
			return m
		}
	}
	return meaning{}
}

// matches tests a rule's conditions, cheapest first, and returns the named
// groups of its patterns.
func (d *diagnosis) matches(rule *providerRule) (map[string]string, bool) {
	r := d.reading
	if len(rule.statuses) > 0 && !statusIn(rule.statuses, r.matched()) ||
		len(rule.methods) > 0 && !anyWanted(rule.methods, r.method) ||
		len(rule.codes) > 0 && !d.hasCode(rule.codes) ||
		!allHold(rule.where, r) {
		return nil, false
	}
	groups := map[string]string(nil)
	if len(rule.message) > 0 {
		found := false
		for i := range rule.message {
			if groups, found = d.messageMatches(&rule.message[i]); found {
				break
			}
		}
		if !found {
			return nil, false
		}
	}
	for i := range rule.match {
		m := &rule.match[i]
		text := m.place.first(r).str()
		text = text[:min(len(text), maxMatched)]
		more, found := groupsOf(&m.pattern, text, strings.ToLower(text))
		if !found {
			return nil, false
		}
		for name, value := range more {
			if groups == nil {
				groups = map[string]string{}
			}
			groups[name] = value
		}
	}
	return groups, true
}

func statusIn(ranges []statusRange, status int) bool {
	for _, s := range ranges {
		if s.low <= status && status <= s.high {
			return true
		}
	}
	return false
}

func anyWanted(list []wanted, s string) bool {
	for _, w := range list {
		if s != "" && w.matches(s) || s == "" && w.absent {
			return true
		}
	}
	return false
}

func (d *diagnosis) hasCode(list []wanted) bool {
	if len(d.finding.codes) == 0 {
		return anyWanted(list, "")
	}
	for _, code := range d.finding.codes {
		if anyWanted(list, code) {
			return true
		}
	}
	return false
}

// messageMatches tests the message and every further sentence.
func (d *diagnosis) messageMatches(pattern *pattern) (map[string]string, bool) {
	for i := range d.sentences() {
		if groups, ok := groupsOf(pattern, d.said[i].text, d.said[i].lower); ok {
			return groups, true
		}
	}
	return nil, false
}

// sentence is one text that patterns are tried on.
type sentence struct{ text, lower string }

// sentences are the message and every further sentence, made once.
func (d *diagnosis) sentences() []sentence {
	if d.said == nil {
		d.said = []sentence{}
		for _, text := range append([]string{d.finding.message}, d.finding.parts...) {
			if text = text[:min(len(text), maxMatched)]; text != "" {
				d.said = append(d.said, sentence{text, strings.ToLower(text)})
			}
		}
	}
	return d.said
}

// maxMatched is how much of a text patterns see.
const maxMatched = 4 << 10

func groupsOf(pattern *pattern, text, lower string) (map[string]string, bool) {
	if text == "" || !pattern.mayMatch(text, lower) {
		return nil, false
	}
	if pattern.NumSubexp() == 0 {
		return nil, pattern.MatchString(text)
	}
	match := pattern.FindStringSubmatch(text)
	if match == nil {
		return nil, false
	}
	groups := map[string]string{}
	for i, name := range pattern.SubexpNames() {
		if name != "" && match[i] != "" {
			groups[name] = match[i]
		}
	}
	return groups, true
}
