// Package recovery turns a panic of an rpc into INTERNAL, for every rpc and its
// stream twin.
//
// Place: outermost, so that nothing of the process ends with a caller's rpc. A
// panic inside one tool call does not come this far: seal answers it in-band.
// The stack goes to the log; the caller sees a sentence and nothing else
// (the default of the library that does the work would send the stack).
package recovery
