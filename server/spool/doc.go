// Package spool is a writer that never makes anybody wait: for a log whose reader
// may be slow, stuck or gone, or whose disk may be full.
//
// What is written waits in memory, up to a bound, and is passed on by one
// goroutine, in its order and in whole lines. What finds no room there, and what
// the writer behind refuses, is lost and counted; the count is told in the log
// itself as soon as it takes lines again.
package spool
