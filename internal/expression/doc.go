// Package expression compiles what an operator writes as CEL: error rules,
// alternatives lookups, and the two questions that settle an unknown outcome.
//
// Everything is compiled when a catalogue loads, and is limited in size then
// and in cost when it runs. JSON enters an expression without a tree being
// built and without loss: integers stay integers whatever their size, members
// keep their order, and a number that passes through comes out with the digits
// that came in.
//
// An expression that fails at run time (a key that is not there, a cost over
// the limit) says nothing: a rule does not match, an outcome stays unknown. A
// hook counts such failures by kind.
//
// Default numbers: an expression is at most 4,096 characters; a rule or a
// verification costs at most 100,000 CEL units per run, a lookup 1,000,000.
package expression
