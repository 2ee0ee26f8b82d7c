// Package ledgertest is the contract of a ledger's keeper as tests: one suite
// that every keeper passes, memory and Redis alike.
//
// A keeper's own test calls Run. The suite asks for the numbers of the design:
// outcomes kept for 10 min and up to 256 KiB, runs forgotten after 1 h.
package ledgertest
