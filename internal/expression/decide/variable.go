package decide

import (
	"math"
	"slices"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// variable is one value that conditions read.
type variable struct {
	path      Path
	atoms     []*atom
	constants []ref.Val // that it is compared with, each once
	cells     []cell    // what it may be
	prepared  bool
}

// cell is a set of values that simple atoms don't tell apart.
type cell struct {
	value ref.Val // one of them
	alone bool    // the only one
	vague bool    // none could be made

	// depth is the step of the path up to which there is something; 0: the value
	// itself is there. within is what the step would be taken from; nil: something
	// that lacks it.
	depth  int
	within any
}

// fresh is a text that no condition names.
const fresh = "\x00 no such text"

func (s *Space) variable(key string, path Path) *variable {
	if path.isStatus() {
		key = "status"
	}
	if known := s.variables[key]; known != nil {
		return known
	}
	v := &variable{path: path}
	s.variables[key] = v
	s.order = append(s.order, v)
	return v
}

func (p Path) isStatus() bool { return len(p) == 1 && p[0] == "status" }

// compareWith notes constants.
func (v *variable) compareWith(constants ...ref.Val) bool {
	for _, c := range constants {
		if !slices.ContainsFunc(v.constants, func(known ref.Val) bool { return known.Equal(c) == types.True }) {
			v.constants = append(v.constants, c)
		}
	}
	return true
}

// prepare finds the cells, and what each atom says of each.
func (v *variable) prepare(reads Reads) {
	if v.prepared {
		return
	}
	v.prepared = true
	switch known := reads.Known(v.path); {
	case v.path.isStatus():
		for status := reads.LowStatus; status <= reads.HighStatus; status++ {
			v.cells = append(v.cells, cell{value: types.Int(status), alone: true})
		}
	case known.Missing:
		v.cells = []cell{{depth: len(v.path) - 1, alone: true}}
	case known.Only != nil:
		for _, value := range known.Only {
			v.cells = append(v.cells, cell{value: types.DefaultTypeAdapter.NativeToValue(value), alone: true})
		}
		v.addMissing(known)
	default:
		v.addAny()
		v.addMissing(known)
	}
	for _, a := range v.atoms {
		a.truth = make([]outcome, len(v.cells))
		for i, c := range v.cells {
			a.truth[i] = anything
			if (c.alone || a.simple) && !c.vague {
				a.truth[i] = a.outcomeOf(v.stand(c))
			}
		}
	}
}

// addAny adds what a value can be where nothing is known of it.
func (v *variable) addAny() {
	var numbers []ref.Val
	for _, c := range v.constants {
		v.cells = append(v.cells, cell{value: c, alone: true})
		if isNumber(c) {
			numbers = append(numbers, c)
		}
	}
	v.cells = append(v.cells, cell{value: types.String(fresh)})
	if v.path[0] == "headers" && len(v.path) > 1 {
		return // a header is text
	}
	for _, scalar := range []ref.Val{types.NullValue, types.True, types.False} {
		if !slices.ContainsFunc(v.constants, func(known ref.Val) bool { return known.Equal(scalar) == types.True }) {
			v.cells = append(v.cells, cell{value: scalar, alone: true})
		}
	}
	v.cells = append(v.cells, between(numbers)...)
	v.cells = append(v.cells, cell{value: types.DefaultTypeAdapter.NativeToValue(map[string]any{})})
}

// between are the numbers below, between and above others.
func between(numbers []ref.Val) []cell {
	if len(numbers) == 0 {
		return []cell{{value: types.Double(0.5)}}
	}
	slices.SortFunc(numbers, func(a, b ref.Val) int { return int(compare(a, b)) })
	low, high := float(numbers[0]), float(numbers[len(numbers)-1])
	cells := []cell{number(low-1-math.Abs(low), nil, numbers[0]), number(high+1+math.Abs(high), numbers[len(numbers)-1], nil)}
	for i, n := range numbers[1:] {
		cells = append(cells, number(float(numbers[i])+(float(n)-float(numbers[i]))/2, numbers[i], n))
	}
	return cells
}

// number is a cell between two numbers; a vague one where arithmetic found none.
func number(value float64, above, below ref.Val) cell {
	n := types.Double(value)
	fits := !math.IsInf(value, 0) && (above == nil || compare(above, n) < 0) && (below == nil || compare(n, below) < 0)
	return cell{value: n, vague: !fits}
}

func float(n ref.Val) float64 { return float64(n.ConvertToType(types.DoubleType).(types.Double)) }

func compare(a, b ref.Val) types.Int {
	order, _ := a.(traits.Comparer).Compare(b).(types.Int) // numbers always compare
	return order
}

// containers are what may stand where a mapping is expected.
var containers = []any{"text", types.NullValue, true, 1.5, []any{}}

// addMissing adds that the value is not there.
func (v *variable) addMissing(known Known) {
	if known.Always {
		return
	}
	for depth := len(v.path) - 1; depth > 0; depth-- {
		v.cells = append(v.cells, cell{depth: depth, alone: true})
		if depth == 1 && (v.path[0] == "headers" || v.path[0] == "arguments") {
			return // they are mappings
		}
		for _, within := range containers {
			v.cells = append(v.cells, cell{depth: depth, within: within, alone: true})
		}
	}
}

// stand makes variables in which the value is what the cell says.
func (v *variable) stand(c cell) map[string]any {
	last := len(v.path) - 1
	var value any = c.value
	if c.depth > 0 {
		if value, last = c.within, c.depth-1; value == nil {
			value = lacking(v.path[c.depth])
		}
	}
	for ; last > 0; last-- {
		value = holding(v.path[last], value)
	}
	return map[string]any{v.path[0].(string): value}
}

func lacking(step any) any {
	if place, ok := step.(int); ok {
		return make([]any, place)
	}
	return map[string]any{}
}

func holding(step, value any) any {
	if place, ok := step.(int); ok {
		return append(make([]any, place), value)
	}
	return map[string]any{step.(string): value}
}

// where lists the cells in which the atom comes to what is asked for.
func (a *atom) where(w want) bits {
	found := make(bits, len(a.truth))
	for i, truth := range a.truth {
		found[i] = truth&w.outcomes() != 0
	}
	return found
}

// only lists the cells of statuses from low to high.
func (v *variable) only(low, high int) bits {
	found := make(bits, len(v.cells))
	for i, c := range v.cells {
		status, ok := c.value.(types.Int)
		found[i] = ok && int(status) >= low && int(status) <= high
	}
	return found
}
