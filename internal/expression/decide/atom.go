package decide

import (
	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// outcome is what an atom comes to.
type outcome byte

// The outcomes, as bits, so that several are possible.
const (
	saysTrue  outcome = 1 << iota
	saysFalse         // a boolean, and false
	saysNone          // an error, or no boolean
	anything  = saysTrue | saysFalse | saysNone
)

// of lists the outcomes that are asked for.
func (w want) outcomes() outcome {
	return map[want]outcome{isTrue: saysTrue, isFalse: saysFalse, notTrue: saysFalse | saysNone, notFalse: saysTrue | saysNone}[w]
}

// atom is a part of a condition without logical operators.
type atom struct {
	key string
	run cel.Program // nil: it can't be run on its own

	on    *variable // what it reads; nil: nothing, or several values
	fixed outcome   // of an atom that reads nothing; 0: it reads

	// simple: it compares its value with constants, so that it says the same of
	// all values between them.
	simple bool
	truth  []outcome // by cell of its variable
}

func (r *reader) atom(e ast.Expr) *atom {
	a := &atom{key: keyOf(e)}
	program, err := r.space.reads.Env.PlanProgram(ast.NewAST(e, r.info), cel.CostLimit(maxCost))
	if err == nil {
		a.run = program
	}
	paths := r.space.pathsOf(e, nil)
	switch {
	case len(paths) == 0:
		a.fixed = a.outcomeOf(map[string]any{})
		return a
	case !same(paths):
		return a
	}
	a.on = r.space.variable(paths[0].key(), paths[0])
	a.on.atoms = append(a.on.atoms, a)
	a.simple = r.isSimple(e, a.on)
	return a
}

// maxCost is what one trial of an atom may cost, in CEL's units.
const maxCost = 10_000

func same(paths []Path) bool {
	for _, path := range paths[1:] {
		if path.key() != paths[0].key() {
			return false
		}
	}
	return true
}

// outcomeOf runs the atom.
func (a *atom) outcomeOf(vars map[string]any) outcome {
	if a.run == nil {
		return anything
	}
	value, _, err := a.run.Eval(vars)
	if err != nil {
		return saysNone
	}
	return outcomeOf(value)
}

func outcomeOf(value ref.Val) outcome {
	switch value {
	case types.True:
		return saysTrue
	case types.False:
		return saysFalse
	}
	return saysNone
}

// isSimple recognises a value on its own, has() of it, and its comparison with
// constants, which it notes at the variable.
func (r *reader) isSimple(e ast.Expr, v *variable) bool {
	if _, ok := r.space.pathOf(e); ok {
		return true
	}
	if _, ok := r.space.testOf(e); ok {
		return true
	}
	if e.Kind() != ast.CallKind || len(e.AsCall().Args()) != 2 || e.AsCall().IsMemberFunction() {
		return false
	}
	value, other := e.AsCall().Args()[0], e.AsCall().Args()[1]
	function := e.AsCall().FunctionName()
	if _, ok := r.space.pathOf(value); !ok {
		if function == operators.In {
			return false
		}
		value, other = other, value
	}
	_, bare := r.space.pathOf(value)
	constant, ok := r.constant(other)
	if !bare || !ok {
		return false
	}
	switch function {
	case operators.Equals, operators.NotEquals:
		return isScalar(constant) && v.compareWith(constant)
	case operators.Less, operators.LessEquals, operators.Greater, operators.GreaterEquals:
		return isNumber(constant) && v.compareWith(constant)
	case operators.In:
		items, ok := scalarsOf(constant)
		return ok && v.compareWith(items...)
	}
	return false
}

// constant is the value of an expression that reads nothing.
func (r *reader) constant(e ast.Expr) (ref.Val, bool) {
	if len(r.space.pathsOf(e, nil)) > 0 {
		return nil, false
	}
	program, err := r.space.reads.Env.PlanProgram(ast.NewAST(e, r.info), cel.CostLimit(maxCost))
	if err != nil {
		return nil, false
	}
	value, _, err := program.Eval(map[string]any{})
	return value, err == nil
}

// scalarsOf are the items of a list that holds scalars alone.
func scalarsOf(value ref.Val) (items []ref.Val, ok bool) {
	list, isList := value.(traits.Lister)
	if !isList {
		return nil, false
	}
	for it := list.Iterator(); it.HasNext() == types.True; {
		item := it.Next()
		if !isScalar(item) {
			return nil, false
		}
		items = append(items, item)
	}
	return items, true
}

func isNumber(value ref.Val) bool {
	switch value.(type) {
	case types.Int, types.Uint, types.Double:
		return true
	}
	return false
}

func isScalar(value ref.Val) bool {
	switch value.(type) {
	case types.String, types.Bool, types.Null:
		return true
	}
	return isNumber(value)
}
