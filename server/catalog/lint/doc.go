// Package lint reads a catalogue as a reviewer would.
//
// Loading refuses what can't be right. Here is what can be served and is a fault
// all the same: rules that nothing reaches, a free string that is meant as a
// date, a write that nobody can repeat, a secret that stands in the file. What a
// model gets wrong again and again is most often a fault of the tool's surface,
// and each finding says which line of the schema would end it.
//
// Nothing is reported on a hunch: what a rule says of conditions is proved (see
// internal/expression/decide), and what it says of names and descriptions rests
// on words that it quotes. A finding that is meant to be so is excused beside it:
//
//	# toolgate:ignore write-unprotected: the provider answers a repeat with 409
//
// A comment of its own covers what follows it, with all that is indented below;
// one behind a line covers that line.
package lint
