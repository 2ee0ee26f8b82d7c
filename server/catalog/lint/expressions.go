package lint

import (
	"fmt"
	"slices"
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"

	"toolgate.dev/toolgate/internal/expression"
)

// expressions looks at the expressions of a tool that are no conditions of rules,
// and at what they make.
func (c *checker) expressions(t *tool) {
	for i := range t.Written.GetErrors() {
		c.namesNothing(t.at.at("errors", i, "retry_after"), expression.InRule, map[string]*tool{"arguments": t})
	}
	lookup := t.at.at("alternatives")
	other := c.toolNamed(t.Written.GetAlternatives().GetTool())
	if made := c.parse(lookup.at("arguments"), expression.InLookupArguments); made != nil {
		c.namesNothing(lookup.at("arguments"), expression.InLookupArguments, map[string]*tool{"arguments": t})
		c.makes(lookup.at("arguments"), made, other)
	}
	if made := c.parse(lookup.at("items"), expression.InLookupItems); made != nil {
		c.namesNothing(lookup.at("items"), expression.InLookupItems, map[string]*tool{"arguments": t})
		c.offers(lookup.at("items"), made, t)
	}
}

// parse reads an expression; nil where it does not compile, which is said
// elsewhere.
func (c *checker) parse(at spot, in expression.Place) *ast.AST {
	if at.text() == "" {
		return nil
	}
	compiled, issues := c.compiler.Environment(in).Compile(at.text())
	if issues.Err() != nil {
		return nil
	}
	return compiled.NativeRep()
}

// namesNothing reports names in an expression that are not there: headers with
// capital letters, arguments that a tool does not have. of says whose arguments a
// variable holds.
func (c *checker) namesNothing(at spot, in expression.Place, of map[string]*tool) (found bool) {
	parsed := c.parse(at, in)
	if parsed == nil {
		return false
	}
	ast.PreOrderVisit(parsed.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		variable, name, ok := nameIn(e)
		whose := of[variable]
		switch {
		case !ok:
		case variable == "headers" && in == expression.InRule && name != strings.ToLower(name):
			found = true
			c.add(headerCase, c.within(at, parsed, e), fmt.Sprintf("no header is named %q here", name), fmt.Sprintf("headers[%q]", strings.ToLower(name)))
		case whose != nil && whose.closed() && !whose.schema.declares(name):
			found = true
			c.add(unknownArgument, c.within(at, parsed, e), fmt.Sprintf("%q is no argument of %s", name, whose.Written.GetName()), accepts(whose))
		}
	}))
	return found
}

func accepts(t *tool) string { return "accepted: " + strings.Join(t.schema.arguments(), ", ") }

// nameIn reads `headers.x`, `headers["x"]`, `"x" in headers`.
func nameIn(e ast.Expr) (of, name string, ok bool) {
	switch e.Kind() {
	case ast.SelectKind:
		return identOf(e.AsSelect().Operand(), e.AsSelect().FieldName())
	case ast.CallKind:
		args := e.AsCall().Args()
		switch e.AsCall().FunctionName() {
		case operators.Index, operators.OptIndex:
			return identOf(args[0], textOf(args[1]))
		case operators.OptSelect:
			return identOf(args[0], textOf(args[1]))
		case operators.In:
			return identOf(args[1], textOf(args[0]))
		}
	}
	return "", "", false
}

func identOf(e ast.Expr, name string) (of, named string, ok bool) {
	if e.Kind() != ast.IdentKind || name == "" {
		return "", "", false
	}
	return e.AsIdent(), name, true
}

// textOf is a literal text; empty for anything else.
func textOf(e ast.Expr) string {
	if e.Kind() != ast.LiteralKind {
		return ""
	}
	text, _ := e.AsLiteral().(types.String)
	return string(text)
}

// within is the place of a part of an expression, where the text stands on one
// line as it is; else that of the whole.
func (c *checker) within(at spot, parsed *ast.AST, e ast.Expr) Place {
	place := c.doc.content(at)
	from, to := spanOf(parsed, e)
	if from >= to || strings.Contains(at.text(), "\n") {
		return place
	}
	end, onOneLine := c.doc.end(at.value)
	start := c.doc.offset(at.value.Line, at.value.Column)
	if !onOneLine || !strings.Contains(c.doc.text[start:end], at.text()) {
		return place
	}
	quote := strings.Index(c.doc.text[start:end], at.text())
	if rest := []rune(at.text()); to < len(rest) && rest[to] == ']' {
		to++
	}
	place.Column += quote + from
	place.EndColumn = place.Column + to - from
	return place
}

// spanOf is where an expression stands, with all that belongs to it.
func spanOf(parsed *ast.AST, e ast.Expr) (from, to int) {
	from = -1
	ast.PreOrderVisit(e, ast.NewExprVisitor(func(part ast.Expr) {
		if offsets, ok := parsed.SourceInfo().GetOffsetRange(part.ID()); ok {
			if from < 0 || int(offsets.Start) < from {
				from = int(offsets.Start)
			}
			to = max(to, int(offsets.Stop))
		}
	}))
	return from, to
}

// makes holds a map of arguments against the schema of the tool that gets it.
func (c *checker) makes(at spot, made *ast.AST, other *tool) {
	if other == nil || other.schema == nil || other.Tool.Unvalidated {
		return
	}
	names, ok := namesOf(made.Expr())
	if !ok {
		return
	}
	for _, name := range other.schema.requires() {
		if !slices.Contains(names, name) {
			c.add(lookupArguments, c.doc.content(at), fmt.Sprintf("%s requires %s, and these arguments lack it", other.Written.GetName(), name), fmt.Sprintf("%q: …", name))
			return
		}
	}
	for _, name := range names {
		if other.closed() && !other.schema.declares(name) {
			c.add(lookupArguments, c.doc.content(at), fmt.Sprintf("%q is no argument of %s", name, other.Written.GetName()), accepts(other))
			return
		}
	}
}

// namesOf lists the keys of a map that is written out.
func namesOf(e ast.Expr) (names []string, ok bool) {
	if e.Kind() != ast.MapKind {
		return nil, false
	}
	for _, entry := range e.AsMap().Entries() {
		name := textOf(entry.AsMapEntry().Key())
		if name == "" || entry.AsMapEntry().IsOptional() {
			return nil, false
		}
		names = append(names, name)
	}
	return names, true
}

// offers holds the alternatives that are written out as maps against the schema
// of the tool that they are for.
func (c *checker) offers(at spot, made *ast.AST, t *tool) {
	ast.PreOrderVisit(made.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.MapKind {
			return
		}
		keys, ok := namesOf(e)
		if !ok || !slices.Contains(keys, "arguments") {
			return
		}
		of := t
		for _, entry := range e.AsMap().Entries() {
			if textOf(entry.AsMapEntry().Key()) == "tool" {
				of = c.toolNamed(textOf(entry.AsMapEntry().Value()))
			}
		}
		for _, entry := range e.AsMap().Entries() {
			if value := entry.AsMapEntry().Value(); textOf(entry.AsMapEntry().Key()) == "arguments" && value.Kind() == ast.MapKind {
				c.makes(at, ast.NewAST(value, made.SourceInfo()), of)
			}
		}
	}))
}
