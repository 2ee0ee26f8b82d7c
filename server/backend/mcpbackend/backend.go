package mcpbackend

import (
	"context"
	"strings"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/internal/rawjson"
)

// diagnosisRoom is read beyond what a result may have: an image is a third longer
// as base64, and text is longer with its escapes.
const (
	answerFactor  = 2
	diagnosisRoom = 64 << 10
)

// Call is what a tool asks of its server.
type Call struct {
	// Tool is the tool's name there. Required.
	Tool string
	// InputSchema is the tool's schema as the server lists it, which may name
	// arguments that are said in headers, too; empty: not known.
	InputSchema string
	// MaxResultBytes is how much of an answer the tool's policy passes on; some
	// more is read.
	MaxResultBytes int64
	// KeyArgument is the argument that carries the idempotency key; empty: none.
	KeyArgument string
}

// Backend calls one tool of a server. It implements interceptors.Backend and is
// safe for concurrent use.
type Backend struct {
	server *Server
	call   Call
	params []paramHeader
	limit  int
}

// New makes the back end of a tool.
func New(server *Server, call Call) *Backend {
	limit := answerFactor*call.MaxResultBytes + diagnosisRoom
	server.holdLines(limit)
	return &Backend{server: server, call: call, params: paramHeaders([]byte(call.InputSchema), nil), limit: int(limit)}
}

// Attempt implements interceptors.Backend. Where the server refuses the session,
// and with it the call, the call is sent once more in a new one: nothing was run.
func (b *Backend) Attempt(ctx context.Context, call *interceptors.Call) *interceptors.Reply {
	const sendings = 2
	failed := &lost{kind: interceptors.FailureRefused, cause: errExpired}
	for range sendings {
		if ctx.Err() != nil {
			return (&lost{kind: interceptors.EndedAs(ctx), cause: ctx.Err()}).reply()
		}
		session, out := b.server.acquire(ctx)
		switch {
		case out != nil:
			return out.reply()
		case session == nil:
			return (&lost{kind: interceptors.EndedAs(ctx), cause: ctx.Err()}).reply()
		}
		token, stop := session.followers.follow(call)
		a, err := session.ask(ctx, session.call(ctx, b, b.arguments(call), token))
		stop()
		if err == nil {
			session.release()
			if a.fault != nil && a.fault.outdated() {
				b.server.noteChange()
			}
			return b.shown(a.reply(b.server.spec.Speaks))
		}
		failed = lostOf(err)
		if failed.expired {
			b.server.lose(session, byCall)
		}
		session.release()
		if !failed.expired {
			break
		}
	}
	return failed.reply()
}

// shown is the reply without what only the gateway may know.
func (b *Backend) shown(reply *interceptors.Reply) *interceptors.Reply {
	if b.server.bearing == nil {
		return reply
	}
	return b.server.bearing.hide(reply)
}

// lostOf is what every error of a wire is.
func lostOf(err error) *lost {
	if failure, ok := err.(*lost); ok { //nolint:errorlint // a wire returns nothing else, and wraps nothing
		return failure
	}
	return &lost{kind: interceptors.FailureOther, sent: true, cause: err}
}

// arguments are the call's, with its key where it has one.
func (b *Backend) arguments(call *interceptors.Call) []byte {
	text := call.Arguments.JSON
	if b.call.KeyArgument == "" || call.IdempotencyKey == "" {
		return text
	}
	key := rawjson.AppendMember([]byte{'{'}, b.call.KeyArgument, rawjson.AppendString(nil, call.IdempotencyKey))
	if rawjson.KindOf(text) != rawjson.Object || strings.TrimSpace(string(text)) == "" {
		return append(key, '}')
	}
	return rawjson.Merge(text, append(key, '}'))
}

// Absent is the back end of a server that nobody asks: every call finds nobody.
func Absent() interceptors.Backend { return absent{} }

type absent struct{}

func (absent) Attempt(context.Context, *interceptors.Call) *interceptors.Reply {
	return outageBy(errStopped, nil).reply()
}
