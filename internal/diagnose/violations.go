package diagnose

import (
	"slices"
	"sort"
	"strings"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
)

// maxViolations is how many faults are mapped; the contract shows eight.
const maxViolations = 12

// violations maps every fault to the tool's own arguments. There is always at
// least one: the arguments as a whole, where nothing better is known.
func (d *diagnosis) violations(c *cleaner) []*toolgatev1.Violation {
	f := &d.finding
	list := f.violations
	if len(list) > maxViolations {
		list = list[:maxViolations]
	}
	var out []*toolgatev1.Violation
	named := false
	for _, v := range list {
		one := d.violation(c, v)
		named = named || one.Field != ""
		out = append(out, one)
	}
	if len(out) == 0 {
		one := d.violation(c, violation{problem: f.sentence()})
		named = one.Field != ""
		out = append(out, one)
	}
	if named { // what names nothing says nothing beside what does
		sort.SliceStable(out, func(i, j int) bool { return out[i].Field != "" && out[j].Field == "" })
	}
	if !named && len(out) == 1 && len(out[0].Accepted) == 0 && d.guessed() {
		out[0].Accepted = d.tool.Diagnosis.Required
	}
	return out
}

func (d *diagnosis) guessed() bool {
	return d.finding.by == toolgatev1.ClassifiedBy_CLASSIFIED_BY_STATUS
}

func (d *diagnosis) violation(c *cleaner, v violation) *toolgatev1.Violation {
	spelled := v.field
	path := d.mapField(&v)
	field := c.field(path, spelled, v.mapped || d.index().knows(path))
	prose := orElse(v.problem, d.finding.sentence())
	readAccepted(&v, prose)
	if len(v.accepted) == 0 && v.span == "" && v.format == "" && prose != d.finding.sentence() && len(d.finding.violations) <= 1 {
		readAccepted(&v, d.finding.sentence())
	}
	out := &toolgatev1.Violation{
		Field: field, Problem: c.prose(d, prose), Format: c.short(v.format), Range: c.short(v.span),
	}
	value := v.value
	switch {
	case value != nil:
		out.ValueJson = c.echo(field, value)
	default:
		if value = d.index().valueAt(field); value != nil {
			out.ValueJson = c.value(field, value)
		}
	}
	for i, item := range nearest(v.accepted, value.str()) {
		if i == 24 {
			out.AcceptedTruncated = true
			break
		}
		out.Accepted = append(out.Accepted, c.short(item))
	}
	return out
}

// mapField is the tool's own path of a fault, "" where it is not known.
func (d *diagnosis) mapField(v *violation) string {
	if v.mapped {
		return v.field
	}
	path, ok := d.index().resolve(v.field)
	if ok {
		return path
	}
	if v.value != nil {
		if echoed, found := d.index().echoed(v.value.str()); found {
			return echoed
		}
	}
	if echoed, found := d.index().echoed(v.field); found {
		return echoed // it was the value, not the name
	}
	version, stale := d.staleVersion()
	if v.field != "" && path != "" && !(stale && versionNames[plain(v.field)]) {
		return path
	}
	if stale {
		return version
	}
	for _, text := range []string{v.problem, d.finding.sentence()} {
		if field, found := d.fieldInProse(text); found {
			return field
		}
		if name := missingInProse(text); name != "" {
			path, _ := d.index().resolve(name)
			return path
		}
	}
	if field, found := d.fieldInCode(); found {
		return field
	}
	if field, found := d.tooLong(d.finding.sentence()); found {
		return field
	}
	return path
}

// knows reports a path of an argument that was sent or is declared.
func (x *argumentIndex) knows(path string) bool {
	return slices.ContainsFunc(x.sent, func(a argument) bool { return a.path() == path }) ||
		slices.ContainsFunc(x.known, func(a argument) bool { return a.path() == path })
}

// valueAt is what was sent at a path; nil where nothing was.
func (x *argumentIndex) valueAt(path string) *node {
	if path == "" {
		return nil
	}
	for i := range x.sent {
		if x.sent[i].path() == path {
			return x.sent[i].node
		}
	}
	return nil
}

// nearest sorts accepted values by their likeness to the offending one.
func nearest(accepted []string, value string) []string {
	if value == "" || len(accepted) < 3 || len(accepted) > 256 || len(value) > 64 {
		return accepted
	}
	out := append([]string(nil), accepted...)
	distance := make(map[string]int, len(out))
	for _, s := range out {
		distance[s] = editDistance(strings.ToLower(s), strings.ToLower(value))
	}
	sort.SliceStable(out, func(i, j int) bool { return distance[out[i]] < distance[out[j]] })
	return out
}

// editDistance is Levenshtein's, over bytes; long texts are far away.
func editDistance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 1 << 10
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := before
			if a[i-1] != b[j-1] {
				cost++
			}
			before, row[j] = row[j], min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
