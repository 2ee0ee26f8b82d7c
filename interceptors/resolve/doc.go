// Package resolve finds the tool that a call names.
//
// Place: behind compact, before once, since everything from once on keeps
// counts and memory by the tool's canonical name.
//
// It asks permission first and looks the name up second, so that an unknown
// name and a forbidden one take the same path: both travel on under one
// pseudo-tool that all of a run's unknown names share, and the arguments room
// answers it. It refuses nothing itself, and pins one catalogue snapshot for the
// whole call: a reload never changes a tool under a call's feet.
package resolve
