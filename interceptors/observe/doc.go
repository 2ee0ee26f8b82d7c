// Package observe counts and logs, for every rpc and its stream twin, and for
// every tool call that passed the chain.
//
// Place: behind recovery (a panic is counted as the INTERNAL that it became),
// before authenticate (a refused caller is counted too). It refuses nothing.
//
// A failed tool call gets one log line: correlation id, run, call, tool, class,
// code, who decided, attempts; at which field, and in one word of a closed list
// what is expected there. Successes are sampled [1 in 100]. Nothing raw from an
// upstream is logged: the line has no message, no argument, no body. The same is
// said to whoever listens [at most 16, who never hold a call up].
//
// For the failure report it counts kinds of failure [at most 1,000], and what each
// costs a run: the bytes that its model read, times the calls that followed [of at
// most 16,384 runs at a time, those that had a failure].
// Metric labels are closed sets: tool names of the catalogue, classes, codes of
// the gateway, of rules and of vocabularies; any other code is `other`.
package observe
