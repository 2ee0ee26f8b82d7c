package server_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	toolgatev1 "toolgate.dev/toolgate/gen/go/toolgate/v1"
	"toolgate.dev/toolgate/server/servertest"
)

// A stranger is turned away by its headers: what it would send is not read, however
// large.
func TestNothingOfAStrangersMessageIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ann, stranger := newHolder(), newHolder()
		g := servertest.Start(t, servertest.Load(t, capCatalogue, servertest.NewUpstream(t)), with(accessTo(t, `
principals: {ann: {keys: [%s], rights: {tools: [lookup]}}}`, ann.line)))
		for name, c := range map[string]struct {
			ctx  context.Context
			want codes.Code
		}{
			"nobody":       {t.Context(), codes.Unauthenticated},
			"a stranger":   {stranger.as(t.Context()), codes.Unauthenticated},
			"who is known": {ann.as(t.Context()), codes.DeadlineExceeded}, // its message is waited for
		} {
			ctx, cancel := context.WithTimeout(c.ctx, time.Second)
			stream, err := g.Conn.NewStream(ctx, &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}, toolgatev1.ToolGatewayService_CallTool_FullMethodName)
			if err == nil {
				err = stream.RecvMsg(&toolgatev1.CallToolResponse{})
			}
			if status.Code(err) != c.want {
				t.Errorf("%s: %v, want %v", name, err, c.want)
			}
			cancel()
		}
	})
}
