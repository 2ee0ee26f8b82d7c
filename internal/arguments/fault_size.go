package arguments

import (
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// wrongSize reports a value of the right type that is too small, too large, or
// of the wrong count. It returns false for what it does not know.
func (r *reporter) wrongSize(err *jsonschema.ValidationError) bool {
	f, ok := sizeFault(err.ErrorKind)
	if !ok {
		return false
	}
	n := r.root.at(err.InstanceLocation)
	f.path, f.value = err.InstanceLocation, n
	f.fill = func(f *fault) {
		if f.span == "" {
			demands := r.demands(err)
			f.span = spanOf(demands)
			f.format = kindNoun(r.engine.admits(demands) & isNumber)
		}
		r.mayBeLeftOut(f)
	}
	r.add(f)
	return true
}

func sizeFault(k jsonschema.ErrorKind) (fault, bool) {
	switch k := k.(type) {
	case *kind.Minimum, *kind.ExclusiveMinimum:
		return fault{kind: "range", problem: "is too small"}, true
	case *kind.Maximum, *kind.ExclusiveMaximum:
		return fault{kind: "range", problem: "is too large"}, true
	case *kind.MultipleOf:
		return fault{kind: "range", problem: "is no multiple of " + decimalText(k.Want)}, true
	case *kind.MinLength:
		return fault{kind: "length", problem: "is too short: " + count(k.Got, "character"), span: "at least " + count(k.Want, "character")}, true
	case *kind.MaxLength:
		return fault{kind: "length", problem: "is too long: " + count(k.Got, "character"), span: "at most " + count(k.Want, "character")}, true
	case *kind.MinItems:
		return fault{kind: "length", problem: "holds only " + count(k.Got, "item"), span: "at least " + count(k.Want, "item")}, true
	case *kind.MaxItems:
		return fault{kind: "length", problem: "holds " + count(k.Got, "item"), span: "at most " + count(k.Want, "item")}, true
	case *kind.AdditionalItems:
		return fault{kind: "items", problem: "holds " + count(k.Count, "item") + " too many", span: "no further items"}, true
	case *kind.MinProperties:
		return fault{kind: "length", problem: "holds only " + count(k.Got, "member"), span: "at least " + count(k.Want, "member")}, true
	case *kind.MaxProperties:
		return fault{kind: "length", problem: "holds " + count(k.Got, "member"), span: "at most " + count(k.Want, "member")}, true
	case *kind.UniqueItems:
		return fault{
			kind: "unique", problem: fmt.Sprintf("holds the same item twice, at %d and %d", k.Duplicates[0], k.Duplicates[1]),
			span: "each item once",
		}, true
	case *kind.Not:
		return fault{kind: "not", problem: "is among the values that this tool excludes", span: "anything but that"}, true
	}
	return fault{}, false
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
