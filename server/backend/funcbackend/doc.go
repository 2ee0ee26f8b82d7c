// Package funcbackend runs Go functions of the embedding program as tools.
//
// A function that knows what its caller should do next says so: it returns an
// error that carries a ToolError (Fail makes one), and is believed. Any other
// error becomes text that is diagnosed like any upstream's. A panic fails the
// call it happened in, and its words go to a hook, never to a caller.
//
// The deadline and the cancellation of a call are kept whether or not the
// function looks at its context: the attempt ends, and since nobody knows what
// the function still does, the call counts as one that may have executed.
package funcbackend
