package catalog

import (
	"errors"
	"fmt"
	"strings"

	catalogv1 "toolgate.dev/toolgate/gen/go/toolgate/catalog/v1"
	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/arguments"
	"toolgate.dev/toolgate/internal/expression"
	"toolgate.dev/toolgate/internal/rawjson"
)

const (
	maxDescriptionBytes = 1024
	anyObject           = `{"type":"object"}`
)

// compileTool compiles what an entry says of itself; what it says of other tools
// is looked at when all are there.
func (b *builder) compileTool(e *entry) {
	w := e.written
	e.outline = outlineOf(w.GetInputSchema())
	e.tool = &interceptors.Tool{
		Name: w.GetName(), Description: w.GetDescription(), Upstream: w.GetUpstream(),
		Effect: effectOf(w), Poll: w.GetPoll(), Narrow: w.GetNarrow(), HasIdempotencyKey: w.GetIdempotencyKey() != nil,
		Policy:  b.over(b.defaults, e.at.field("policy"), w.GetPolicy()),
		Results: interceptors.ResultShape{Items: w.GetResult().GetItems(), Matched: w.GetResult().GetMatched()},
		Diagnosis: interceptors.DiagnosisHint{
			Provider: w.GetProvider(), Required: e.outline.required, Method: w.GetHttp().GetMethod(),
		},
	}
	if size := len(w.GetDescription()); size > maxDescriptionBytes {
		b.report.sayf(e.at.field("description"), fmt.Sprintf("at most %d", maxDescriptionBytes), "%d bytes are too long", size)
	}
	b.compileSchema(e)
	b.joinUpstream(e)
	b.compileBackend(e)
	b.compileExpressions(e)
	b.checkNarrow(e)
	b.checkResult(e)
	e.tool.Diagnosis.Secrets = echoes(e.secrets)
	e.tool.Version = toolVersion(e)
}

// effectOf is what is written, else what the method says.
func effectOf(w *catalogv1.Tool) toolgatev1.Effect {
	switch w.GetEffect() {
	case catalogv1.Effect_EFFECT_READ:
		return toolgatev1.Effect_EFFECT_READ
	case catalogv1.Effect_EFFECT_IDEMPOTENT:
		return toolgatev1.Effect_EFFECT_IDEMPOTENT
	case catalogv1.Effect_EFFECT_WRITE:
		return toolgatev1.Effect_EFFECT_WRITE
	}
	switch w.GetHttp().GetMethod() {
	case "GET", "HEAD":
		return toolgatev1.Effect_EFFECT_READ
	case "PUT", "DELETE":
		return toolgatev1.Effect_EFFECT_IDEMPOTENT
	}
	return toolgatev1.Effect_EFFECT_WRITE
}

func (b *builder) compileSchema(e *entry) {
	text := e.written.GetInputSchema()
	if text == "" {
		e.tool.Schema, e.tool.SchemaJSON = arguments.Unchecked(e.tool.Name), anyObject
		return
	}
	schema, err := arguments.Compile(e.tool.Name, []byte(text))
	if err != nil {
		b.report.warn(b.inSchema(e, err), Problem{
			Message:  "the schema does not compile, so that any object passes: " + strings.TrimPrefix(err.Error(), "input_schema "),
			Accepted: "a JSON Schema (draft 2020-12) of an object",
		})
		e.tool.Schema, e.tool.SchemaJSON, e.tool.Unvalidated = arguments.Unchecked(e.tool.Name), sketchOf(text), true
		return
	}
	e.tool.Schema, e.tool.SchemaJSON = schema, text
}

