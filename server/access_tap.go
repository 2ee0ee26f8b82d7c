package server

import (
	"context"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	healthv1 "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/tap"

	"toolgate.dev/toolgate/interceptors/authenticate"
	"toolgate.dev/toolgate/internal/access"
)

// securityOptions are those of TLS, and of callers that are not known.
func securityOptions(config Config) (options []grpc.ServerOption) {
	if config.TLS != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(config.TLS)))
	}
	if config.Access != nil {
		options = append(options, grpc.InTapHandle(config.Access.tap))
	}
	return options
}

// tap turns strangers away when their headers have come: gRPC reads a message whole
// before any room sees it, and theirs are not to be kept. Who is let pass is asked
// again by authenticate. Nothing is waited for here: it would hold up the connection.
func (a *Access) tap(ctx context.Context, info *tap.Info) (context.Context, error) {
	if strings.HasPrefix(info.FullMethodName, "/"+healthv1.Health_ServiceDesc.ServiceName+"/") {
		return ctx, nil
	}
	shown := authenticate.Presented(ctx)
	hurried, cancel := context.WithCancel(ctx)
	cancel()
	caller, refusal := a.judge(hurried, shown)
	if refusal == nil || refusal.Reason == access.Unavailable {
		return ctx, nil
	}
	a.metrics.judged(caller.By, refusal)
	a.tell(ctx, shown, caller, refusal)
	return nil, statusOf(refusal)
}
