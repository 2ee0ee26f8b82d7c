package mcp

import (
	"context"
	"time"

	"toolgate.dev/toolgate/interceptors"
)

const (
	defaultPageSize    = 1000 // tools; many clients read the first page alone
	defaultMaxSessions = 4096
	defaultIdle        = time.Hour // when the ledger forgets an idle run, too
	progressEvery      = 5 * time.Second
	endTimeout         = 5 * time.Second // for the end of a session's run
)

// settings are what options change.
type settings struct {
	identify    func(ctx context.Context) (principal string, err error)
	version     string
	pageSize    int
	maxSessions int
	idle        time.Duration
}

func defaults() settings {
	return settings{
		identify: func(context.Context) (string, error) { return interceptors.Anonymous, nil },
		version:  "0", pageSize: defaultPageSize, maxSessions: defaultMaxSessions, idle: defaultIdle,
	}
}

// Option changes a door.
type Option func(*settings)

// WithIdentity tells who sent an HTTP request, as the rooms will be told: the
// context is door.Caller's, the error a gRPC status. Sessions then belong to their
// principal, and nobody else opens one. Default: everybody is anonymous, and the
// rooms alone refuse.
func WithIdentity(identify func(ctx context.Context) (principal string, err error)) Option {
	return func(s *settings) {
		if identify != nil {
			s.identify = identify
		}
	}
}

// WithVersion is the version that the server introduces itself with.
func WithVersion(version string) Option {
	return func(s *settings) {
		if version != "" {
			s.version = version
		}
	}
}

// WithPageSize bounds the tools of one page of tools/list; 0 and less: 1,000.
func WithPageSize(tools int) Option {
	return func(s *settings) {
		if tools > 0 {
			s.pageSize = tools
		}
	}
}

// WithSessions bounds the sessions over HTTP and the time that one may lie idle:
// no request runs and no stream is open. 0 and less: 4,096 and an hour.
func WithSessions(max int, idle time.Duration) Option {
	return func(s *settings) {
		if max > 0 {
			s.maxSessions = max
		}
		if idle > 0 {
			s.idle = idle
		}
	}
}
