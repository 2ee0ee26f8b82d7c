package expression

import "cel.dev/cel-go/cel"

// Place is where an expression stands: what it may read follows from it.
type Place int

// The places of expressions.
const (
	InRule            Place = iota // status, headers, body, arguments
	InLookupArguments              // arguments, error
	InLookupItems                  // result, arguments, error
	InVerification                 // result, error, arguments, unknown
)

// Environment returns the environment of a place, for those who read expressions
// without running them. It must not be changed.
func (c *Compiler) Environment(of Place) *cel.Env {
	switch of {
	case InLookupArguments:
		return c.lookupArguments
	case InLookupItems:
		return c.lookupItems
	case InVerification:
		return c.verification
	case InRule:
	}
	return c.rules
}
