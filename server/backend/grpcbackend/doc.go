// Package grpcbackend sends tool calls as gRPC requests, made of the arguments by
// the descriptors of the service (package methods).
//
// One Attempt is one rpc: service configs are not asked for and nothing is retried,
// but for what the protocol vouches was not processed (a stream that was refused, or
// is beyond a GOAWAY). Reply.Sent says whether the request left for a connection at
// all. The attempt's deadline travels in grpc-timeout. An answer that is a stream is
// collected up to its bound; a method that takes a stream is refused at load.
//
// An upstream has one connection that all its tools share, and that outlives a
// reload; another, where it carries 100 calls. It is made when it is first needed, and again by the next attempt that
// finds it gone: nobody waits for a backoff, and everyone who comes while it is made
// waits for the same one. It is replaced, with calls in flight undisturbed, when it
// is older than its MaxAge, and when a call timed out on it in silence. Files of
// certificates are looked at for every connection.
//
// Default numbers: a connection is used for 5 min and kept unused for 55 s; 5 s to
// connect and 5 s for a TLS handshake; TLS 1.2 at least; 64 MiB for one message of
// an answer, 1 MiB for headers; 100 messages of a stream; 5 s to describe services,
// asked again after 1 s to 30 s where a server can't be.
package grpcbackend
