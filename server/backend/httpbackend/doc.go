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
// Connections are made as a Transport says. None is used for longer than its
// MaxAge: it is closed when it carries no request, so that a changed address is
// found and no call is disturbed. Of HTTP/2, which shares one among all calls, a new
// one is made beside it. Files of certificates are looked at whenever a connection
// is opened; where they have changed it is opened with what they hold now.
//
// Default numbers: 2,048 connections per host, 512 unused ones are kept for 55 s, used
// ones for 5 min; 5 s to connect and 5 s for a TLS handshake; TLS 1.2 at least; 32
// KiB buffers; 256 KiB of response headers; of a body the tool's limit and 64 KiB
// more, counted behind decompression.
package httpbackend
