// Package mcp is the gateway as a server of the Model Context Protocol: over
// streamable HTTP and over standard input and output, for every version that the
// official SDK negotiates, 2026-07-28 back to 2024-11-05. Protocol and sessions
// are the SDK's; what a tool is and how a call ends is the house's alone.
//
// # What a client meets
//
// Tools are those that the caller may use. Their schemas are passed on as they
// stand, but for the `"type": "object"` that the protocol demands at the top.
// The contract's sentence is in the instructions; each description ends with its
// short form.
//
// A failed call is a result with isError: one text, the observation. The whole
// ToolError is in _meta (MetaError), and once more in the shape of the proposal
// SEP-3313 (metaToolFailure). An unknown tool is a failed call like any other: a
// model sees it and can mend it. Only what the runtime or the gateway is at fault
// for is an error of JSON-RPC, with the reason in its data.
//
// A result that is JSON is sent as text, digit for digit, and said once: there is
// no copy in structuredContent. A result that has text of its own beside its JSON
// carries both. A program that wants the JSON where programs look for it asks
// with MetaStructured.
//
// # Runs
//
// The run of a call is, first that is there: MetaRunID of the request, the header
// Toolgate-Run-Id, the session (Mcp-Session-Id, or the process over standard
// input). Where the protocol has no sessions any more (2026-07-28), it is the
// connection and the client's name. The session's run ends with the session.
// MetaRunID of the result tells it.
//
// # Bounds
//
// A session that nobody uses ends after an hour. There are at most 4,096: then
// the one that was idle longest gives way, of the caller who has most. A message
// is at most door.MaxBodyBytes. Who may call from which web page, and by which
// name, is door.Guard's: wrap the door in one.
package mcp
