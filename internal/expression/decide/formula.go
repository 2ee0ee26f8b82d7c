package decide

import (
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
)

// want is what is asked of an expression, whose value is true, false, or none
// (an error, or something that is no boolean).
type want int

const (
	isTrue want = iota
	isFalse
	notTrue
	notFalse
)

// formula is a condition cut at its logical operators.
type formula struct {
	kind  formulaKind
	parts []formula
	atom  *atom
	want  want
}

type formulaKind int

const (
	allOf formulaKind = iota // no parts: true
	anyOf                    // no parts: false
	literal
)

// reader turns one condition's expressions into formulas.
type reader struct {
	space *Space
	info  *ast.SourceInfo
}

func (r *reader) formula(e ast.Expr, w want) formula {
	if e.Kind() == ast.CallKind {
		call := e.AsCall()
		switch args := call.Args(); call.FunctionName() {
		case operators.LogicalAnd:
			return r.join(allOf, args, w)
		case operators.LogicalOr:
			return r.join(anyOf, args, w)
		case operators.LogicalNot:
			return r.formula(args[0], opposite(w))
		case operators.Conditional:
			return r.choice(args, w)
		}
	}
	if e.Kind() == ast.LiteralKind {
		return constant(outcomeOf(e.AsLiteral())&w.outcomes() != 0)
	}
	return formula{kind: literal, atom: r.atom(e), want: w}
}

// join: `a && b` is true where both are, false where either is, whatever the
// other does; `a || b` the other way round.
func (r *reader) join(kind formulaKind, args []ast.Expr, w want) formula {
	if w == isFalse || w == notTrue {
		kind = allOf + anyOf - kind
	}
	joined := formula{kind: kind}
	for _, arg := range args {
		joined.parts = append(joined.parts, r.formula(arg, w))
	}
	return joined
}

// choice: `c ? x : y`.
func (r *reader) choice(args []ast.Expr, w want) formula {
	inner, outer, yes, no := allOf, anyOf, isTrue, isFalse
	if w == notTrue || w == notFalse {
		inner, outer, yes, no = anyOf, allOf, notTrue, notFalse
	}
	return formula{kind: outer, parts: []formula{
		{kind: inner, parts: []formula{r.formula(args[0], yes), r.formula(args[1], w)}},
		{kind: inner, parts: []formula{r.formula(args[0], no), r.formula(args[2], w)}},
	}}
}

// opposite is what is asked of `a` where w is asked of `!a`.
func opposite(w want) want {
	return map[want]want{isTrue: isFalse, isFalse: isTrue, notTrue: notFalse, notFalse: notTrue}[w]
}

func constant(truth bool) formula {
	if truth {
		return formula{kind: allOf}
	}
	return formula{kind: anyOf}
}
