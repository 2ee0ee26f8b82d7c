// Package cli is the program: its commands, what they print, and their exit
// codes. It reads no global state: arguments, streams and environment come in a
// Program, and the context's end is the signal to stop.
//
// A person at a terminal gets colour and tables, a pipe gets JSON. Standard
// output carries the answer alone; progress, notes and errors go to standard
// error.
package cli
