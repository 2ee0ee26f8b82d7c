// Package evidence turns a day of failed calls into what a platform engineer
// should change first.
//
// It counts nothing and keeps nothing itself: the observe room says of each
// failed call what may be said of it (Call, which the log, the stream of calls
// and this package share), and a Day sums such calls up, from a log or from a
// gateway's own counts. New judges the day: which failures come back, what they
// cost, and which line of the tool's schema would end them.
//
// Nothing here is a provider's own word, apart from codes, the names of fields,
// and what the catalogue says itself: what is expected at a field is one word of
// a closed list (Expected).
//
// What a failure costs in tokens is an estimate: the bytes of its observation,
// read once, and again with every later call of its run, at four bytes a token.
// A transient failure counts where it was given up: before that no model reads
// it.
package evidence
