package decide

import (
	"slices"
	"strconv"
	"strings"

	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
)

// Path is where a value stands: a variable, then names and list positions
// (int).
type Path []any

// String is the path as CEL writes it.
func (p Path) String() string {
	var text strings.Builder
	for i, step := range p {
		switch step := step.(type) {
		case int:
			text.WriteString("[" + strconv.Itoa(step) + "]")
		case string:
			if i > 0 {
				text.WriteString(".")
			}
			text.WriteString(step)
		}
	}
	return text.String()
}

// key tells paths apart whatever their names hold.
func (p Path) key() string {
	var text strings.Builder
	for _, step := range p {
		switch step := step.(type) {
		case int:
			text.WriteString("[" + strconv.Itoa(step) + "]")
		case string:
			text.WriteString(strconv.Quote(step))
		}
	}
	return text.String()
}

// pathOf reads `body.error["code"]`; false where it is no such chain from one of
// the variables.
func (s *Space) pathOf(e ast.Expr) (Path, bool) {
	switch e.Kind() {
	case ast.IdentKind:
		name := e.AsIdent()
		return Path{name}, slices.Contains(s.reads.Variables, name)
	case ast.SelectKind:
		if e.AsSelect().IsTestOnly() {
			return nil, false
		}
		return s.longer(e.AsSelect().Operand(), e.AsSelect().FieldName())
	case ast.CallKind:
		call := e.AsCall()
		if call.FunctionName() != operators.Index || call.Args()[1].Kind() != ast.LiteralKind {
			return nil, false
		}
		switch step := call.Args()[1].AsLiteral().(type) {
		case types.String:
			return s.longer(call.Args()[0], string(step))
		case types.Int:
			if step >= 0 && step < maxPosition {
				return s.longer(call.Args()[0], int(step))
			}
		}
	}
	return nil, false
}

// maxPosition keeps the lists that are made to stand in for a body short.
const maxPosition = 16

func (s *Space) longer(operand ast.Expr, step any) (Path, bool) {
	path, ok := s.pathOf(operand)
	return append(slices.Clip(path), step), ok
}

// pathsOf lists the paths that an expression reads, the longest chains that
// there are. bound are the variables of its own.
func (s *Space) pathsOf(e ast.Expr, bound []string) (paths []Path) {
	if path, ok := s.pathOf(e); ok && !slices.Contains(bound, path[0].(string)) {
		return []Path{path}
	}
	each := func(of ...ast.Expr) {
		for _, e := range of {
			paths = append(paths, s.pathsOf(e, bound)...)
		}
	}
	switch e.Kind() {
	case ast.CallKind:
		if call := e.AsCall(); call.IsMemberFunction() {
			each(call.Target())
		}
		each(e.AsCall().Args()...)
	case ast.SelectKind:
		if path, ok := s.testOf(e); ok && !slices.Contains(bound, path[0].(string)) {
			return []Path{path}
		}
		each(e.AsSelect().Operand())
	case ast.ListKind:
		each(e.AsList().Elements()...)
	case ast.MapKind:
		for _, entry := range e.AsMap().Entries() {
			each(entry.AsMapEntry().Key(), entry.AsMapEntry().Value())
		}
	case ast.StructKind:
		for _, field := range e.AsStruct().Fields() {
			each(field.AsStructField().Value())
		}
	case ast.ComprehensionKind:
		c := e.AsComprehension()
		each(c.IterRange(), c.AccuInit())
		bound = append(slices.Clip(bound), c.IterVar(), c.IterVar2(), c.AccuVar())
		each(c.LoopCondition(), c.LoopStep(), c.Result())
	case ast.IdentKind, ast.LiteralKind, ast.UnspecifiedExprKind:
	}
	return paths
}

// testOf reads `has(body.error)`.
func (s *Space) testOf(e ast.Expr) (Path, bool) {
	if e.Kind() != ast.SelectKind || !e.AsSelect().IsTestOnly() {
		return nil, false
	}
	return s.longer(e.AsSelect().Operand(), e.AsSelect().FieldName())
}
