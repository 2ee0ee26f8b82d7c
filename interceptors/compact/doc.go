// Package compact is the room that everything leaves through: whatever an inner
// room answered is bounded, cleared of the gateway's own secrets and, where it is
// an error, finished and rendered.
//
// It refuses nothing. It stands outside of every room that makes or changes an
// outcome, so that none escapes its bounds, and inside of seal, which uses it to
// render what it makes of a panic.
//
// Its numbers are the contract's: a response of at most 3.5 MiB, an error of at
// most 4 KiB and 8 KiB with its observation, whatever is configured.
package compact
