package decide

import (
	"fmt"
	"strings"

	"cel.dev/cel-go/common/ast"
)

// keyOf writes an expression so that two that mean the same by their form have
// the same text, whatever their spaces and quotes.
func keyOf(e ast.Expr) string {
	var text strings.Builder
	writeKey(&text, e)
	return text.String()
}

func writeKey(to *strings.Builder, e ast.Expr) {
	list := func(name string, parts ...ast.Expr) {
		to.WriteString(name + "(")
		for _, part := range parts {
			writeKey(to, part)
			to.WriteString(",")
		}
		to.WriteString(")")
	}
	switch e.Kind() {
	case ast.IdentKind:
		to.WriteString(strings.TrimPrefix(e.AsIdent(), "."))
	case ast.LiteralKind:
		fmt.Fprintf(to, "%s:%q", e.AsLiteral().Type().TypeName(), fmt.Sprint(e.AsLiteral().Value()))
	case ast.SelectKind:
		s := e.AsSelect()
		list(fmt.Sprintf("select %q %t", s.FieldName(), s.IsTestOnly()), s.Operand())
	case ast.CallKind:
		parts := e.AsCall().Args()
		if e.AsCall().IsMemberFunction() {
			parts = append([]ast.Expr{e.AsCall().Target()}, parts...)
		}
		list(fmt.Sprintf("call %s %t", e.AsCall().FunctionName(), e.AsCall().IsMemberFunction()), parts...)
	case ast.ListKind:
		list("list", e.AsList().Elements()...)
	case ast.MapKind:
		var parts []ast.Expr
		for _, entry := range e.AsMap().Entries() {
			parts = append(parts, entry.AsMapEntry().Key(), entry.AsMapEntry().Value())
		}
		list("map", parts...)
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		list("fold "+c.IterVar()+" "+c.IterVar2()+" "+c.AccuVar(), c.IterRange(), c.AccuInit(), c.LoopCondition(), c.LoopStep(), c.Result())
	case ast.StructKind, ast.UnspecifiedExprKind:
		fmt.Fprintf(to, "expr %d", e.ID()) // no two are the same
	}
}
