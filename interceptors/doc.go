// Package interceptors is the vocabulary of the house: a tool call, its
// outcome, the tool as the rooms see it, one attempt's raw reply, and the
// ledger's interface. Each folder below is one room of the chain that every
// tool call passes; a room imports this package and at most one pure part, and
// never another room.
//
// What crosses the wire is the *toolgatev1.ToolResult or *toolgatev1.ToolError
// of an Outcome. What is lost on the way out: the Verdict (facts that the rooms
// need to decide about repetition, breakers and cooldowns), the raw Reply
// (nothing raw is stored or logged), and the cause of an internal fault, which
// stands in the log under the correlation id.
//
// A room answers a tool's failure with an Outcome and a nil error. A non-nil
// error is a gRPC status, made in status.go alone: the runtime or the gateway
// is at fault, never the tool.
package interceptors
