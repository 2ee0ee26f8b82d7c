// Package httpbackend sends tool calls as HTTP requests.
//
// A request is built from a template at load and from the arguments' JSON text
// per attempt; no number is decoded on the way. No argument can change scheme,
// host or the literal parts of the path, stand where a fixed or secret header
// or query parameter stands, or add a header: what can't be sent so is refused
// before anything leaves (FailureRequest), with the argument named in
// Reply.ToolError.
//
// One Attempt is one request to the upstream. The standard library would send a
// request again by itself where a kept connection died; that is allowed where
// not a single byte had been written (or HTTP/2 vouches that the request was
// not processed), and prevented otherwise, also for GET. Redirects are followed
// for GET and HEAD, at most 5, on the same host alone; any other comes back as
// it is. Reply.Sent counts bytes on the connection, not intentions.
//
// Default numbers: 512 connections per host, idle ones are kept for 55 s; 5 s to
// connect and 5 s for a TLS handshake; 32 KiB buffers; 256 KiB of response
// headers; of a body the tool's limit and 64 KiB more, counted behind
// decompression.
package httpbackend
