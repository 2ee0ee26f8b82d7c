package catalog

import (
	"fmt"
	"slices"
	"strings"
)

// groups gather what is to be said of many tools for one reason, in the order in
// which it was met.
type groups struct {
	reasons []string
	names   map[string][]string
}

func (g *groups) add(reason, name string) {
	if g.names == nil {
		g.names = map[string][]string{}
	}
	if _, known := g.names[reason]; !known {
		g.reasons = append(g.reasons, reason)
	}
	if !slices.Contains(g.names[reason], name) {
		g.names[reason] = append(g.names[reason], name)
	}
}

const (
	maxNamed  = 5
	maxGroups = 50
)

// listed names the first few of many.
func listed(names []string) string {
	text := strings.Join(names[:min(len(names), maxNamed)], ", ")
	if more := len(names) - maxNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " is"
	}
	return fmt.Sprintf("%d %ss are", n, noun)
}

// warnOfRest says once per reason what the import could not do.
func (o *openAPIImport) warnOfRest() {
	for _, left := range o.described.LeftOut {
		o.groups.add("left out, since "+left.Reason, left.Name)
	}
	for i, reason := range o.groups.reasons {
		if i == maxGroups {
			o.report.warn(o.at, Problem{Message: fmt.Sprintf("%d further reasons are not listed", len(o.groups.reasons)-i)})
			break
		}
		names := o.groups.names[reason]
		o.report.warn(o.at, Problem{
			Message:  reason + ": " + listed(names),
			Accepted: "select: {except: […]} where it is not needed, else a tool that is written out",
		})
	}
	for _, words := range sortedKeys(o.missing) {
		o.report.warn(o.at.field("security"), Problem{
			Message:  fmt.Sprintf("%s called without a credential: the document asks for %s (%s)", counted(len(o.missing[words]), "tool"), words, listed(o.missing[words])),
			Accepted: "security: {" + strings.Fields(words)[0] + ": {from: env:NAME}}, or secret_headers of the upstream",
		})
	}
	known := slices.Concat(o.described.Operations, o.described.Tags)
	for _, word := range o.described.Idle {
		o.report.warn(o.at.field("select"), Problem{Message: quote(word) + " fits no operation of the document", Suggestion: nearest(word, known)})
	}
	o.noteSizes()
}

// noteSizes tells a reviewer what is served and could be better.
func (o *openAPIImport) noteSizes() {
	var cut, open []string
	for _, d := range o.described.Tools {
		if _, entered := o.byName[d.Tool.GetName()]; !entered {
			continue
		}
		if d.Cut {
			cut = append(cut, d.Tool.GetName())
		}
		if len(d.Undecided) > 0 {
			open = append(open, d.Tool.GetName()+" "+strings.Join(d.Undecided, "/"))
		}
	}
	if len(cut) > 0 {
		o.report.note(o.at, Problem{
			Message:  fmt.Sprintf("%s described in part: their schemas are larger than %d bytes (%s)", counted(len(cut), "tool"), o.schemaBytes(), listed(cut)),
			Accepted: "a larger max_schema_bytes, or an input_schema with what agents need, in tools",
		})
	}
	if len(open) > 0 {
		o.report.note(o.at, Problem{
			Message:  fmt.Sprintf("%s documented to fail in ways that their status leaves open (%s)", counted(len(open), "tool"), listed(open)),
			Accepted: "errors: [{when: status == 409, class: …}] in tools, or x-toolgate-error in the document",
		})
	}
}
