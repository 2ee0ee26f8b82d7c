package grpcbackend

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"

	"toolgate.dev/toolgate/interceptors"
	"toolgate.dev/toolgate/server/backend"
	"toolgate.dev/toolgate/server/backend/grpcbackend/methods"
)

const authorization = "authorization"

// bearing sends a call that shows a token. Where that is refused (UNAUTHENTICATED)
// nothing was executed, and the call is sent once more with another: whether a token
// is still good is the gateway's own matter, and no failure of the tool.
func (b *Backend) bearing(ctx context.Context, method *methods.Method, request []byte) *interceptors.Reply {
	token, failed := b.bearer.Token(ctx)
	if failed != nil {
		return failed
	}
	reply := without(b.send(showing(ctx, token), method, request), token)
	if reply.Failure != interceptors.FailureNone || reply.Status != int(codes.Unauthenticated) {
		return reply
	}
	token, failed = b.bearer.Renew(ctx, token)
	switch {
	case failed != nil:
		return failed
	case token == "":
		return reply
	}
	return without(b.send(showing(ctx, token), method, request), token)
}

func showing(ctx context.Context, token string) context.Context {
	md, _ := metadata.FromOutgoingContext(ctx) // a copy
	md.Set(authorization, "Bearer "+token)
	return metadata.NewOutgoingContext(ctx, md)
}

// without takes the token out of what came back: it may not leave the gateway. What
// is put in its place has its length, so that encoded details stay what they are.
func without(reply *interceptors.Reply, token string) *interceptors.Reply {
	if token == "" {
		return reply
	}
	mask := strings.Repeat("*", len(token))
	reply.Message = strings.ReplaceAll(reply.Message, token, mask)
	for _, text := range []*[]byte{&reply.Body, &reply.Details} {
		if bytes.Contains(*text, []byte(token)) {
			*text = bytes.ReplaceAll(*text, []byte(token), []byte(mask))
		}
	}
	return reply
}

var errNoToken = errors.New("the gateway has no token for the server")

// Asking is what a server is asked for its description with.
type Asking struct {
	// Headers are sent as metadata.
	Headers metadata.MD
	// Bearer has the token that is shown; nil: none is.
	Bearer backend.Bearer
	// Changed is told when the services are no longer what was returned last, or can
	// be had for the first time; nil: nobody is. It must not block.
	Changed func()
}

func (a Asking) outgoing(ctx context.Context) (context.Context, error) {
	ctx = metadata.NewOutgoingContext(ctx, a.Headers)
	if a.Bearer == nil {
		return ctx, nil
	}
	token, failed := a.Bearer.Token(ctx)
	if failed != nil {
		return ctx, &failure{kind: failed.Failure, cause: errNoToken}
	}
	return showing(ctx, token), nil
}
