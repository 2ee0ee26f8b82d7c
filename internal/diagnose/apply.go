package diagnose

import (
	"strings"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// apply adds what a provider rule knows to the finding.
func (d *diagnosis) apply(rule *providerRule, groups map[string]string) {
	f, r, result := &d.finding, d.reading, &rule.result
	f.account = f.account || result.account
	f.partial = f.partial || result.partial
	if f.blockedBy == "" {
		f.blockedBy = result.blockedBy
	}
	if code := d.ruleCode(result); code != "" {
		f.codes = append([]string{code}, f.codes...)
	}
	for _, w := range result.wait {
		f.wait.offer(d.readWait(w.place.first(r), w.unit), "the vocabulary's rule")
	}
	if text := groups["wait"]; text != "" {
		f.wait.offer(d.parse(text, result.waitUnit), "the provider's sentence")
	}
	if f.waitElse == 0 {
		f.waitElse = result.waitDefault
	}
	for _, p := range result.facts {
		f.addFact(p.name, p.place.first(r))
	}
	for _, name := range sortedKeys(groups) {
		if !groupNames[name] {
			f.addFact(name, scalar(groups[name]))
		}
	}
	d.applyField(result, groups)
	d.applyAlternatives(result)
}

// groupNames are the named groups that are not facts.
var groupNames = map[string]bool{
	"wait": true, "field": true, "value": true, "accepted": true, "range": true, "format": true,
}

func (d *diagnosis) ruleCode(result *ruleResult) string {
	if result.codePlace != nil {
		return shortCode(result.codePlace.first(d.reading).str())
	}
	return result.code
}

// applyField adds the fault that the rule names, or completes the one that is
// known already.
func (d *diagnosis) applyField(result *ruleResult, groups map[string]string) {
	v := violation{problem: result.problem, format: result.format, span: result.span, accepted: result.accepted}
	if groups["field"] != "" {
		v.field = groups["field"]
	} else if len(result.field) > 0 {
		v.field, v.mapped = d.likeliest(result.field)
	}
	if result.acceptedPlace != nil {
		v.accepted = valuesOf(result.acceptedPlace.first(d.reading))
	}
	if groups["accepted"] != "" {
		v.accepted = splitValues(groups["accepted"])
	}
	if groups["value"] != "" {
		v.value = scalar(groups["value"])
	}
	v.span, v.format = orElse(groups["range"], v.span), orElse(groups["format"], v.format)
	f := &d.finding
	if v.field == "" && v.problem == "" && len(v.accepted) == 0 && v.span == "" && v.format == "" && v.value == nil {
		return
	}
	if len(f.violations) == 0 {
		f.violations = append(f.violations, v)
		return
	}
	first := &f.violations[0]
	first.problem, first.format, first.span = orElse(first.problem, v.problem), orElse(first.format, v.format), orElse(first.span, v.span)
	if first.field == "" {
		first.field, first.mapped = v.field, v.mapped
	}
	if len(first.accepted) == 0 {
		first.accepted = v.accepted
	}
	if first.value == nil {
		first.value = v.value
	}
}

// likeliest is the first of the names that the call has; the first name of all
// where it has none.
func (d *diagnosis) likeliest(names []string) (string, bool) {
	for _, name := range names {
		if path, ok := d.index().resolve(name); ok {
			return path, true
		}
	}
	return names[0], false
}

// applyAlternatives makes calls with one argument replaced by each value that
// the provider offers.
func (d *diagnosis) applyAlternatives(result *ruleResult) {
	if result.alternatives == nil || len(d.finding.alternatives) > 0 {
		return
	}
	var values []string
	for _, p := range d.placesOf(*result.alternatives) {
		values = append(values, valuesOf(p)...)
	}
	for _, value := range values {
		if len(d.finding.alternatives) == 3 {
			d.finding.moreAlternatives = true
			return
		}
		if arguments, ok := d.index().replaced(result.alternativeArg, value); ok {
			d.finding.alternatives = append(d.finding.alternatives, &toolgatev1.Alternative{
				Tool: d.tool.Name, ArgumentsJson: arguments, Label: result.alternativeArg + " " + value,
			})
		}
	}
}

func (d *diagnosis) placesOf(p place) []*node {
	if p.kind != inBody {
		return []*node{p.first(d.reading)}
	}
	var out []*node
	for _, f := range p.find(d.reading.root) {
		out = append(out, f.node)
	}
	return out
}

func orElse(a, b string) string {
	if strings.TrimSpace(a) == "" {
		return b
	}
	return a
}

// scalar is a number where s is one by JSON's grammar, else a string.
func scalar(s string) *node {
	if isJSONNumber(s) {
		return &node{kind: numberNode, text: s}
	}
	return stringOf(s)
}
