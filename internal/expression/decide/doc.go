// Package decide tells what conditions can be true: whether one ever is, and
// whether others are true wherever it is.
//
// It never guesses. "Never" and "covered" are said only where they are proved;
// whatever is not understood counts as possible. A condition is cut at its
// logical operators into atoms, with CEL's own rules for errors: `false && error`
// is false, and a condition that fails is not true. An atom that reads the status
// alone is run for every status there is. One that reads a single value of a body
// is run for what that value may be: each constant that any of the conditions
// compares it with, something between and beside these, another kind of value,
// nothing at all. What is left is a small search through the combinations, with
// a bound on its size.
//
// Everything here is pure. A Space belongs to one goroutine.
package decide
