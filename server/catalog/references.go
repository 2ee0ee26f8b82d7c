package catalog

import (
	"fmt"
	"strings"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/rawjson"
)

const (
	maxFallbacks      = 3
	maxLabelBytes     = 80
	maxAlternativeLen = 512
)

// checkReferences holds what an entry says of other tools against them.
func (b *builder) checkReferences(e *entry) {
	for i, rule := range e.written.GetErrors() {
		if name := rule.GetUnblockWith(); name != "" {
			b.find(e.at.field("errors").index(i).field("unblock_with"), name)
		}
	}
	if written := e.written.GetVerifyWith(); written != nil {
		b.findRead(e, e.at.field("verify_with").field("tool"), written.GetTool())
	}
	if written := e.written.GetAlternatives(); written != nil {
		other := b.findRead(e, e.at.field("alternatives").field("tool"), written.GetTool())
		if e.tool.Lookup != nil && other != nil {
			e.tool.Lookup.When = whenOf(written.GetWhen(), e.tool.Upstream == other.tool.Upstream)
		}
	}
	b.checkFallbacks(e)
}

// find finds the tool that is named at a place; nil where there is none.
func (b *builder) find(at at, name string) *entry {
	if found, known := b.byName[name]; known && name != "" {
		return found
	}
	names := sortedKeys(b.byName)
	if name == "" {
		b.report.sayf(at, "a tool of this catalogue", "the tool is missing")
		return nil
	}
	if b.mayCome(name) {
		return nil
	}
	b.report.add(at, Problem{
		Message: "no tool is named " + quote(name), Suggestion: nearest(name, names), Accepted: "a tool of this catalogue",
	})
	return nil
}

// findRead finds another tool, which must change nothing.
func (b *builder) findRead(e *entry, at at, name string) *entry {
	found := b.find(at, name)
	switch {
	case found == nil:
		return nil
	case found == e:
		b.report.sayf(at, "another tool", "the tool names itself")
		return nil
	case !found.tool.Reads():
		b.report.sayf(at, "a tool with effect: read", "%s is no read", name)
		return nil
	}
	return found
}

// whenOf: without a word the lookup of the same upstream always runs.
func whenOf(written catalogv1.LookupWhen, sameUpstream bool) interceptors.LookupWhen {
	switch written {
	case catalogv1.LookupWhen_LOOKUP_WHEN_ALWAYS:
		return interceptors.LookupAlways
	case catalogv1.LookupWhen_LOOKUP_WHEN_ON_REQUEST:
		return interceptors.LookupOnRequest
	case catalogv1.LookupWhen_LOOKUP_WHEN_NEVER:
		return interceptors.LookupNever
	}
	if sameUpstream {
		return interceptors.LookupAlways
	}
	return interceptors.LookupOnRequest
}

func (b *builder) checkFallbacks(e *entry) {
	all := e.at.field("fallbacks")
	if n := len(e.written.GetFallbacks()); n > maxFallbacks {
		b.report.sayf(all, fmt.Sprintf("at most %d", maxFallbacks), "%d fallbacks are too many", n)
	}
	for i, written := range e.written.GetFallbacks() {
		at := all.index(i)
		e.tool.Fallbacks = append(e.tool.Fallbacks, &toolgatev1.Alternative{
			Tool: written.GetTool(), ArgumentsJson: written.GetArguments(), Label: written.GetLabel(),
		})
		switch size := len(written.GetLabel()); {
		case size == 0:
			b.report.sayf(at.field("label"), "what it is, in the words that the model reads", "the label is missing")
		case size > maxLabelBytes:
			b.report.sayf(at.field("label"), fmt.Sprintf("at most %d", maxLabelBytes), "%d bytes are too long", size)
		}
		found := b.find(at.field("tool"), written.GetTool())
		if found == e {
			b.report.sayf(at.field("tool"), "another tool", "the tool names itself")
		}
		b.checkFallbackArguments(at.field("arguments"), found, written.GetArguments())
	}
}

// checkFallbackArguments makes sure that what is offered as ready to call is.
func (b *builder) checkFallbackArguments(at at, tool *entry, text string) {
	switch {
	case text == "":
		return
	case len(text) > maxAlternativeLen:
		b.report.sayf(at, fmt.Sprintf("at most %d", maxAlternativeLen), "%d bytes are too long", len(text))
		return
	case rawjson.KindOf([]byte(text)) != rawjson.Object:
		b.report.sayf(at, "a mapping", "arguments are an object")
		return
	case tool == nil:
		return
	}
	checked := tool.tool.Schema.Check(text)
	if checked.Fault != nil {
		b.report.sayf(at, "", "the schema of %s rejects these arguments: %s", tool.tool.Name, describe(checked.Fault))
	}
	for _, change := range checked.Coercions {
		b.report.sayf(at, change.GetToJson(), "the schema of %s takes these arguments only with %s changed", tool.tool.Name, quote(change.GetField()))
	}
}

func describe(fault *toolgatev1.ToolError) string {
	var said []string
	for _, v := range fault.GetViolations() {
		said = append(said, strings.TrimPrefix(v.GetField()+": "+v.GetProblem(), ": "))
	}
	if len(said) == 0 {
		return fault.GetMessage()
	}
	return strings.Join(said, "; ")
}
