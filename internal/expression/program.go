package expression

import (
	"errors"
	"strings"

	"cel.dev/cel-go/cel"
	celast "cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/interpreter"
)

// Failure is one expression that failed at run time.
type Failure struct {
	Tool  string // the tool in whose entry the expression stands
	Place string // where there: `errors[2].when`
	Kind  FailureKind
}

// FailureKind says how an expression failed. It is fit for a metric's label.
type FailureKind string

// How an expression fails.
const (
	FailureMissing FailureKind = "missing_key"   // a key or index that is not there
	FailureCost    FailureKind = "cost_limit"    // it cost too much
	FailureType    FailureKind = "wrong_type"    // operands or result of the wrong type
	FailureOther   FailureKind = "runtime_error" // anything else
)

var errWrongType = errors.New("wrong type")

// program is one compiled expression.
type program struct {
	run   cel.Program
	keys  map[string]int // where a key stands in the expression's own map literals
	tool  string
	place string
	hook  func(Failure)
}

// site is where an expression stands: its environment and what it may cost.
type site struct {
	env   *cel.Env
	cost  uint64
	tool  string
	place string // in the tool's entry
	path  string // below what is being compiled
	want  []*cel.Type
	wants string // want in words
}

// compile adds what is wrong to faults and then returns nil.
func (c *Compiler) compile(at site, text string, faults *collector) *program {
	if strings.TrimSpace(text) == "" {
		faults.add(at.path, "an expression is missing", at.wants)
		return nil
	}
	checked, issues := at.env.Compile(text)
	if issues.Err() != nil {
		faults.addIssues(at.path, issues)
		return nil
	}
	if !fits(checked.OutputType(), at.want) {
		faults.add(at.path, "the expression gives "+checked.OutputType().String(), at.wants)
		return nil
	}
	run, err := at.env.Program(checked, cel.CostLimit(at.cost))
	if err != nil {
		faults.add(at.path, err.Error(), "")
		return nil
	}
	return &program{run: run, keys: keyOrder(checked), tool: at.tool, place: at.place, hook: c.failed}
}

func fits(got *cel.Type, want []*cel.Type) bool {
	if got.IsExactType(cel.DynType) {
		return true
	}
	for _, one := range want {
		if one.IsAssignableType(got) {
			return true
		}
	}
	return false
}

// eval runs the program; false where it failed, which is then reported.
func (p *program) eval(vars cel.Activation) (ref.Val, bool) {
	value, _, err := p.run.Eval(vars)
	if err == nil && !types.IsUnknownOrError(value) {
		return value, true
	}
	if err == nil {
		err, _ = value.(error)
	}
	p.fail(err)
	return nil, false
}

// isTrue reports whether the program says true.
func (p *program) isTrue(vars cel.Activation) bool {
	value, ok := p.eval(vars)
	if !ok {
		return false
	}
	truth, isBool := value.(types.Bool)
	if !isBool {
		p.fail(errWrongType)
	}
	return bool(truth)
}

func (p *program) fail(err error) {
	p.hook(Failure{Tool: p.tool, Place: p.place, Kind: kindOf(err)})
}

func kindOf(err error) FailureKind {
	var cancelled interpreter.EvalCancelledError
	switch {
	case err == nil:
		return FailureOther
	case errors.Is(err, errWrongType):
		return FailureType
	case errors.As(err, &cancelled):
		return FailureCost
	}
	// The library tells these apart in words alone.
	switch text := err.Error(); {
	case strings.Contains(text, "no such key"), strings.Contains(text, "index out of bounds"), strings.Contains(text, "no such attribute"):
		return FailureMissing
	case strings.Contains(text, "no such overload"), strings.Contains(text, "type conversion"), strings.Contains(text, "unsupported"):
		return FailureType
	}
	return FailureOther
}

// keyOrder numbers the keys of map literals as the operator wrote them, since a
// CEL map does not remember.
func keyOrder(checked *cel.Ast) map[string]int {
	order := map[string]int{}
	celast.PreOrderVisit(checked.NativeRep().Expr(), celast.NewExprVisitor(func(e celast.Expr) {
		if e.Kind() != celast.MapKind {
			return
		}
		for _, entry := range e.AsMap().Entries() {
			key := entry.AsMapEntry().Key()
			if key.Kind() != celast.LiteralKind {
				continue
			}
			if name, ok := key.AsLiteral().(types.String); ok {
				if _, known := order[string(name)]; !known {
					order[string(name)] = len(order)
				}
			}
		}
	}))
	return order
}

// variables are what an expression may read.
type variables map[string]ref.Val

// ResolveName implements cel.Activation.
func (v variables) ResolveName(name string) (any, bool) {
	value, known := v[name]
	return value, known
}

// Parent implements cel.Activation.
func (variables) Parent() cel.Activation { return nil }
