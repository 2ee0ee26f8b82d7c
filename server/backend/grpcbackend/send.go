package grpcbackend

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend/grpcbackend/methods"
)

const contentType = "Content-Type"

// send makes the rpc, on another connection where the first turned out to be gone
// before anything left.
func (b *Backend) send(ctx context.Context, method *methods.Method, request []byte) *interceptors.Reply {
	for try := 1; ; try++ {
		g, fail := b.server.take(ctx)
		if fail != nil {
			return fail.reply()
		}
		f := &flight{}
		reads := g.dialer.conn.reads.Load()
		reply, err := b.rpc(watched(ctx, f), g, method, request)
		unsent := err != nil && status.Code(err) == codes.Unavailable && !f.left.Load() && ctx.Err() == nil
		// A connection on which nothing came while a call waited for its end may lead
		// nowhere; a slow server answers on a new one, too.
		silent := err != nil && ctx.Err() != nil && g.dialer.conn.reads.Load() == reads
		b.server.release(g, unsent || silent)
		if unsent && try < maxOpenings {
			continue
		}
		if err != nil {
			return described(broken(ctx, f, err, reply.metadata()), method, err)
		}
		return reply.done()
	}
}

// described gives a status of the server's own the form in which rules read it.
func described(reply *interceptors.Reply, method *methods.Method, err error) *interceptors.Reply {
	if reply.Transport == interceptors.TransportGRPC && reply.Failure == interceptors.FailureNone && reply.Status != 0 {
		reply.Body = method.Failure(status.Convert(err).Proto())
	}
	return reply
}

// answer is what came of an rpc.
type answer struct {
	header, trailer metadata.MD
	body            []byte
	size            int64 // as Reply.BodySize
}

func (a *answer) metadata() metadata.MD { return metadata.Join(a.header, a.trailer) }

func (a *answer) done() *interceptors.Reply {
	header := headerOf(a.metadata())
	header[contentType] = []string{"application/json"}
	return &interceptors.Reply{
		Transport: interceptors.TransportGRPC, Header: header, Body: a.body, BodySize: a.size, Sent: true,
	}
}

// bounded keeps max bytes of a body that was cut, or is about to be.
func (a *answer) bounded(max int) {
	if len(a.body) > max {
		a.body, a.size = a.body[:max], -1
	}
}

// more says that the list goes on. The comma marks its last item as whole.
func (a *answer) more(max int) *answer {
	a.body, a.size = append(a.body, ','), -1
	a.bounded(max)
	return a
}

// whole ends the list.
func (a *answer) whole(max int) *answer {
	a.body = append(a.body, ']')
	a.bounded(max)
	return a
}

func (b *Backend) rpc(ctx context.Context, g *generation, method *methods.Method, request []byte) (*answer, error) {
	if method.AnswersStream() {
		return b.collect(ctx, g, method, request)
	}
	a, message := &answer{}, &frame{}
	err := g.Invoke(ctx, "/"+b.name, &frame{text: request}, message, grpc.Header(&a.header), grpc.Trailer(&a.trailer))
	if err != nil {
		return a, err
	}
	a.body, _, err = method.Render(nil, message.text, b.max)
	if err != nil {
		return a, &unreadable{err}
	}
	a.bounded(b.max)
	return a, nil
}

// unreadable is an answer that is not what the description says: the call took
// place, and nobody knows what came of it.
type unreadable struct{ cause error }

func (e *unreadable) Error() string {
	return "the answer is not as it is described: " + e.cause.Error()
}
func (e *unreadable) Unwrap() error { return e.cause }

// collect makes one list of a stream: of at most so many messages, and of what came
// in time.
func (b *Backend) collect(ctx context.Context, g *generation, method *methods.Method, request []byte) (*answer, error) {
	a := &answer{}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := g.NewStream(inner, &grpc.StreamDesc{ServerStreams: true}, "/"+b.name)
	if err != nil {
		return a, err
	}
	if err := stream.SendMsg(&frame{text: request}); err != nil && !errors.Is(err, io.EOF) { // EOF: RecvMsg says why
		return a, err
	}
	if err := stream.CloseSend(); err != nil {
		return a, err
	}
	a.body = []byte{'['}
	for count := 0; ; count++ {
		if count == b.messages {
			return b.last(stream, cancel, a)
		}
		message := &frame{}
		switch err := a.receive(stream, message); {
		case errors.Is(err, io.EOF):
			return a.whole(b.max), nil
		case err != nil && count > 0 && b.reads && outOfTime(ctx, err):
			return a.more(b.max), nil // what came is an answer
		case err != nil:
			return a, err
		}
		if count > 0 {
			a.body = append(a.body, ',')
		}
		if a.body, _, err = method.Render(a.body, message.text, b.max); err != nil {
			return a, &unreadable{err}
		}
		if len(a.body) > b.max {
			return a.more(b.max), nil
		}
	}
}

// receive takes the next message. What stands around the messages is there when the
// stream has ended; before, nobody may look at it.
func (a *answer) receive(stream grpc.ClientStream, message *frame) error {
	err := stream.RecvMsg(message)
	if err != nil {
		a.header, _ = stream.Header() // err says what was wrong
		a.trailer = stream.Trailer()
	}
	return err
}

// moment is how long a stream whose bound is reached may take to say that it ends
// there.
const moment = 100 * time.Millisecond

// last finds out whether a stream ends where its bound is.
func (b *Backend) last(stream grpc.ClientStream, cancel context.CancelFunc, a *answer) (*answer, error) {
	var over atomic.Bool
	timer := time.AfterFunc(moment, func() {
		over.Store(true)
		cancel()
	})
	defer timer.Stop()
	switch err := a.receive(stream, &frame{}); {
	case errors.Is(err, io.EOF):
		return a.whole(b.max), nil
	case err != nil && !over.Load():
		return a, err
	}
	return a.more(b.max), nil
}
