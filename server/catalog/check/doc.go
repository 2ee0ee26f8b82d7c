// Package check tells what the change of a catalogue breaks for those who call
// its tools.
//
// A change breaks something where a call that was right is refused now, or where
// an answer no longer says what callers were promised: a tool or an argument
// gone, an argument newly required, a value, a type or a bound taken away, an
// effect changed, a failure's class or code, a way out of one. Whatever can't be
// compared counts as breaking: it is for a person to look at.
//
// Schemas are compared as sets of calls: widening one breaks nobody.
package check
