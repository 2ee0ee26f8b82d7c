// Package seal is the outermost room of a tool call: a panic anywhere inside
// ends that call alone, as terminal `internal` under the call's correlation id,
// and never the process or the other calls of a batch.
//
// The panic's value and stack go to the function that the room was given, for
// the log; nothing of them is in the answer. A write whose attempt had started
// is marked as maybe executed: the panic says nothing about the upstream.
//
// It refuses nothing and has no numbers.
package seal
