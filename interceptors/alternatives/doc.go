// Package alternatives puts calls that would have worked beside a failure.
//
// Place: inside repeat, so that an answer from memory costs no lookup, and
// outside retry, since there is nothing to offer before it gave up.
//
// It refuses nothing. On terminal it keeps the provider's own list, else runs
// the tool's lookup: a read, one attempt, at most [250 ms], skipped where less
// time is left, where the lookup's upstream is not ready, where the catalogue
// wants it only on request and nobody asked, and where the failed call may have
// taken effect. A lookup that fails is a missing list. On an exhausted transient
// it offers the tool's static fallbacks and nothing else.
//
// Every list holds only tools that this caller may use and calls that would not
// be refused from memory, and is cut to three, nearest first; then
// alternatives_truncated is set and the note names the lookup tool.
package alternatives