// joinUpstream finds the entry's upstream and takes what it does not say itself.
func (b *builder) joinUpstream(e *entry) {
	name := e.written.GetUpstream()
	if name == "" {
		return
	}
	found, known := b.upstreams[name]
	if !known {
		b.report.add(e.at.field("upstream"), Problem{
			Message:    "no upstream is named " + quote(name),
			Suggestion: nearest(name, sortedKeys(b.upstreams)), Accepted: strings.Join(sortedKeys(b.upstreams), ", "),
		})
		e.upstream = &upstream{name: name, written: &catalogv1.Upstream{}, wrong: true}
		return
	}
	e.upstream = found
	e.secrets = append(e.secrets, found.secrets.values...)
	if e.tool.Diagnosis.Provider == "" {
		e.tool.Diagnosis.Provider = found.written.GetProvider()
	}
	e.tool.Diagnosis.SpeaksToolgate = found.written.GetSpeaks() == catalogv1.Speaks_SPEAKS_TOOLGATE
}

// compileExpressions compiles rules, lookup and verification.
func (b *builder) compileExpressions(e *entry) {
	w, name := e.written, e.tool.Name
	rules, err := b.expressions.Rules(name, w.GetErrors())
	b.reportFaults(e.at.field("errors"), err)
	e.tool.Rules = rules
	if written := w.GetAlternatives(); written != nil {
		e.tool.Lookup, err = b.expressions.Lookup(name, written)
		b.reportFaults(e.at.field("alternatives"), err)
	}
	if written := w.GetVerifyWith(); written != nil {
		e.tool.Verification, err = b.expressions.Verification(name, written)
		b.reportFaults(e.at.field("verify_with"), err)
	}
	for i, rule := range w.GetErrors() {
		b.checkRuleNames(e, e.at.field("errors").index(i), rule)
	}
}

// checkRuleNames holds the arguments that a rule names against the schema.
func (b *builder) checkRuleNames(e *entry, at at, rule *catalogv1.ErrorRule) {
	if field := rule.GetField(); field != "" {
		b.checkArgument(e, at.field("field"), field)
	}
	for i, requested := range rule.GetRequested() {
		b.checkArgument(e, at.field("requested").index(i), requested)
	}
	for _, name := range sortedKeys(rule.GetFacts()) {
		if pointer, ok := strings.CutPrefix(rule.GetFacts()[name], "arguments#/"); ok {
			top, _, _ := strings.Cut(pointer, "/")
			b.checkArgument(e, at.field("facts").field(name), strings.NewReplacer("~1", "/", "~0", "~").Replace(top))
		}
	}
}

// reportFaults gives the faults of expressions their places in the file.
func (b *builder) reportFaults(at at, err error) {
	faults, _ := errors.AsType[expression.Faults](err)
	for _, fault := range faults {
		place := at.below(fault.Path)
		problem := Problem{Message: fault.Message, Accepted: fault.Accepted}
		if fault.Line > 0 {
			problem.Line, problem.Column = b.source.inText(place.node, fault.Line, fault.Column)
		}
		b.report.add(place, problem)
	}
}

// checkArgument refuses the name of an argument that the tool has not.
func (b *builder) checkArgument(e *entry, at at, name string) {
	top, _, _ := strings.Cut(name, ".")
	top, _, _ = strings.Cut(top, "[")
	if !e.outline.knows(top) {
		b.report.add(at, Problem{
			Message: quote(name) + " is no argument of the tool", Suggestion: nearest(top, e.outline.names), Accepted: e.outline.accepted(),
		})
	}
}

func (b *builder) checkNarrow(e *entry) {
	name := e.written.GetNarrow()
	if name == "" {
		return
	}
	b.checkArgument(e, e.at.field("narrow"), name)
	if !e.tool.Reads() {
		b.report.sayf(e.at.field("narrow"), "effect: read", "only a read can be told to ask for less")
	}
}

func (b *builder) checkResult(e *entry) {
	for field, pointer := range map[string]string{"items": e.tool.Results.Items, "matched": e.tool.Results.Matched} {
		if !rawjson.ValidPointer(pointer) {
			b.report.sayf(e.at.field("result").field(field), "/name (RFC 6901)", "%s is no JSON Pointer", quote(pointer))
		}
	}
}
