// Package mcpbackend sends tool calls to servers of the Model Context Protocol: to
// a program over its standard input and output, or to an endpoint of the streamable
// HTTP transport.
//
// A Pool keeps one session per server, set up as soon as the server is known, in
// the newest version of the protocol that both speak (2026-07-28 down to
// 2024-11-05), and again whenever it ends. The official SDK agrees upon the session
// and hears of changes; calls and lists go beside it as their own JSON text, so that
// no digit of a result is lost, no answer is held beyond its bound, and it is known
// whether bytes left.
//
// One Attempt sends the call once. The exception is a session that the server does
// not know any more (HTTP 404): the server has run nothing, so that the call is sent
// once more in a new session. A server that goes away with a call is a reset after
// bytes were sent, and what that means is the chain's to say. A call whose time is
// over is cancelled (notifications/cancelled); a server that does not heed that
// keeps nobody waiting.
//
// A program runs in a process group of its own, with PATH, HOME, LANG, TMPDIR, USER
// and what the catalogue says. When it ends, its group ends with it, and it is
// started again after 1 s, doubling to 1 min while it does not last for a minute; a
// program that lasted is started again at once. Its standard error, and what it
// writes that is no message, goes to the log: redacted, 1 KiB of a line, 100 lines
// in 10 s. It is stopped by the end of its input, after 2 s by a signal, after 2 s
// more by force.
//
// A server is offered nothing: pings are answered, requests for a model, for a
// person's input or for folders are refused.
//
// Default numbers: 20 s to set up a session; of an answer twice the tool's limit and
// 64 KiB more are held, of a program's at least 4 MiB a line; 256 pages and 4,096
// tools of a list; the list is read again every 10 min, and when the server says so,
// once in a second.
package mcpbackend
